/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_move.c - homes that move: hlrc/memory/page_move.c, and the round that all nodes make in a
 * barrier, hlrc/sync/homes.c (MV1 to MV4).
 */
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

/* page_move.h */
#define WATCH_AFTER 34u
#define TRIES_MOST  3u
#define MOVES_ROUND 4096u
#define BATCH_LEAST 64u
#define BATCH_GROWS 16u
#define TOLD_AFTER  8u
#define TOLD_RING   64u
#define WATCH_SHARE 2u

struct move {
    uint32_t page, to;
};

struct told_word {
    uint32_t page, units; /* 0: it was read */
};

/* Of a node. */
struct moves {
    struct move wanted[MOVES_ROUND], list[MOVES_ROUND];
    uint32_t wanted_count, list_count, batch;
    uint64_t epoch; /* of the list, + 1 */
    /* by the other node: as home, what it was told and has read; as writer, what it told */
    struct told_word *told;
    uint32_t *read, *wrote;
};

static struct moves *moves_of(struct replay_node *n)
{
    unsigned nodes = n->r->nodes;

    if (n->moves != NULL)
        return n->moves;
    n->moves = sim_new(1, sizeof *n->moves);
    n->moves->batch = BATCH_LEAST;
    n->moves->told = sim_new((size_t)nodes * TOLD_RING, sizeof *n->moves->told);
    n->moves->read = sim_new(nodes, sizeof *n->moves->read);
    n->moves->wrote = sim_new(nodes, sizeof *n->moves->wrote);
    return n->moves;
}

void replay_moves_free(struct replay_node *n)
{
    if (n->moves == NULL)
        return;
    free(n->moves->told);
    free(n->moves->read);
    free(n->moves->wrote);
    free(n->moves);
}

static bool are_off(const struct replay_node *n)
{
    return n->r->set[RECORD_SET_move_homes] != 0;
}

/* ---- what diffs have cost ---- */

static uint32_t cost(uint32_t bytes)
{
    return 1 + bytes / 256;
}

static void count_try(struct copy *c)
{
    c->tries = (uint8_t)(c->tries < TRIES_MOST ? c->tries + 1u : TRIES_MOST);
}

static void want(struct replay_node *n, uint32_t page, unsigned writer)
{
    struct moves *m = moves_of(n);

    if (m->wanted_count < MOVES_ROUND)
        m->wanted[m->wanted_count++] = (struct move){ page, writer };
}

/* page_move.c note_units */
static void note_units(struct replay_node *n, struct copy *c, unsigned writer, uint32_t units)
{
    if (writer != c->writer || writer == n->id || (c->flags & COPY_EXCLUSIVE)) {
        c->writer = (uint16_t)writer;
        c->spent = 0;
        c->watched = false;
    }
    if (writer == n->id || c->tries >= TRIES_MOST || c->shared->placed)
        return; /* MV3, MV4 */
    c->spent = (uint16_t)(c->spent + units);
    if (c->spent < WATCH_AFTER << c->tries)
        return;
    c->spent = 0;
    if (!c->noted)
        want(n, c->page, writer);
    c->noted = true;
}

void replay_move_note(struct replay_node *n, struct copy *c, unsigned writer, uint32_t bytes)
{
    if (copy_is_home(c, n) && !are_off(n))
        note_units(n, c, writer, cost(bytes));
}

struct telling {
    struct replay_node *home;
    unsigned writer;
    uint32_t index;
    struct told_word word;
};

static void be_told(void *self, uint64_t arg)
{
    struct telling *t = self;

    (void)arg;
    moves_of(t->home)->told[t->writer * TOLD_RING + t->index] = t->word;
    free(t);
}

/* page_move.c page_move_tell */
void replay_move_tell(struct replay_node *n, struct copy *c, uint32_t bytes)
{
    struct telling *t;
    unsigned home = c->home - 1u;

    if (are_off(n))
        return;
    c->spent = (uint16_t)(c->spent + cost(bytes));
    if (c->spent < TOLD_AFTER)
        return;
    t = sim_new(1, sizeof *t);
    *t = (struct telling){
        &n->r->node[home], n->id, moves_of(n)->wrote[home]++ % TOLD_RING, { c->page, c->spent }
    };
    c->spent = 0;
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    replay_write(n, t->home, 8, be_told, t, 0);
}

static void listen_to(struct replay_node *n, unsigned writer)
{
    struct moves *m = moves_of(n);

    for (uint32_t i = 0; i < TOLD_RING; i++) {
        struct told_word *at = &m->told[writer * TOLD_RING + m->read[writer] % TOLD_RING];
        struct told_word word = *at;
        if (word.units == 0)
            return;
        at->units = 0;
        m->read[writer]++;
        struct copy *c = copy_of(n, word.page);
        if (copy_is_home(c, n))
            note_units(n, c, writer, word.units);
    }
}

void replay_move_used(struct replay_node *n, struct copy *c)
{
    struct moves *m;

    if (!c->watched) /* MV4 */
        return;
    m = moves_of(n);
    m->batch = m->batch / 2 > BATCH_LEAST ? m->batch / 2 : BATCH_LEAST;
    c->watched = false;
    c->spent = 0;
    count_try(c);
}

/* ---- before a barrier ---- */

enum verdict { UNWANTED, UNWATCHED, RIPE };

static enum verdict judge(struct replay_node *n, const struct move *m)
{
    struct copy *c = copy_of(n, m->page);
    bool wanted = c->noted && c->writer == m->to && copy_is_home(c, n) &&
                  !(c->flags & (COPY_BUSY | COPY_DIRTY));

