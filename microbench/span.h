/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a node that computes loses while other nodes use what has its home there: the counter test
 * of Buntinas, Panda and Gropp (NIC-Based Atomic Remote Memory Operations in Myrinet/GM, section
 * V).
 *
 * Node 1 computes for SPAN, by the clock and outside of the library, and counts what it gets done;
 * others perform operations meanwhile, or look at the clock. Spans with operations and spans
 * without take turns, so that what else the machine does meets both alike. What is lost depends on
 * whether the threads of node 1 share a core, and varies with what else the machine does; the CPU
 * time of the other threads of its process does not.
 */
#ifndef MICROBENCH_SPAN_H
#define MICROBENCH_SPAN_H

#include "microbench/job.h"

/* One sample of a node that performs operations: some of them, in us each. Adds their number to
 * *DONE. */
typedef double span_work(uint64_t *done);

/* Samples of this node, one for each span but those of `us`; hundredths of the span's length, but
 * `us` and iterations. */
struct span {
    span_work *work;                     /* NULL at node 1, and at others that wait */
    unsigned long delay_us;              /* from one call of it to the next */
    struct bench_series us;              /* of an operation; nodes that perform */
    struct bench_series lost;            /* of the computation; node 1, as all below */
    struct bench_series iterations;      /* what it got done, in rounds of its loop */
    struct bench_series iterations_idle; /* in spans without operations, here and below */
    struct bench_series others;          /* CPU of the process's other threads */
    struct bench_series others_idle;
    struct bench_series handler; /* handler_s of hlrc_stats_get */
    uint64_t done;               /* operations of this node */
};

/* Room for so many pairs of spans. Collective, as all below: a first pair, which does not count, in
 * which threads that have just been started settle. */
struct span span_make(size_t pairs, span_work *work, unsigned long delay_us);

/* One span with operations, one without. */
void span_pair(struct span *span);

/* Results of one USE, of SPANS spans with operations: operation, lost, iterations, iterations_idle,
 * others, others_idle, handler. Frees the samples. */
void span_tell(const char *use, struct span *span, struct job_counts *counts, double spans);

#endif
