/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wait_tracker.h - what each thread waits for, and since when.
 *
 * A thread that waits longer than a spin notes its wait, which costs a few stores. The watch is
 * the monitor's thread (boot/monitor.h). It rests until a thread is about to sleep, checks the
 * waits a second later, and repeats that while necessary. It checks whether the job stands still
 * (deadlock_watchdog.h), and, with --watchdog S, whether a wait has taken S seconds. In that case
 * it prints a line for each wait of this node. The job ends some seconds later, after the other
 * nodes have printed theirs.
 *
 *   - Only its thread writes the fields of a slot, `what` last when a wait begins and first when it
 *     ends. The watch may read a note that is being changed. It then reports the wait before or
 *     after, and validates it by `since`, which it reads twice.
 *   - The watch announces that it rests, then reads the waits for the last time. A thread that is
 *     about to sleep notes its wait, then tests whether the watch rests. Both execute a full fence
 *     in between, so the watch sees the wait, or the thread wakes the watch.
 */
#ifndef HLRC_WAIT_TRACKER_H
#define HLRC_WAIT_TRACKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hlrc/core/waits.h"

struct probe_thread;

struct wait_tracker_note {
    struct waits_wait what; /* WAITS_NOTHING: the thread does not wait */
    int64_t since;          /* nanoseconds, monotonic clock */
};

/* The wait of a thread, as the watch reads it. */
struct wait_tracker_slot {
    _Atomic uint32_t what; /* enum waits; node + 1 in the higher bits */
    _Atomic uint64_t object;
    _Atomic int64_t since;
};

/* Returns the previous note, which wait_tracker_end restores: waits may nest. */
struct wait_tracker_note wait_tracker_begin(struct waits_wait what);
void wait_tracker_end(struct wait_tracker_note before);

/* Reads the thread's wait. False: it does not wait, or the note is being changed. */
bool wait_tracker_read(const struct probe_thread *t, struct wait_tracker_note *out);

extern _Atomic bool watch_is_up;
void wait_tracker_get_up(void);

/* Called by a thread that is about to sleep in a wait that it has noted. */
static inline void wait_tracker_sleeps(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* orders the note before the load */
    if (!atomic_load_explicit(&watch_is_up, memory_order_relaxed))
        wait_tracker_get_up();
}

/* For the monitor's thread. rests: a read of the waits follows. goes_on: the next check needs no
 * wake. */
void wait_tracker_rests(void);
void wait_tracker_goes_on(void);

/* Result of wait_tracker_look. */
struct wait_tracker_waits {
    int waiting;      /* number of threads */
    int64_t least_ms; /* duration of the shortest wait */
    int next_ms;      /* until the next check of the watchdog; 0: none is needed */
};

/* Reads all waits. Reports, and ends the job, as --watchdog says. */
struct wait_tracker_waits wait_tracker_look(void);

#endif
