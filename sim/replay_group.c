/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_group.c - groups of nodes: hlrc/sync/group.c and pairs.c, [barrier-pairs.two-slots],
 * [barrier-pairs.word-last]; replay.h. */
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define ROUNDS 10 /* of TRACE_NODES_MAX */

_Static_assert(1u << ROUNDS >= TRACE_NODES_MAX, "a meeting of all has its rounds");

/* [barrier-pairs.two-slots] */
struct replay_group_slot {
    uint64_t word; /* epoch + 1 */
    uint32_t *vt;
};

/* A group at a member, or at a node to which a member has already written. */
struct replay_group_here {
    uint32_t number;
    unsigned *node; /* of the members, in order */
    uint32_t count, room;
    unsigned self;
    uint64_t epoch;
    uint32_t words; /* at the lowest member: answers; at the others: its invitation */
    bool told;      /* something has arrived since it was last checked */
    struct replay_group_slot slot[ROUNDS][2];
};

static struct replay_group_here *replay_group_of(struct replay_node *n, uint32_t number)
{
    struct replay_group_here *g = map_at(&n->groups, number, sizeof *g);

    g->number = number;
    return g;
}

void replay_groups_free(struct replay_node *n)
{
    for (uint32_t i = 0; i < n->groups.count; i++) {
        struct replay_group_here *g = n->groups.value[i];
        for (int k = 0; k < 2 * ROUNDS; k++)
            free(g->slot[k / 2][k % 2].vt);
        free(g->node);
    }
    map_free(&n->groups);
}

static void replay_group_tell(struct replay_node *n, struct replay_group_here *g)
{
    g->told = true;
    replay_wake(n);
}

static void replay_group_await(struct replay_node *n, struct replay_group_here *g)
{
    g->told = false;
    replay_await(n, &g->told);
}

/* ---- creation ---- */

static unsigned replay_group_lowest_of(const struct replay_group_here *g)
{
    unsigned lowest = g->node[0];

    for (uint32_t i = 1; i < g->count; i++)
        lowest = g->node[i] < lowest ? g->node[i] : lowest;
    return lowest;
}

/* Of an invitation, or an answer to one. */
static void replay_group_take_word(void *self, uint64_t number)
{
    struct replay_group_here *g = replay_group_of(self, (uint32_t)number);

    g->words++;
    replay_group_tell(self, g);
}

static void replay_group_invite(struct replay_node *n, struct replay_group_here *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct replay_node *to = &n->r->node[g->node[i]];
        if (to == n)
            continue;
        replay_post(n, 2);
        COUNT(n, rdma_writes, 1);
        replay_write(n, to, 16 + 4 * (uint64_t)g->count, replay_group_take_word, to, g->number);
    }
    while (g->words + 1 < g->count)
        replay_group_await(n, g);
}

static void replay_group_accept_from(struct replay_node *n, struct replay_group_here *g,
                                     struct replay_node *lowest)
{
    while (g->words == 0)
        replay_group_await(n, g);
    replay_post(n, 1);
    replay_write(n, lowest, 8, replay_group_take_word, lowest, g->number);
}

void replay_member(struct replay_node *n, const struct script_op *op)
{
    struct replay_group_here *g = replay_group_of(n, (uint32_t)op->arg[0]);
    unsigned node = (unsigned)(op->arg[1] % n->r->nodes);

    if (g->count == n->r->nodes) /* no further nodes exist */
        return;
    if (node == n->id)
        g->self = g->count;
    *MAP_PUSH(g->node, g->count, g->room) = node;
    if (op->arg[2] > 0) /* others follow */
        return;
    if (replay_group_lowest_of(g) == n->id)
        replay_group_invite(n, g);
    else
        replay_group_accept_from(n, g, &n->r->node[replay_group_lowest_of(g)]);
}

/* ---- its barrier ---- */

struct replay_group_arrival {
    struct replay_node *to;
    uint32_t number, round;
    uint64_t epoch;
    uint32_t *vt;
};

static void replay_group_take_arrival(void *self, uint64_t arg)
{
    struct replay_group_arrival *a = self;
    struct replay_group_here *g = replay_group_of(a->to, a->number);
    struct replay_group_slot *s = &g->slot[a->round][a->epoch & 1];

    (void)arg;
    free(s->vt);
    *s = (struct replay_group_slot){ a->epoch + 1, a->vt };
    replay_group_tell(a->to, g);
    free(a);
}

/* [barrier-pairs.word-last] */
static void replay_group_send(struct replay_node *n, const struct replay_group_here *g,
                              uint32_t round, const uint32_t *vt)
{
    const struct replay *r = n->r;
    struct replay_node *to = &r->node[g->node[(g->self + (1u << round)) % g->count]];
    struct replay_group_arrival *a = FAIL_NEW(struct replay_group_arrival, to, g->number, round,
                                              g->epoch, replay_vt_copy(r, vt));

    replay_post(n, 2);
    COUNT(n, rdma_writes, 1);
    replay_write(n, a->to, 8 * (uint64_t)r->nodes + 16, replay_group_take_arrival, a, 0);
}

/* [barrier-pairs.word-last] */
static void replay_group_meet(struct replay_node *n, struct replay_group_here *g, uint32_t *vt)
{
    for (uint32_t round = 0; 1u << round < g->count; round++) {
        struct replay_group_slot *s = &g->slot[round][g->epoch & 1];
        replay_group_send(n, g, round, vt);
        while (s->word != g->epoch + 1)
            replay_group_await(n, g);
        replay_vt_merge(n->r, vt, s->vt);
    }
    g->epoch++;
}

void replay_group(struct replay_node *n, uint32_t number)
{
    struct replay_group_here *g = replay_group_of(n, number);
    uint32_t *vt;

    COUNT(n, barriers, 1);
    if (g->count <= 1)
        return;
    if (!replay_clean(n, true))
        replay_close(n);
    vt = replay_vt_copy(n->r, n->vt);
    replay_group_meet(n, g, vt);
    replay_acquire(n, vt, OCCASION_MEETING);
    free(vt);
}
