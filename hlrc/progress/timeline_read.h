/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_read.h - what the nodes of a job have noted (timeline.h), by one clock and in order.
 *
 * The memory is that of nodes that have ended, in whatever way: nothing in it is believed unseen.
 *
 *   TC1  Nodes of one machine have one clock, and one rule turns its ticks into time: what was
 *        before is before, on all of them. Times of another machine are put on node 0's by the
 *        offsets that were measured at the start and at the end, with a line between the two.
 */
#ifndef HLRC_TIMELINE_READ_H
#define HLRC_TIMELINE_READ_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/progress/timeline.h"

struct timeline_memory {
    const void *at; /* NULL: of a node that has noted nothing */
    size_t bytes;
};

/* ns since the first node's start, by node 0's clock */
struct timeline_event {
    int64_t begin, end;
    uint64_t object, extra;
    uint32_t kind, lane;
    int peer; /* -1: none */
};

struct timeline_node {
    const struct timeline_head *head; /* NULL: nothing was noted */
    struct timeline_event *events;    /* by lane, by begin; who is within another comes behind it */
    size_t count;
    uint64_t dropped; /* the oldest (TL2) */
};

/* Both ends lie within a span; ascending. */
struct timeline_arrow {
    int from, to; /* nodes */
    uint32_t from_lane, to_lane;
    int64_t begin, end;
    const char *name;
};

/* A lock that a node had; end < 0: to the last. */
struct timeline_held {
    int node;
    uint64_t lock;
    int64_t begin, end;
};

struct timeline {
    struct timeline_node *node;
    int nodes;
    int64_t origin; /* ns of node 0's clock */
    struct timeline_arrow *arrows;
    size_t arrow_count, backward; /* backward: begin after end, which clocks may show; left out */
    struct timeline_held *held;
    size_t held_count;
};

/* timeline_read - of `nodes` nodes, in their order; `before`, `after`: two moments of the caller's
 * machine, of which a node's is one unless it has noted its own end. 0 or -ENOMEM */
int timeline_read(struct timeline *t, const struct timeline_memory *memory, int nodes,
                  struct timeline_moment before, struct timeline_moment after);
void timeline_read_end(struct timeline *t);

/* What its clock was ahead of node 0's by at the node's time `local`, by its machine's offsets, and
 * half the larger round trip; error < 0: not known. */
struct timeline_offset timeline_offset_of(const struct timeline *t, int node, int64_t local);

#endif
