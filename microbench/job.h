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
 * Parses the arguments, joins the job and begins the table and the JSON file at node 0. Ends the
 * program if the arguments are invalid or the job has fewer than NODES nodes.
 */
void job_begin(int *argc, char ***argv, const struct bench_program *program, int nodes);

/* Leaves the job and ends the program. MORE adds to the JSON file beside the results: in programs
 * with figures job_options(), or a function that calls it. WRONG is the number of wrong values at
 * this node; if any node has some, the program fails. */
_Noreturn void job_end(uint64_t wrong, void (*more)(void));
void job_options(void);

/* Called before job_begin(): turns readahead and update off, so that each page is fetched by its
 * own fault. --ahead and --renew of the job take precedence. */
void job_page_by_page(void);

/* Value of an option of the runtime as set by hlrcrun or in the environment; OTHERWISE if not
 * set. */
const char *job_option(const char *name, const char *otherwise);

/* RC: 0, or the negative error of the call WHAT, which ends the program. */
void job_check(int rc, const char *what);

/* ---- Collective ---- */

void job_broadcast(void *buf, size_t len, int root);
uint64_t job_sum(uint64_t mine);   /* the sum over all nodes, on every node */
uint64_t job_agree(uint64_t mine); /* node 0's number on every node */
bool job_one_machine(void);        /* true if all nodes have the same clock */

/* Statistics of the samples of all nodes, on every node. Frees the samples. job_measure() makes
 * them: warm-up and repetitions of ONCE. */
struct bench_stat job_stat(struct bench_series *series);
struct bench_stat job_measure(bench_once *once);

/* At node 0, of a program without figures: bench_row() in us. */
void job_row(const char *name, struct bench_stat stat, const char *what);

/* SIZE bytes of shared memory, page-aligned. REMEDY ends the message if there is too little:
 * "raise --memory" and this. */
void *job_allocate(size_t size, const char *remedy);
void *job_allocate_at(size_t size, int home); /* the same, with a home */

/* ---- Counters of hlrc_stats_get() ---- */

#define JOB_COUNTERS 21

struct job_counts {
    uint64_t value[JOB_COUNTERS];
    double operations; /* counted meanwhile; results have the counters per operation */
};

/* Of the measurement in progress; after its results, of all nodes. */
extern struct job_counts job_counts;

/* Adds what this node counts, and its operations, from start to stop. */
void job_counts_start(void);
void job_counts_stop(double operations);

/* The named counter per operation; all of them as an object. */
double job_counts_per(const struct job_counts *counts, const char *name);
void job_counts_json(const char *name, const struct job_counts *counts);

/* ---- Figures: collective, reported at node 0 ---- */

struct job_figure {
    const char *name, *what; /* as struct bench_figure */
    const char *unit;
    bool counters; /* its result has the counters */
    struct bench_series series;
    struct bench_stat stat; /* of all nodes; set by the functions below */
};

/* All nodes repeat ONCE: one figure. OPERATIONS by all nodes in one repetition, for the counters of
 * all repetitions; 0: none. */
void job_report(const char *name, const char *unit, double operations, bench_once *once,
                const char *shape);

/* The same with figures to whose series ONCE adds, and counters that it starts and stops. */
void job_report_all(struct job_figure *figures, size_t count, bench_once *once, const char *shape);

/* The results only: of figures that --only does not exclude and that have samples. */
void job_results(struct job_figure *figures, size_t count, const char *shape);

/* Removes the samples and counts of a warm-up. */
void job_clear(struct job_figure *figures, size_t count);

#endif
