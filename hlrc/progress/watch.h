/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watch.h - who waits for what, and since when.
 *
 * A thread that waits longer than a spin notes what for; a note costs a few stores. The watch is
 * the monitor's thread (boot/monitor.h). It rests until a thread is about to sleep, looks a second
 * later, and goes on as long as there is something to see: whether the job stands still
 * (standstill.h), and, with --watchdog S, whether a wait has taken S seconds. Then each wait of
 * this node is told in a line, and some seconds later, when the other nodes have told theirs, the
 * job ends.
 *
 *   W1  The fields of a slot are written by its thread alone, `what` last when it begins and first
 *       when it ends. The watch may read a note that is being changed: it tells the wait before or
 *       after, and judges by `since`, which it reads twice.
 *   W2  The watch says that it rests before it looks at the waits for the last time; a thread that
 *       is about to sleep has noted its wait before it looks whether the watch rests. Both put a
 *       full fence between, so that the wait is seen, or the watch roused.
 */
#ifndef HLRC_WATCH_H
#define HLRC_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hlrc/protocol/waits.h"

struct thread;

struct watch_note {
    struct wait_for what; /* WAITS_NOTHING: it does not wait */
    int64_t since;        /* nanoseconds, monotonic clock */
};

/* Of a thread, where the watch reads it (W1). */
struct watch_slot {
    _Atomic uint32_t what; /* enum waits, and node + 1 above it */
    _Atomic uint64_t object;
    _Atomic int64_t since;
};

/* Returns the note before, which watch_end puts back: a wait may be inside of another one. */
struct watch_note watch_begin(struct thread *t, struct wait_for what);
void watch_end(struct thread *t, struct watch_note before);

/* What it waits for; false: for nothing, or the note is being changed (W1). */
bool watch_read(const struct thread *t, struct watch_note *out);

extern _Atomic bool watch_is_up;
void watch_get_up(void);

/* This thread is about to sleep in a wait that it has noted (W2). */
static inline void watch_sleeps(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* orders the note before the look */
    if (!atomic_load_explicit(&watch_is_up, memory_order_relaxed))
        watch_get_up();
}

/* For the monitor's thread. rests: a look at the waits follows; goes_on: there will be another one
 * without a rouse. */
void watch_rests(void);
void watch_goes_on(void);

/* What a look has found. */
struct watch_waits {
    int waiting;      /* threads */
    int64_t least_ms; /* for how long the one waits that came last */
    int next_ms;      /* until the watchdog has to look again; 0: it need not */
};

/* Tells, and ends the job, as --watchdog says. */
struct watch_waits watch_look(void);

#endif
