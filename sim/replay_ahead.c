/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_ahead.c - readahead in a replay whose faults differ from the traced run (replay.h RY5):
 * hlrc/memory/ahead.c, past.c. Streams of faults are the library's code.
 */
#include "sim/replay.h"

static bool adjacent(int32_t stride)
{
    return stride == 1 || stride == -1;
}

/* The number of these steps that stay within the space. */
static uint32_t within(const struct replay *r, uint32_t page, uint32_t steps, int32_t stride)
{
    uint32_t last = (uint32_t)r->set[RECORD_SET_pages] - 1,
             room = stride > 0 ? (last - page) / (uint32_t)stride : page / (uint32_t)-stride;

    return steps < room ? steps : room;
}

/* ---- past.c ---- */

#define BLOCK    64u /* past.h PAST_BLOCK */
#define LEFT_OUT 32u

void replay_turn(struct replay_node *n)
{
    n->turn++;
}

static uint8_t turn_now(const struct replay_node *n)
{
    return (uint8_t)(n->turn % 255 + 1);
}

static void set_turn(struct copy *c, bool write, uint8_t now)
{
    if ((uint8_t)c->turns[write] != now)
        c->turns[write] = (uint16_t)(c->turns[write] << 8 | now);
}

/* PG2 */
static bool is_left_out(uint32_t page, uint8_t now)
{
    return ((page ^ (uint32_t)now << 16) * 2654435761u >> 16) % LEFT_OUT == 0;
}

static void open_them(struct replay_node *n, uint32_t first, uint32_t count, bool write)
{
    if (write)
        replay_open_here(n, first, count);
    else
        replay_open_ahead(n, first, count, false, false);
}

static bool is_open(const struct copy *c, bool write)
{
    return write ? c->access == OPEN_STORES : c->access != CLOSED;
}

static uint16_t turns_of(struct replay_node *n, uint32_t page, bool write)
{
    const struct copy *c = copy_found(n, page);

    return c != NULL ? c->turns[write] : 0;
}

static void open_group(struct replay_node *n, uint32_t first, uint32_t beyond, bool write,
                       uint16_t were, uint8_t now)
{
    for (uint32_t p = first; p < beyond;) {
        uint32_t count = 0;
        while (p + count < beyond && turns_of(n, p + count, write) == were &&
               !is_left_out(p + count, now))
            count++;
        if (count > 0)
            open_them(n, p, count, write);
        for (uint32_t q = p; q < p + count; q++)
            if (!write || is_open(copy_of(n, q), write))
                set_turn(copy_of(n, q), write, now);
        p += count > 0 ? count : 1;
    }
}

static void past_fault(struct replay_node *n, uint32_t page, bool write)
{
    uint8_t now = turn_now(n);
    uint16_t were = copy_of(n, page)->turns[write];
    uint32_t first = page - page % BLOCK, beyond = first + BLOCK,
             pages = (uint32_t)n->r->set[RECORD_SET_pages];

    set_turn(copy_of(n, page), write, now);
    if (were >> 8 == 0 || (uint8_t)were == now)
        return;
    open_group(n, first, beyond < pages ? beyond : pages, write, were, now);
}

static void past_opened(struct replay_node *n, uint32_t page, bool write)
{
    set_turn(copy_of(n, page), write, turn_now(n));
}

/* ---- hlrc/memory/ahead.c ---- */

static void open_run(struct replay_node *n, uint32_t page, uint32_t steps, int32_t stride,
                     bool write, bool here)
{
    bool fresh = here && steps > 0 && copy_of(n, page + (uint32_t)stride)->home == 0;
    uint32_t claims = fresh ? ahead_claims(&n->streams, page, steps) : 0; /* AH5 */

    steps = claims > 0 ? claims : steps;
    uint32_t first = stride > 0 ? page + 1 : page - steps;
    replay_claim_ahead(n, first, claims);
    replay_open_ahead(n, first, steps, write, here);
}

void replay_faulted(struct replay_node *n, uint32_t page, bool write)
{
    uint32_t most = (uint32_t)n->r->set[RECORD_SET_ahead], steps;
    int32_t stride = 0;

    if (!n->r->own_ahead || most == 0)
        return;
    steps = ahead_next(&n->streams, page, write, most, &stride);
    if (steps == 0) {
        past_fault(n, page, write);
        return;
    }
    steps = within(n->r, page, steps, stride);
    bool here = write && copy_is_home(copy_of(n, page), n); /* AH3 */
    if (adjacent(stride)) {
        open_run(n, page, steps, stride, write, here);
        return;
    }
    past_opened(n, page, write);
    for (uint32_t k = 1; k <= steps; k++) {
        uint32_t next = (uint32_t)((int64_t)page + (int64_t)k * stride);
        replay_open_ahead(n, next, 1, write, here);
        past_opened(n, next, write);
    }
}
