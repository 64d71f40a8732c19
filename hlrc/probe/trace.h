/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trace.h - the last events of each thread: a ring in its slot. Off unless --watchdog may print
 * it. If on, an event costs one reading of the clock and three stores.
 *
 *   - Only its thread writes a ring. The time of an event is written last, and cleared before the
 *     event is overwritten. A reader may read at any moment; it takes an event only if it read the
 *     same time before and after it.
 */
#ifndef HLRC_TRACE_H
#define HLRC_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(kind, text: action on the object whose number follows) */
#define TRACE_KINDS(X)                                     \
    X(TRACE_FETCH, "fetched page")                         \
    X(TRACE_READ, "opened for read page")                  \
    X(TRACE_WRITE, "opened for write page")                \
    X(TRACE_LOCK, "asked for lock")                        \
    X(TRACE_LOCKED, "got lock")                            \
    X(TRACE_UNLOCK, "gave up lock")                        \
    X(TRACE_ARRIVE, "arrived at barrier")                  \
    X(TRACE_DEPART, "left barrier")                        \
    X(TRACE_COND_WAIT, "waited on condition variable")     \
    X(TRACE_COND_WOKEN, "was woken on condition variable") \
    X(TRACE_SIGNAL, "signalled condition variable")

enum trace_kind {
#define X(kind, words) kind,
    TRACE_KINDS(X)
#undef X
};

#define TRACE_EVENTS 64u /* per thread */

struct trace_ring {
    _Atomic uint64_t count; /* events so far; written by the thread, read at any moment */
    struct {
        _Atomic int64_t ns;    /* monotonic clock; 0: being written */
        _Atomic uint64_t what; /* enum trace_kind << 56 | object */
    } event[TRACE_EVENTS];
};

/* By the ring's thread. The engine names events (hlrc/probe/events.h). */
void trace_note(struct trace_ring *ring, enum trace_kind kind, uint64_t object);

/* The last `most` events of a ring as text, the oldest first; "" for none. */
void trace_last(const struct trace_ring *ring, unsigned most, char *line, size_t len);

#endif
