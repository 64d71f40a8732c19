/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the microbenchmarks on the public API: start and end, collecting the results of all
 * nodes at node 0, counters.
 */
#ifndef MICROBENCH_JOB_H
#define MICROBENCH_JOB_H

#include "microbench/bench.h"

#include <hlrc.h>

/*
 * Parses the arguments by bench_values(), whose result is returned, then joins the job. Only node 0
 * reports invalid arguments. Ends the program if either fails or if the job has fewer than NODES
 * nodes.
 */
const char *job_open(int *argc, char ***argv, const char *what, const struct bench_value *values,
                     int nodes);

/*
 * As job_open(), for a program of the harness; also begins its table and JSON file at node 0.
 * job_results_end() returns NULL except at node 0, where more may be added beside the results.
 * job_end() leaves the job and ends the program as job_close() does.
 */
void job_begin(int *argc, char ***argv, const struct bench_program *program, int nodes);
struct bench_json *job_results_end(void);
_Noreturn void job_end(uint64_t wrong);

/* Called before job_open(): turns readahead and update off, so that each page is fetched by its
 * own fault. --ahead and --renew of the job take precedence. */
void job_page_by_page(void);

/* At node 0: begins a table in microseconds and the JSON file PATH with the same figures. */
void job_table(struct bench_json *json, const char *path);

/* Leaves the job and ends the program. WRONG is the number of wrong values on all nodes; if not 0,
 * the program fails. */
_Noreturn void job_close(uint64_t wrong);

const char *job_protocol(void);

/* Value of an option of the runtime as set by hlrcrun or in the environment; OTHERWISE if not
 * set. */
const char *job_option(const char *name, const char *otherwise);

/* Collective. Returns the sum over all nodes. */
uint64_t job_sum(uint64_t mine);

/* Collective. Returns the statistics of the samples of all nodes on every node. Frees the
 * series. */
struct bench_stat job_stat(struct bench_series *series);

/* Collective. Returns node 0's number on every node. */
uint64_t job_agree(uint64_t mine);

/* Collective. True if all nodes have the same clock. */
bool job_one_machine(void);

/* Collective. SIZE bytes of shared memory, page-aligned. */
void *job_allocate(size_t size);

/* Increments of the counters of hlrc_stats_get() between start and stop, summed over all such
 * spans. */
#define JOB_COUNTERS 21

struct job_counts {
    uint64_t before[JOB_COUNTERS];
    uint64_t total[JOB_COUNTERS];
};

void job_counts_start(struct job_counts *counts);
void job_counts_stop(struct job_counts *counts);

/* Collective. Sums the totals over all nodes. */
void job_counts_sum(struct job_counts *counts);

/* The named counter, divided by the number of operations. */
double job_counts_per(const struct job_counts *counts, const char *name, double operations);
void job_counts_json(struct bench_json *json, const char *name, const struct job_counts *counts,
                     double operations);

/* ---- Figures: collective, reported at node 0 ---- */

struct job_figure {
    const char *name;
    const char *unit;
    const struct bench_shape *shape;
    /* by all nodes, in one repetition or in all of them; counters are divided by this */
    double operations;
};

/* Reports a figure from the samples of all nodes, which are freed, and the counters if not NULL.
 * Without samples, reports nothing. */
void job_result(const struct job_figure *figure, struct bench_series *series,
                struct job_counts *counts);

/* All nodes repeat ONCE. Counters cover the repetitions that give samples; none if operations is
 * 0. */
void job_measure(struct job_figure figure, bench_once *once, void *context);

#endif