    c->noted = false;
    return !wanted ? UNWANTED : c->watched ? RIPE : UNWATCHED;
}

static void close_copy(struct replay_node *n, struct copy *c)
{
    if (c->access != CLOSED)
        n->debt += n->r->m.protect_ns * SIM_NS;
    c->access = CLOSED;
}

static void watch(struct replay_node *n, struct copy *c)
{
    if (!copy_is_home(c, n) || (c->flags & (COPY_BUSY | COPY_DIRTY | COPY_EXCLUSIVE)))
        return;
    close_copy(n, c);
    c->watched = true;
}

/* page_move.c page_move_take */
static uint32_t take(struct replay_node *n)
{
    struct moves *m = moves_of(n);
    uint32_t ripe = 0, others = 0, most;

    for (uint32_t i = 0; i < m->wanted_count; i++) {
        struct move it = m->wanted[i];
        enum verdict v = judge(n, &it);
        if (v == RIPE)
            m->list[ripe++] = it;
        else if (v == UNWATCHED)
            m->wanted[others++] = it;
    }
    m->wanted_count = 0;
    if (ripe > 0)
        m->batch = m->batch * BATCH_GROWS < MOVES_ROUND ? m->batch * BATCH_GROWS : MOVES_ROUND;
    most = m->batch > others / WATCH_SHARE ? m->batch : others / WATCH_SHARE;
    for (uint32_t i = 0; i < others && i < most; i++)
        watch(n, copy_of(n, m->wanted[i].page));
    return ripe;
}

static void list_there(void *self, uint64_t arg)
{
    (void)arg;
    replay_written(self);
}

static void tell_all(struct replay_node *n, uint64_t bytes)
{
    struct replay *r = n->r;

    n->debt += r->m.post_ns * (r->nodes - 1) * SIM_NS;
    replay_settle(n);
    for (unsigned i = 0; i < r->nodes; i++) {
        if (i == n->id)
            continue;
        n->writing++;
        replay_write(n, &r->node[i], bytes, list_there, n, 0);
    }
    replay_await_written(n);
}

bool replay_offer_homes(struct replay_node *n)
{
    struct moves *m = moves_of(n);

    if (are_off(n))
        return false;
    for (unsigned w = 0; w < n->r->nodes && n->r->protocol == REPLAY_ONESIDED; w++)
        if (w != n->id)
            listen_to(n, w);
    if (m->wanted_count == 0)
        return false;
    m->epoch = n->epoch + 1;
    m->list_count = take(n);
    if (m->list_count > 0)
        tell_all(n, 16 + 8 * (uint64_t)m->list_count);
    return m->list_count > 0;
}

/* ---- the round ---- */

static struct move *gather(struct replay_node *n, uint64_t epoch, uint32_t *count)
{
    struct move *all = NULL;
    uint32_t room = 0;

    *count = 0;
    for (unsigned i = 0; i < n->r->nodes; i++) {
        const struct moves *m = moves_of(&n->r->node[i]);
        if (m->epoch != epoch + 1 || m->list_count == 0)
            continue;
        all = grow(all, &room, *count + m->list_count, sizeof *all);
        memcpy(all + *count, m->list, m->list_count * sizeof *all);
        *count += m->list_count;
    }
    return all;
}

static bool settled(struct replay_node *n, struct copy *c)
{
    if (c->flags & COPY_BUSY) {
        replay_finish(n, c);
        return false;
    }
    return !(c->flags & COPY_DIRTY);
}

/* MV1, of this node. */
static void hold(struct replay_node *n, const struct move *moves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct copy *c = copy_of(n, moves[i].page);
        c->held = true;
        if (copy_is_home(c, n) && (c->flags & COPY_EXCLUSIVE))
            exclusive_end_copy(n, c);
    }
    for (uint32_t i = 0; i < count; i++)
        while (!settled(n, copy_of(n, moves[i].page)))
            replay_close(n);
}

/* MV1: complete here, and all that is written anywhere until now is in it. */
static void bring(struct replay_node *n, struct copy *c)
{
    while (c->flags & COPY_STALE)
        (void)replay_fetch(n, c);
    c->need.count = 0;
    for (unsigned w = 0; w < n->r->nodes; w++)
        if (n->vt[w] > 0)
            versions_raise(&c->shared->applied, w, n->vt[w]);
    c->shared->readers = false;
}

/* MV1 */
static void change_home(struct replay_node *n, struct copy *c, unsigned to)
{
    if (to != n->id) {
        close_copy(n, c);
        c->flags |= COPY_STALE;
    }
    c->home = c->shared->home = (uint16_t)(to + 1);
    c->introduced = c->watched = c->noted = false;
    c->spent = 0;
    count_try(c);
    COUNT(n, homes_moved, to == n->id);
}

void replay_move_homes(struct replay_node *n)
{
    uint32_t count;
    struct move *moves = gather(n, n->epoch - 1, &count);

    hold(n, moves, count);
    replay_meet(n);
    for (uint32_t i = 0; i < count; i++)
        if (moves[i].to == n->id)
            bring(n, copy_of(n, moves[i].page));
    replay_meet(n);
    for (uint32_t i = 0; i < count; i++)
        change_home(n, copy_of(n, moves[i].page), moves[i].to);
    replay_meet(n);
    for (uint32_t i = 0; i < count; i++)
        copy_of(n, moves[i].page)->held = false;
    free(moves);
}
