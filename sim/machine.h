/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * machine.h - the machine of a replay: a file of lines `NAME VALUE`; # begins a comment.
 *
 *   MC1  Each name occurs exactly once: a machine file states every parameter, and no hidden
 *        default decides.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include "sim/event.h"

#define MACHINE_READS_AT_ONCE 64 /* at most */

/* X(name, unit, text) */
#define MACHINE_VALUES(X)                                                                     \
    X(latency_ns, "ns", "from one adapter to another")                                        \
    X(gap_ns, "ns", "between the beginnings of two messages of an adapter")                   \
    X(rate_mb_s, "MB/s", "of a link, each way")                                               \
    X(post_ns, "ns", "of a CPU, to post an operation")                                        \
    X(complete_ns, "ns", "of a CPU, to see that it is complete")                              \
    X(read_ns, "ns", "of the adapter that is read from, for each read")                       \
    X(atomic_ns, "ns", "of the adapter that has the word, for each atomic")                   \
    X(reads_at_once, "", "reads that an adapter answers at once; atomics one by one")         \
    X(reads_most, "", "reads and atomics of an adapter under way")                            \
    X(reads_ordered, "0 or 1", "whether reads of one connection are in order")                \
    X(memory, "0 or 1", "whether remote operations are copies by the CPU, on one machine")    \
    X(copy_page_ns, "ns", "to copy a page")                                                   \
    X(clear_page_ns, "ns", "of the system, for a page of memory that nobody has had")         \
    X(split_ns, "ns",                                                                         \
      "to change the protection of some pages of a mapping, of which that makes several")     \
    X(fault_ns, "ns", "of a fault outside of its handler")                                    \
    X(protect_ns, "ns", "to change the protection of a run of pages")                         \
    X(compare_ns, "ns", "to compare a page with its twin")                                    \
    X(diff_ns, "ns", "to make a diff, besides")                                               \
    X(apply_ns, "ns", "to apply one")                                                         \
    X(serve_ns, "ns", "of a handler, for each message")                                       \
    X(wake_ns, "ns", "until a thread that sleeps runs, on a CPU of its own")                  \
    X(preempt_ns, "ns", "until the handler runs, if a computation has its CPU")               \
    X(switch_ns, "ns", "of the computation, from there to the handler and back")              \
    X(notify_ns, "ns", "of a CPU, to wake a thread that sleeps")                              \
    X(spin_ns, "ns", "that a thread spins that waits, before it sleeps; 0: it never does")    \
    X(handler, "0, 1 or 2", "polls, spins while its threads wait and blocks else, or blocks") \
    X(cpus, "", "of a node: with one the handler takes its time from the computation")        \
    X(compute_percent, "%", "time of computing, of that in the trace")

struct machine {
#define X(name, unit, text) uint64_t name;
    MACHINE_VALUES(X)
#undef X
};

/* machine_read - reads a file; NULL, or the error message */
const char *machine_read(struct machine *m, FILE *in);

/* machine_load - the same; ends the program with an error line if that fails */
void machine_load(struct machine *m, const char *file);

#endif
