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

/*
 * The same for a program of the harness, and begin its table and JSON file at node 0.
 * job_results_end: NULL but at node 0, where more may be added beside the results; job_end leaves
 * the job and ends the program as job_close.
 */
void job_begin(int *argc, char ***argv, const struct bench_program *program, int nodes);
struct bench_json *job_results_end(void);
_Noreturn void job_end(uint64_t wrong);

/* Before job_open: pages are fetched one at a time and each by a fault, unless the job is started
 * with --ahead or --renew. */
void job_page_by_page(void);

/* At node 0: begin a table of microseconds, and the JSON file PATH with the same figures. */
void job_table(struct bench_json *json, const char *path);

/* Leave the job and end the program: WRONG values, found by all nodes together, are a failure. */
_Noreturn void job_close(uint64_t wrong);

const char *job_protocol(void);

/* What an option of the runtime was set to, by hlrcrun or in the environment. */
const char *job_option(const char *name, const char *otherwise);

/* Collective. The sum over all nodes. */
uint64_t job_sum(uint64_t mine);

/* Collective. The statistics of the samples of all nodes together, at every node. Frees the
 * series. */
struct bench_stat job_stat(struct bench_series *series);

/* Collective. Node 0's number, at every node. */
uint64_t job_agree(uint64_t mine);

/* Collective. Whether all nodes have the same clock. */
bool job_one_machine(void);

/* Collective. SIZE bytes of shared memory, which begin with a page. */
void *job_allocate(size_t size);

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

/* ---- Figures: collective, told at node 0 ---- */

struct job_figure {
    const char *name;
    const char *unit;
    const struct bench_shape *shape;
    /* of all nodes together, which the counters are divided by: in one repetition, or in all */
    double operations;
};

/* A figure from the samples of all nodes, which are freed, and the counters if not NULL; none if
 * there are no samples. */
void job_result(const struct job_figure *figure, struct bench_series *series,
                struct job_counts *counts);

/* All nodes repeat ONCE; counters, unless operations is 0, are those of the repetitions that give
 * samples. */
void job_measure(struct job_figure figure, bench_once *once, void *context);

#endif
