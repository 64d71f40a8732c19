/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * script.h - what one node of a traced run did, in order: its stream, and what only the closing
 * behind an interval tells: which pages were written without a fault, and how many bytes of each
 * had changed. Memory is used for an interval of each node, not for the trace.
 *
 *   SR1  A store that no fault shows, SCRIPT_STORE, stands behind what opened the page ahead of it,
 *        else behind the last acquire of its interval: nobody knows when it happened, and before
 *        that it may have belonged to the interval before. What has changed, SCRIPT_WROTE, stands
 *        where the closing ended.
 *   SR2  Pages that a stream of loads was given ahead were used if it had come there by such pages,
 *        or went on behind them, within the interval. Of the first that a stream was given, and
 *        that it never came to the end of, nobody knows: they count as unused. Those of a group of
 *        past.h, which were used together twice before, count as used. None does that no node has
 *        written yet: with ARDMAR such a page is open anyway.
 *   SR3  A page that its home stored to, and that the closing behind that did not have, or a
 *        barrier needed none, was exclusive from then on (exclusive.h). The closing that has it
 *        again announces it since a reader came, written or not (EP3): it counts as not written,
 *        unless a fault shows it.
 *   SR4  Pages that a stream of stores got homes for ahead (ahead.h AH5), and that the closing of
 *        the interval does not have, were exclusive at once: they were stored to where the stream
 *        went on behind them, and are exclusive from then on (SR3). Else nobody knows: not.
 */
#ifndef SIM_SCRIPT_H
#define SIM_SCRIPT_H

#include "sim/map.h"
#include "sim/trace.h"

/* Kinds besides those of base/record.h. */
enum script_kind {
    SCRIPT_STORE = RECORD_KIND_COUNT, /* page: as a store to it */
    SCRIPT_WROTE,                     /* page, length of its diff or 0, bytes or 0: has changed */
};

struct script_op {
    uint64_t time; /* units of computing before it */
    uint64_t arg[RECORD_ARGS];
    unsigned kind;
    bool used; /* RECORD_AHEAD, for loads: SR2 */
};

struct script_store {
    uint32_t at, page;
};

struct script {
    const struct trace *trace;
    unsigned node;
    struct record_reader stream, closings;
    struct script_op *op; /* of the interval under way */
    uint32_t count, room, at;
    struct script_op *spare;
    uint32_t spare_room;
    struct map pages; /* of the interval: stored to, or opened for that, */
    uint32_t *since;  /* behind which item; 0: stored to by it */
    uint32_t since_room;
    struct map met;
    bool *exclusive; /* SR3 */
    uint32_t exclusive_room;
    struct script_store *store; /* that are put in */
    uint32_t store_room;
    const char *wrong; /* what is no trace, in words; NULL: nothing */
    bool ended;
};

void script_open(struct script *s, const struct trace *t, unsigned node);
void script_close(struct script *s);

/* What a node's trace says of homes: it tried to be that of a page that it had not written; a
 * closing of a page was that of its home, or not. */
enum script_home { HOME_TRIED, HOME_HERE, HOME_ELSEWHERE };

typedef void (*script_home_fn)(void *self, uint32_t page, enum script_home what, uint32_t arrivals);

/* script_homes - calls FN in the order of the node's trace; `arrivals`: at so many barriers it had
 * arrived by then */
void script_homes(const struct trace *t, unsigned node, script_home_fn fn, void *self);

/* script_next - NULL at the end, or where the trace is wrong */
const struct script_op *script_next(struct script *s);

#endif
