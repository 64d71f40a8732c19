/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_move.c - selects homes for migration, as in hlrc/memory/page_move.c (MV3, MV4). */
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay_moves.h"

struct moves *replay_moves_of(struct replay_node *n)
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

bool replay_moves_off(const struct replay_node *n)
{
    return n->r->set[RECORD_SET_move_homes] != 0;
}

/* ---- costs of diffs ---- */

static uint32_t cost(uint32_t bytes)
{
    return 1 + bytes / 256;
}

void replay_move_tried(struct copy *c)
{
    c->tries = (uint8_t)(c->tries < TRIES_MOST ? c->tries + 1u : TRIES_MOST);
}

static void want(struct replay_node *n, uint32_t page, unsigned writer)
{
    struct moves *m = replay_moves_of(n);

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
    if (copy_is_home(c, n) && !replay_moves_off(n))
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
    replay_moves_of(t->home)->told[t->writer * TOLD_RING + t->index] = t->word;
    free(t);
}

/* page_move.c page_move_tell */
void replay_move_tell(struct replay_node *n, struct copy *c, uint32_t bytes)
{
    struct telling *t;
    unsigned home = c->home - 1u;

    if (replay_moves_off(n))
        return;
    c->spent = (uint16_t)(c->spent + cost(bytes));
    if (c->spent < TOLD_AFTER)
        return;
    t = sim_new(1, sizeof *t);
    *t = (struct telling){ &n->r->node[home],
                           n->id,
                           replay_moves_of(n)->wrote[home]++ % TOLD_RING,
                           { c->page, c->spent } };
    c->spent = 0;
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    replay_write(n, t->home, 8, be_told, t, 0);
}

void replay_move_listen(struct replay_node *n, unsigned writer)
{
    struct moves *m = replay_moves_of(n);

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
    m = replay_moves_of(n);
    m->batch = m->batch / 2 > BATCH_LEAST ? m->batch / 2 : BATCH_LEAST;
    c->watched = false;
    c->spent = 0;
    replay_move_tried(c);
}
