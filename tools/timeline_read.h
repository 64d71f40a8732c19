/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_read.h - the records of all nodes of a job (timeline.h), by one clock and in order.
 *
 * The memory is that of nodes that have ended in any way, so all of it is validated.
 *
 *   - Nodes of one machine have one clock, and one rule converts its ticks to time, so their order
 *     is kept. Times of another machine are converted to node 0's clock by the offsets that were
 *     measured at the start and at the end, interpolated linearly.
 */
#ifndef HLRC_TIMELINE_READ_H
#define HLRC_TIMELINE_READ_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/probe/timeline.h"

struct timeline_read_memory {
    const void *at; /* NULL: the node has noted nothing */
    size_t bytes;
};

/* ns since the first node's start, by node 0's clock */
struct timeline_read_event {
    int64_t begin, end;
    uint64_t object, extra;
    uint32_t kind, lane;
    int peer; /* -1: none */
};

struct timeline_read_node {
    const struct timeline_head *head;   /* NULL: the node has noted nothing */
    struct timeline_read_event *events; /* by lane, then begin; inner spans follow outer ones */
    size_t count;
    uint64_t dropped; /* number of oldest records lost */
};

/* Both ends lie within a span; begin <= end. */
struct timeline_read_arrow {
    int from, to; /* nodes */
    uint32_t from_lane, to_lane;
    int64_t begin, end;
    const char *name;
};

/* A lock that a node held; end < 0: until the node's end. */
struct timeline_read_held {
    int node;
    uint64_t lock;
    int64_t begin, end;
};

struct timeline_read_all {
    struct timeline_read_node *node;
    int nodes;
    int64_t origin; /* ns of node 0's clock */
    struct timeline_read_arrow *arrows;
    size_t arrow_count, backward; /* backward: left out, since clocks show begin after end */
    struct timeline_read_held *held;
    size_t held_count;
};

/* timeline_read - reads the memory of `nodes` nodes, in order. `now`: by this machine's clock.
 * ASSUMPTION: a node that has not noted its end ran on this machine. Returns 0 or -ENOMEM. */
int timeline_read(struct timeline_read_all *t, const struct timeline_read_memory *memory, int nodes,
                  struct clock_moment now);
void timeline_read_end(struct timeline_read_all *t);

/* How far the node's clock was ahead of node 0's at the node's time `local`, by its machine's
 * offsets, and half the larger round trip. error < 0: unknown. */
struct timeline_offset timeline_read_offset_of(const struct timeline_read_all *t, int node,
                                               int64_t local);

#endif
