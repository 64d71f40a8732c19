/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * script.h - the actions of one node of a traced run, in order. They come from its stream, and
 * from the flush after each interval: it shows which pages were written without a fault, and how
 * many bytes of each changed. Memory is needed for one interval of each node, not for the trace.
 *
 *   - A store that no fault shows, SCRIPT_STORE, is placed after the item that opened the page by
 *     readahead, or else after the last acquire of its interval. Its true time is unknown, and an
 *     earlier one may belong to the previous interval. A change, SCRIPT_WROTE, is placed where the
 *     flush ended.
 *   - Readahead pages of a stream of loads count as used if the stream got there by readahead
 *     pages, or continued after them, within the interval. Whether the first pages given to a
 *     stream were used is unknown if it never reached their end: they count as unused. Pages of a
 *     group of past.h, used together twice before, count as used. A page that no node has written
 *     yet does not: with ARDMAR it is open anyway.
 *   - If the home stored to a page and the next flush did not contain it, or a barrier needed no
 *     flush, the page was unshared from then on (exclusive.h). The flush that contains it again
 *     announces it because a reader came, written or not [unshared.new-readers]. It counts as not
 *     written, unless a fault shows it.
 *   - Pages for which a stream of stores claimed homes ahead [readahead.dense-claims], and which
 *     the flush of the interval does not contain, were unshared at once. If the stream continued
 *     after them they were stored to, and are unshared from then on. Otherwise it is unknown, and
 *     they count as not stored to.
 */
#ifndef SIM_SCRIPT_H
#define SIM_SCRIPT_H

#include "sim/map.h"
#include "sim/trace.h"

/* Kinds in addition to base/record.h. */
enum script_kind {
    SCRIPT_STORE = RECORD_KIND_COUNT, /* page: a store to it */
    SCRIPT_WROTE,                     /* page, length of its diff or 0, changed bytes or 0 */
};

struct script_op {
    uint64_t time; /* units of computing before it */
    uint64_t arg[RECORD_ARGS];
    unsigned kind;
    bool used; /* RECORD_AHEAD, for loads */
};

struct script_store {
    uint32_t at, page;
};

#define SCRIPT_PAIRS 2 /* kinds of items that come in pairs */

struct script {
    const struct trace *trace;
    unsigned node;
    struct record_reader stream, closings;
    struct script_op *op; /* of the current interval */
    uint32_t count, room, at;
    struct script_op *spare;
    uint32_t spare_room;
    /* of the interval, stored to or opened for stores: the item after which (uint32_t); 0: stored
     * to by the item itself */
    struct map pages;
    struct map exclusive;       /* bool */
    struct script_store *store; /* stores to insert */
    uint32_t store_room;
    bool begun[SCRIPT_PAIRS]; /* a barrier, a wait */
    struct map held;          /* bool: locks and mutexes */
    const char *wrong;        /* error message for a bad trace; NULL: none */
    bool ended;
};

void script_open(struct script *s, const struct trace *t, unsigned node);
void script_close(struct script *s);

/* What a node's trace shows about homes: it tried to become home of a page that it had not
 * written; or it flushed a page as its home, or not as its home. */
enum script_home { HOME_TRIED, HOME_HERE, HOME_ELSEWHERE };

typedef void (*script_home_fn)(void *self, uint32_t page, enum script_home what, uint32_t arrivals);

/* script_homes - calls FN in the order of the node's trace; `arrivals`: the number of barriers at
 * which it had arrived by then */
void script_homes(const struct trace *t, unsigned node, script_home_fn fn, void *self);

/* Whether an item of this kind is an acquire. */
bool script_is_acquire(unsigned kind);

/* script_next - NULL at the end, or if the trace is wrong */
const struct script_op *script_next(struct script *s);

#endif
