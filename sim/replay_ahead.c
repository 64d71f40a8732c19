/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_ahead.c - readahead in a replay whose faults differ from the traced run (replay.h):
 * hlrc/memory/ahead.c, past.c.
 */
#include "hlrc/policy/policy_history.h"
#include "hlrc/policy/policy_readahead.h"
#include "sim/replay.h"

/* ---- past.c ---- */

void replay_turn(struct replay_node *n)
{
    n->turn++;
}

static void replay_ahead_set_turn(struct replay_copy *c, bool write, uint8_t now)
{
    c->turns[write] = policy_history_opened(c->turns[write], now);
}

static void replay_ahead_open_them(struct replay_node *n, uint32_t first, uint32_t count,
                                   bool write)
{
    if (write)
        replay_open_here(n, first, count);
    else
        replay_open_ahead(n, first, count, false, false);
}

static bool replay_ahead_is_open(const struct replay_copy *c, bool write)
{
    return write ? c->access == OPEN_STORES : c->access != CLOSED;
}

static uint16_t replay_ahead_turns_of(struct replay_node *n, uint32_t page, bool write)
{
    const struct replay_copy *c = replay_copy_found(n, page);

    return c != NULL ? c->turns[write] : 0;
}

static void replay_ahead_open_group(struct replay_node *n, uint32_t first, uint32_t count,
                                    bool write, uint16_t were, uint8_t now)
{
    uint16_t all[POLICY_HISTORY_BLOCK];
    uint32_t at, run;

    for (uint32_t i = 0; i < count; i++)
        all[i] = replay_ahead_turns_of(n, first + i, write);
    for (uint64_t group = policy_history_group(all, first, count, were, now);
         (run = policy_history_run(&group, &at)) > 0;) {
        replay_ahead_open_them(n, first + at, run, write);
        for (uint32_t p = first + at; p < first + at + run; p++)
            if (!write || replay_ahead_is_open(replay_copy_of(n, p), write))
                replay_ahead_set_turn(replay_copy_of(n, p), write, now);
    }
}

static void replay_ahead_past_fault(struct replay_node *n, uint32_t page, bool write)
{
    uint8_t now = policy_history_turn(n->turn);
    uint16_t were = replay_copy_of(n, page)->turns[write];
    uint32_t first = page - page % POLICY_HISTORY_BLOCK,
             left = (uint32_t)n->r->set[RECORD_SET_pages] - first;

    replay_ahead_set_turn(replay_copy_of(n, page), write, now);
    if (policy_history_opens(were, now))
        replay_ahead_open_group(n, first, left < POLICY_HISTORY_BLOCK ? left : POLICY_HISTORY_BLOCK,
                                write, were, now);
}

static void replay_ahead_past_opened(struct replay_node *n, uint32_t page, bool write)
{
    replay_ahead_set_turn(replay_copy_of(n, page), write, policy_history_turn(n->turn));
}

/* ---- hlrc/memory/ahead.c ---- */

static void replay_ahead_open_run(struct replay_node *n, uint32_t page, uint32_t steps,
                                  int32_t stride, bool write, bool here)
{
    bool fresh = here && steps > 0 && replay_copy_of(n, page + (uint32_t)stride)->home == 0;
    struct policy_readahead_run run = policy_readahead_run(&n->streams, page, steps, stride, fresh);

    replay_claim_ahead(n, run.first, run.claims);
    replay_open_ahead(n, run.first, run.count, write, here);
}

void replay_faulted(struct replay_node *n, uint32_t page, bool write)
{
    uint32_t most = (uint32_t)n->r->set[RECORD_SET_ahead], steps;
    int32_t stride = 0;

    if (!n->r->own_ahead || most == 0)
        return;
    steps = streams_ahead_next(&n->streams, page, write, most, &stride);
    if (steps == 0) {
        replay_ahead_past_fault(n, page, write);
        return;
    }
    steps = policy_readahead_within((uint32_t)n->r->set[RECORD_SET_pages], page, steps, stride);
    bool here = write && replay_copy_is_home(replay_copy_of(n, page), n);
    if (policy_readahead_adjacent(stride)) {
        replay_ahead_open_run(n, page, steps, stride, write, here);
        return;
    }
    replay_ahead_past_opened(n, page, write);
    for (uint32_t k = 1; k <= steps; k++) {
        uint32_t next = (uint32_t)((int64_t)page + (int64_t)k * stride);
        replay_open_ahead(n, next, 1, write, here);
        replay_ahead_past_opened(n, next, write);
    }
}
