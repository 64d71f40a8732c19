/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_write.c - diffs written into the home's page, and notices read from their writer:
 * onesided/diffs_write.c, [diffs-write.visible], [diffs-write.home-twin], notices_read.c,
 * [notices-read.record-first], [notices-read.oldest], [notices-log.never-late].
 */
#include <stdlib.h>

#include "hlrc/policy/policy_notices.h"
#include "sim/fail.h"
#include "sim/replay.h"

uint32_t replay_others(const struct replay_node *n, const struct replay_copy *c)
{
    const struct versions *v = &c->shared->applied;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < v->count && n->r->protocol == REPLAY_ONESIDED; i++)
        sum += v->at[i].writer != n->id ? v->at[i].interval : 0;
    return sum;
}

/* ---- diffs ---- */

struct replay_write_written {
    struct replay_node *from;
    struct replay_shared *shared;
    uint32_t interval;
};

static void replay_write_end(void *self, uint64_t kind)
{
    struct replay_node *n = self;

    if (--n->under_way[kind] == 0) {
        n->over[kind] = true;
        replay_wake(n);
    }
}

static void replay_write_await(struct replay_node *n, int kind)
{
    n->over[kind] = n->under_way[kind] == 0;
    if (!n->over[kind])
        replay_await(n, &n->over[kind]);
}

void replay_written(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    event_after(&n->r->loop, n->r->m.latency_ns * SIM_NS, replay_write_end, n, REPLAY_WRITES);
}

static void replay_write_be_written(void *self, uint64_t arg)
{
    struct replay_write_written *w = self;

    (void)arg;
    replay_applied(w->from->r, w->shared, w->from->id, w->interval);
    replay_written(w->from, 0);
    free(w);
}

void replay_post_write(struct replay_node *n, struct replay_node *to, uint64_t bytes)
{
    replay_post(n, 1);
    n->under_way[REPLAY_WRITES]++;
    replay_write(n, to, bytes, replay_written, n, 0);
}

/* Writes the runs, then the version: [fabric.write-order]. */
void replay_write_diff(struct replay_node *n, struct replay_copy *c, uint32_t interval,
                       uint32_t bytes)
{
    struct replay_write_written *w = FAIL_NEW(struct replay_write_written, n, c->shared, interval);

    replay_post(n, 2);
    COUNT(n, rdma_writes, 1);
    n->under_way[REPLAY_WRITES]++;
    replay_write(n, &n->r->node[c->home - 1], bytes + 8, replay_write_be_written, w, 0);
}

/* [diffs-write.visible] */
void replay_await_written(struct replay_node *n)
{
    replay_write_await(n, REPLAY_WRITES);
}

void replay_write_now(struct replay_node *n, struct replay_node *to, uint64_t bytes)
{
    replay_post_write(n, to, bytes);
    replay_await_written(n);
}

/* ---- notices ---- */

static void replay_write_enter_in_table(struct replay_node *n, const struct replay_interval *k,
                                        uint32_t interval)
{
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t block = k->page[i] / POLICY_NOTICES_BLOCK;
        n->block = map_grow(n->block, &n->block_room, block + 1, sizeof *n->block);
        n->block[block] = interval;
        n->blocks_end = block < n->blocks_end ? n->blocks_end : block + 1;
    }
}

void replay_record(struct replay_node *n, uint32_t interval)
{
    struct replay_interval *k = &n->interval[interval];
    uint32_t runs = policy_notices_runs(k->page, k->count);

    replay_write_enter_in_table(n, k, interval);
    if (!policy_notices_recorded(runs)) { /* [notices-read.oldest] */
        n->ring_oldest = interval + 1;
        k->begins = k->ends = n->ring_end;
        return;
    }
    k->begins = n->ring_end;
    k->ends = n->ring_end += runs + 1;
    n->ring_oldest = n->ring_oldest > 0 ? n->ring_oldest : interval;
    /* [notices-read.oldest] */
    while (n->ring_end - n->interval[n->ring_oldest].begins > POLICY_NOTICES_RING)
        n->ring_oldest++;
}

static void replay_write_post(struct replay_node *n, struct replay_node *at, uint64_t bytes,
                              bool atomic)
{
    replay_post(n, 1);
    n->under_way[REPLAY_READS]++;
    replay_read(n, at, bytes, atomic, NULL, replay_write_end, n, REPLAY_READS);
}

