/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watch.h - who waits for what, and since when.
 *
 * A thread that waits longer than a spin notes what for; a note costs a few stores. With --watchdog
 * S the monitor's thread looks at the notes twice a second: once a wait has taken S seconds, each
 * wait of this node is told in a line, and some seconds later, when the other nodes have told
 * theirs, the job ends.
 *
 *   W1  The fields of a slot are written by its thread alone, `what` last when it begins and first
 *       when it ends. The watch may read a note that is being changed: it tells the wait before or
 *       after, and judges by `since`, which it reads twice.
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

/* For the monitor's thread, some times a second. */
void watch_look(void);

#endif
