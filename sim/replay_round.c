/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_round.c - home migration: the round of all nodes in a barrier, hlrc/sync/homes.c, and the
 * selection for it in hlrc/memory/page_move.c, [home-migration.held],
 * [home-migration.full-barrier].
 */
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay_moves.h"

/* ---- before a barrier ---- */

static enum policy_migrate_verdict replay_round_judge(struct replay_node *n,
                                                      const struct policy_migrate_move *m)
{
    struct replay_copy *c = replay_copy_of(n, m->page);
    bool eligible = replay_copy_is_home(c, n) && !(c->flags & (COPY_BUSY | COPY_DIRTY));

    return policy_migrate_judge(&c->migrate, m->to, eligible);
}

static void replay_round_close_copy(struct replay_node *n, struct replay_copy *c)
{
    if (c->access != CLOSED)
        n->debt += n->r->m.protect_ns * SIM_NS;
    c->access = CLOSED;
}

static void replay_round_watch(struct replay_node *n, struct replay_copy *c)
{
    if (!replay_copy_is_home(c, n) || (c->flags & (COPY_BUSY | COPY_DIRTY | COPY_EXCLUSIVE)))
        return;
    replay_round_close_copy(n, c);
    c->migrate.watched = true;
}

/* page_move.c page_move_take */
static uint32_t replay_round_take(struct replay_node *n)
{
    struct replay_moves *m = replay_moves_of(n);
    uint32_t ripe = 0, others = 0;

    for (uint32_t i = 0; i < m->wanted_count; i++) {
        struct policy_migrate_move it = m->wanted[i];
        enum policy_migrate_verdict verdict = replay_round_judge(n, &it);
        if (verdict == POLICY_MIGRATE_RIPE)
            m->list[ripe++] = it;
        else if (verdict == POLICY_MIGRATE_UNWATCHED)
            m->wanted[others++] = it;
    }
    m->wanted_count = 0;
    if (ripe > 0)
        m->batch = policy_migrate_more(m->batch);
    for (uint32_t i = 0; i < policy_migrate_watch(m->batch, others); i++)
        replay_round_watch(n, replay_copy_of(n, m->wanted[i].page));
    return ripe;
}

static void replay_round_tell_all(struct replay_node *n, uint64_t bytes)
{
    struct replay *r = n->r;

    n->debt += r->m.post_ns * (r->nodes - 1) * SIM_NS;
    replay_settle(n);
    for (unsigned i = 0; i < r->nodes; i++) {
        if (i == n->id)
            continue;
        n->under_way[REPLAY_WRITES]++;
        replay_write(n, &r->node[i], bytes, replay_written, n, 0);
    }
    replay_await_written(n);
}

bool replay_offer_homes(struct replay_node *n)
{
    struct replay_moves *m = replay_moves_of(n);

    if (replay_moves_off(n))
        return false;
    for (unsigned w = 0; w < n->r->nodes && n->r->protocol == REPLAY_ONESIDED; w++)
        if (w != n->id)
            replay_move_listen(n, w);
    if (m->wanted_count == 0)
        return false;
    m->epoch = n->epoch + 1;
    m->list_count = replay_round_take(n);
    if (m->list_count > 0)
        replay_round_tell_all(n, 16 + 8 * (uint64_t)m->list_count);
    return m->list_count > 0;
}

/* ---- the round ---- */

static struct policy_migrate_move *replay_round_gather(struct replay_node *n, uint64_t epoch,
                                                       uint32_t *count)
{
    struct policy_migrate_move *all = NULL;
    uint32_t room = 0;

    *count = 0;
    for (unsigned i = 0; i < n->r->nodes; i++) {
        const struct replay_moves *m = replay_moves_of(&n->r->node[i]);
        if (m->epoch != epoch + 1 || m->list_count == 0)
            continue;
        all = map_grow(all, &room, *count + m->list_count, sizeof *all);
        memcpy(all + *count, m->list, m->list_count * sizeof *all);
        *count += m->list_count;
    }
    return all;
}

static bool replay_round_settled(struct replay_node *n, struct replay_copy *c)
{
    if (c->flags & COPY_BUSY) {
        replay_finish(n, c);
        return false;
    }
    return !(c->flags & COPY_DIRTY);
}

/* [home-migration.held], on this node. */
static void replay_round_hold(struct replay_node *n, const struct policy_migrate_move *moves,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct replay_copy *c = replay_copy_of(n, moves[i].page);
        c->held = true;
        if (replay_copy_is_home(c, n) && (c->flags & COPY_EXCLUSIVE))
            replay_exclusive_end_copy(n, c);
    }
    n->quiet = true;
    for (uint32_t i = 0; i < count; i++)
        while (!replay_round_settled(n, replay_copy_of(n, moves[i].page)))
            replay_close(n);
    n->quiet = false;
}

/* [home-migration.held]: makes the page complete here, with all writes of all nodes until now. */
static void replay_round_bring(struct replay_node *n, struct replay_copy *c)
{
    while (c->flags & COPY_STALE)
        (void)replay_fetch(n, c);
    c->need.count = 0;
    for (unsigned w = 0; w < n->r->nodes; w++)
        if (n->vt[w] > 0)
            versions_raise(&c->shared->applied, w, n->vt[w]);
    c->shared->readers = false;
}

/* [home-migration.held] */
static void replay_round_change_home(struct replay_node *n, struct replay_copy *c, unsigned to)
{
    if (to != n->id) {
        replay_round_close_copy(n, c);
        c->flags |= COPY_STALE;
    }
    c->home = c->shared->home = (uint16_t)(to + 1);
    c->introduced = false;
    policy_migrate_moved(&c->migrate);
    COUNT(n, homes_moved, to == n->id);
}

void replay_move_homes(struct replay_node *n)
{
    uint32_t count;
    struct policy_migrate_move *moves = replay_round_gather(n, n->epoch - 1, &count);

    replay_round_hold(n, moves, count);
    replay_meet(n);
    for (uint32_t i = 0; i < count; i++)
        if (moves[i].to == n->id)
            replay_round_bring(n, replay_copy_of(n, moves[i].page));
    replay_meet(n);
    for (uint32_t i = 0; i < count; i++)
        replay_round_change_home(n, replay_copy_of(n, moves[i].page), moves[i].to);
    replay_meet(n);
    for (uint32_t i = 0; i < count; i++)
        replay_copy_of(n, moves[i].page)->held = false;
    free(moves);
}
