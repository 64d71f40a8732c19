/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slowdown of a node that computes while other nodes use objects whose home is there: the
 * counter test of Buntinas, Panda and Gropp (NIC-Based Atomic Remote Memory Operations in
 * Myrinet/GM, section V).
 *
 * Node 1 computes for SPAN, by the clock and outside of the library, and counts its iterations.
 * During that time the others perform operations or only read the clock. Spans with and without
 * operations alternate, so that other load on the machine affects both equally. The slowdown
 * depends on whether the threads of node 1 share a core, and varies with the load of the machine.
 * The CPU time of the other threads of its process does not.
 */
#ifndef MICROBENCH_SPAN_H
#define MICROBENCH_SPAN_H

#include "microbench/job.h"

/* One sample of a node that performs operations: does some of them and returns us each. Adds their
 * number to *DONE. */
typedef double span_work(uint64_t *done);

/* Samples of this node, one per span except `us`. Unit: percent of the span's length, except `us`
 * and iterations. */
struct span {
    span_work *work;                     /* NULL at node 1 and at other nodes that wait */
    unsigned long delay_us;              /* pause after each call of work */
    struct bench_series us;              /* per operation, at nodes that perform them */
    struct bench_series lost;            /* of the computation; node 1, as all below */
    struct bench_series iterations;      /* rounds of its compute loop */
    struct bench_series iterations_idle; /* _idle, here and below: in spans without operations */
    struct bench_series others;          /* CPU of the process's other threads */
    struct bench_series others_idle;
    struct bench_series handler; /* handler_s of hlrc_stats_get */
    uint64_t done;               /* operations of this node */
};

/* Room for PAIRS pairs of spans. Collective, as all below. Runs a first pair, which is not
 * counted, for newly started threads to settle. */
struct span span_make(size_t pairs, span_work *work, unsigned long delay_us);

/* One span with operations, one without. */
void span_pair(struct span *span);

/* Reports the results of one USE over SPANS spans with operations: operation, lost, iterations,
 * iterations_idle, others, others_idle, handler. Frees the samples. */
void span_tell(const char *use, struct span *span, struct job_counts *counts, double spans);

#endif
