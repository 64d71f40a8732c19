/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the microbenchmarks on the public API share: start and end, results of all nodes at node 0,
 * counters.
 */
#ifndef MICROBENCH_JOB_H
#define MICROBENCH_JOB_H

#include "microbench/bench.h"

#include <hlrc.h>

/*
 * Parse the arguments into OPTIONS, then join the job. Only node 0 says what is wrong with an
 * argument. Ends the program when either fails, or when the job has fewer than NODES nodes.
 */
void job_open(int *argc, char ***argv, const struct argp *argp, void *options, int nodes);

/* Before job_open: pages are fetched one at a time and each by a fault, unless the job is started
 * with --ahead or --renew. */
void job_page_by_page(void);

/* At node 0: begin a table of microseconds, and the JSON file PATH with the same figures. */
void job_table(struct bench_json *json, const char *path);

/* Leave the job and end the program: WRONG values, found by all nodes together, are a failure. */
_Noreturn void job_close(uint64_t wrong);

const char *job_protocol(void);

/* Collective. The sum over all nodes. */
uint64_t job_sum(uint64_t mine);

/* Samples of one node, room for MAX. */
struct job_series {
    double *sample;
    size_t count;
    size_t max;
};

struct job_series job_series_make(size_t max);
void job_series_add(struct job_series *series, double sample);

/* Collective. The statistics of the samples of all nodes together, at every node. Frees the
 * series. */
struct bench_stat job_series_stat(struct job_series *series);

/* What hlrc_stats_get counted between start and stop, summed over all such spans. */
#define JOB_COUNTERS 21

struct job_counts {
    uint64_t before[JOB_COUNTERS];
    uint64_t total[JOB_COUNTERS];
};

void job_counts_start(struct job_counts *counts);
void job_counts_stop(struct job_counts *counts);

/* Collective. The totals become those of all nodes together. */
void job_counts_sum(struct job_counts *counts);

/* The named counter, divided by the number of operations. */
double job_counts_per(const struct job_counts *counts, const char *name, double operations);
void job_counts_json(struct bench_json *json, const char *name, const struct job_counts *counts,
                     double operations);

#endif