void replay_post_read(struct replay_node *n, struct replay_node *from, uint64_t bytes)
{
    replay_write_post(n, from, bytes, false);
}

void replay_post_atomic(struct replay_node *n, struct replay_node *at)
{
    replay_write_post(n, at, 8, true);
}

void replay_await_reads(struct replay_node *n)
{
    replay_write_await(n, REPLAY_READS);
}

void replay_read_now(struct replay_node *n, struct replay_node *from, uint64_t bytes)
{
    replay_post_read(n, from, bytes);
    replay_await_reads(n);
}

void replay_await_all(struct replay_node *n)
{
    replay_await_written(n);
    replay_await_reads(n);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

/* [notices-read.oldest]: takes the entries of the table that are later than the last one seen, by
 * blocks. */
static void replay_write_take_table(struct replay_node *n, uint32_t writer)
{
    struct replay_node *w = &n->r->node[writer];
    struct replay_reader *at = &n->reader[writer];
    uint32_t last = w->vt[writer], run = 0;

    replay_read_now(n, w, 8);
    replay_read_now(n, w, 8);
    for (uint32_t b = 0; b < w->blocks_end; b++) {
        uint32_t left = w->blocks_end - b;
        if (b % POLICY_NOTICES_CHUNK == 0)
            replay_read_now(n, w, 8 * (left < POLICY_NOTICES_CHUNK ? left : POLICY_NOTICES_CHUNK));
        run = w->block[b] > at->seen ? run + 1 : 0;
        if (run % (POLICY_NOTICES_CHUNK / POLICY_NOTICES_BLOCK) == 1)
            replay_read_now(n, w, 8 * POLICY_NOTICES_CHUNK);
    }
    for (uint32_t k = at->seen + 1; k <= last; k++)
        replay_notice(n, writer, k);
    *at = (struct replay_reader){ last, w->interval[last].ends };
    COUNT(n, log_overflows, 1);
}

static bool replay_write_is_lost(const struct replay_node *w, const struct replay_reader *at)
{
    return w->ring_oldest > at->seen + 1;
}

/* The number of words to read from one ring at once. */
static uint32_t replay_write_words_wanted(const struct replay_reader *at, bool again)
{
    return policy_notices_words((uint32_t)(at->place % POLICY_NOTICES_RING), again);
}

/* Applies words read from a ring: whole records, as far as wanted. */
static void replay_write_apply_words(struct replay_node *n, uint32_t writer, uint32_t words,
                                     uint32_t want)
{
    const struct replay_node *w = &n->r->node[writer];
    struct replay_reader *at = &n->reader[writer];
    uint64_t until = at->place + words;

    while (at->seen < want && w->interval[at->seen + 1].ends <= until) {
        replay_notice(n, writer, ++at->seen);
        at->place = w->interval[at->seen].ends;
    }
    if (at->seen < want)
        at->place = until;
}

static bool replay_write_read_rings(struct replay_node *n, const uint32_t *want, bool again)
{
    struct replay *r = n->r;
    bool any = false;

    for (uint32_t w = 0; w < r->nodes; w++)
        if (w != n->id && n->reader[w].seen < want[w]) {
            replay_post_read(n, &r->node[w], 8 * replay_write_words_wanted(&n->reader[w], again));
            if (r->m.reads_ordered)
                replay_post_read(n, &r->node[w], 8);
            any = true;
        }
    replay_await_reads(n);
    for (uint32_t w = 0; w < r->nodes && !r->m.reads_ordered; w++)
        if (w != n->id && n->reader[w].seen < want[w])
            replay_post_read(n, &r->node[w], 8);
    replay_await_reads(n);
    return any;
}

void replay_read_notices(struct replay_node *n, const uint32_t *want)
{
    struct replay *r = n->r;

    if (n->reader == NULL)
        n->reader = fail_alloc(r->nodes, sizeof *n->reader);
    for (bool again = false; replay_write_read_rings(n, want, again); again = true)
        for (uint32_t w = 0; w < r->nodes; w++) {
            if (w == n->id || n->reader[w].seen >= want[w])
                continue;
            if (replay_write_is_lost(&r->node[w], &n->reader[w]))
                replay_write_take_table(n, w);
            else
                replay_write_apply_words(n, w, replay_write_words_wanted(&n->reader[w], again),
                                         want[w]);
        }
}
