/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_move.c - selects homes for migration, as in hlrc/memory/page_move.c. */
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay_moves.h"

struct replay_moves *replay_moves_of(struct replay_node *n)
{
    unsigned nodes = n->r->nodes;

    if (n->moves != NULL)
        return n->moves;
    n->moves = fail_alloc(1, sizeof *n->moves);
    n->moves->batch = POLICY_MIGRATE_BATCH;
    n->moves->told = fail_alloc((size_t)nodes * POLICY_MIGRATE_REPORTS, sizeof *n->moves->told);
    n->moves->read = fail_alloc(nodes, sizeof *n->moves->read);
    n->moves->wrote = fail_alloc(nodes, sizeof *n->moves->wrote);
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

static void replay_move_want(struct replay_node *n, uint32_t page, unsigned writer)
{
    struct replay_moves *m = replay_moves_of(n);

    if (m->wanted_count < POLICY_MIGRATE_ROUND)
        m->wanted[m->wanted_count++] = (struct policy_migrate_move){ page, writer };
}

/* page_move.c replay_move_note_units */
static void replay_move_note_units(struct replay_node *n, struct replay_copy *c, unsigned writer,
                                   uint32_t units)
{
    if (policy_migrate_wrote(&c->migrate, writer, n->id, c->flags & COPY_EXCLUSIVE) &&
        !c->shared->placed && policy_migrate_add(&c->migrate, units))
        replay_move_want(n, c->page, writer);
}

void replay_move_note(struct replay_node *n, struct replay_copy *c, unsigned writer, uint32_t bytes)
{
    if (replay_copy_is_home(c, n) && !replay_moves_off(n))
        replay_move_note_units(n, c, writer, policy_migrate_cost(bytes));
}

struct replay_move_telling {
    struct replay_node *home;
    unsigned writer;
    uint32_t index;
    struct replay_moves_told word;
};

static void replay_move_be_told(void *self, uint64_t arg)
{
    struct replay_move_telling *t = self;

    (void)arg;
    replay_moves_of(t->home)->told[t->writer * POLICY_MIGRATE_REPORTS + t->index] = t->word;
    free(t);
}

/* page_move.c page_move_tell */
void replay_move_tell(struct replay_node *n, struct replay_copy *c, uint32_t bytes)
{
    struct replay_move_telling *t;
    unsigned home = c->home - 1u;
    uint32_t units = replay_moves_off(n) ? 0 : policy_migrate_report(&c->migrate, bytes);

    if (units == 0)
        return;
    t = FAIL_NEW(struct replay_move_telling, &n->r->node[home], n->id,
                 replay_moves_of(n)->wrote[home]++ % POLICY_MIGRATE_REPORTS, { c->page, units });
    replay_post(n, 1);
    replay_write(n, t->home, 8, replay_move_be_told, t, 0);
}

void replay_move_listen(struct replay_node *n, unsigned writer)
{
    struct replay_moves *m = replay_moves_of(n);

    for (uint32_t i = 0; i < POLICY_MIGRATE_REPORTS; i++) {
        struct replay_moves_told *at =
            &m->told[writer * POLICY_MIGRATE_REPORTS + m->read[writer] % POLICY_MIGRATE_REPORTS];
        struct replay_moves_told word = *at;
        if (word.units == 0)
            return;
        at->units = 0;
        m->read[writer]++;
        struct replay_copy *c = replay_copy_of(n, word.page);
        if (replay_copy_is_home(c, n))
            replay_move_note_units(n, c, writer, word.units);
    }
}

void replay_move_used(struct replay_node *n, struct replay_copy *c)
{
    struct replay_moves *m;

    if (!c->migrate.watched)
        return;
    m = replay_moves_of(n);
    m->batch = policy_migrate_less(m->batch);
    policy_migrate_tried(&c->migrate);
}
