/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_rma.c - put and get in windows (hlrc/rma/transfer.c), and atomic words, which live at a
 * node (hlrc/sync/atomic.c AT1): replay.h RY10.
 */
#include "sim/replay.h"

static void nothing(void *self, uint64_t arg)
{
    (void)self;
    (void)arg;
}

static void be_written(void *self, uint64_t arg)
{
    (void)arg;
    replay_written(self);
}

void replay_put(struct replay_node *n, unsigned to, uint64_t bytes, bool goes_on)
{
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    if (bytes == 0)
        return;
    if (goes_on) {
        replay_write(n, &n->r->node[to], bytes, nothing, NULL, 0);
        return;
    }
    n->writing++;
    replay_write(n, &n->r->node[to], bytes, be_written, n, 0);
    replay_await_written(n);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

void replay_get(struct replay_node *n, unsigned from, uint64_t bytes, bool goes_on)
{
    if (bytes == 0)
        return;
    if (goes_on) {
        n->debt += n->r->m.post_ns * SIM_NS;
        replay_settle(n);
        replay_read(n, &n->r->node[from], bytes, false, NULL, nothing, NULL, 0);
        return;
    }
    replay_post_read(n, &n->r->node[from], bytes);
    replay_await_reads(n);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

/* ---- atomic words ---- */

static void take_answer(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    n->answered = true;
    replay_wake(n);
}

/* atomic.c atomic_serve */
static void serve(void *self, uint64_t home)
{
    struct replay_node *n = self;

    replay_message(&n->r->node[home], n, 16, take_answer, n, 0);
}

void replay_atomic_word(struct replay_node *n, unsigned home)
{
    struct replay_node *to = &n->r->node[home];

    if (n->r->protocol != REPLAY_ASYNC) {
        replay_atomic(n, to, NULL, NULL);
        return;
    }
    n->answered = false;
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    COUNT(n, messages, to != n);
    replay_message(n, to, 64, serve, n, home);
    replay_await(n, &n->answered);
}
