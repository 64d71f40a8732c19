/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * machine.h - the machine of a replay: a file of lines `NAME VALUE`; # begins a comment.
 *
 *   - Each name occurs exactly once: a machine file states every parameter, and no hidden default
 *     decides.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include "sim/event.h"

#define MACHINE_READS_AT_ONCE 64 /* at most */

/* X(name, unit, text) */
#define MACHINE_VALUES(X)                                                                      \
    X(latency_ns, "ns", "latency from one adapter to another")                                 \
    X(gap_ns, "ns", "time between the starts of two messages of an adapter")                   \
    X(rate_mb_s, "MB/s", "bandwidth of a link in each direction")                              \
    X(post_ns, "ns", "CPU time to post an operation")                                          \
    X(complete_ns, "ns", "CPU time to poll a completion")                                      \
    X(read_ns, "ns", "time of the target adapter for each read")                               \
    X(atomic_ns, "ns", "time of the target adapter for each atomic")                           \
    X(reads_at_once, "", "reads that an adapter serves at once; it serves atomics one by one") \
    X(reads_most, "", "maximum reads and atomics of an adapter in flight")                     \
    X(reads_ordered, "0 or 1", "whether reads of one connection are in order")                 \
    X(memory, "0 or 1", "whether remote operations are copies by the CPU, on one machine")     \
    X(copy_page_ns, "ns", "time to copy a page")                                               \
    X(clear_page_ns, "ns", "kernel time for a page of memory that was never touched")          \
    X(split_ns, "ns",                                                                          \
      "time to change the protection of some pages of a mapping, if this splits it")           \
    X(fault_ns, "ns", "time of a fault outside of its handler")                                \
    X(protect_ns, "ns", "time to change the protection of a run of pages")                     \
    X(compare_ns, "ns", "time to compare a page with its twin")                                \
    X(diff_ns, "ns", "additional time to make a diff")                                         \
    X(apply_ns, "ns", "time to apply a diff")                                                  \
    X(serve_ns, "ns", "handler time for each message")                                         \
    X(wake_ns, "ns", "time until a sleeping thread runs, on an idle CPU")                      \
    X(preempt_ns, "ns", "time until the handler runs, if a computation uses its CPU")          \
    X(switch_ns, "ns", "lost computing time for a switch to the handler and back")             \
    X(notify_ns, "ns", "CPU time to wake a sleeping thread")                                   \
    X(spin_ns, "ns", "time that a waiting thread spins before it sleeps; 0: it never sleeps")  \
    X(handler, "0, 1 or 2",                                                                    \
      "0: polls; 1: spins while its threads wait, otherwise blocks; 2: blocks")                \
    X(cpus, "", "CPUs of a node; with one, the handler takes time from the computation")       \
    X(compute_percent, "%", "computing time, as a percentage of the traced time")

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
