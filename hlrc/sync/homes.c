/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* homes.c - see homes.h for the invariants. */
#include "hlrc/sync/homes.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/barrier.h"

/* In the control window, one per node. A node writes its list into the windows of all others, if
 * it is not empty. */
struct homes_list {
    uint64_t barrier; /* number of the barrier at which it was made, + 1 */
    uint64_t count;
    struct policy_migrate_move moves[POLICY_MIGRATE_ROUND];
};

_Static_assert(sizeof(struct homes_list) <= MOVES_BYTES,
               "it fits the space reserved in the control window");

static size_t homes_list_at(int node)
{
    return engine.at.moves + (size_t)node * MOVES_BYTES;
}

static void homes_tell_all(const struct homes_list *mine)
{
    size_t bytes = offsetof(struct homes_list, moves) + mine->count * sizeof mine->moves[0];
    struct fabric_op op = FABRIC_OP_INIT;
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node)
            fabric_write(engine.fabric, n, engine.control.id, homes_list_at(engine.node), mine,
                         bytes, &op);
    fabric_wait(engine.fabric, &op);
}

bool homes_offer(uint64_t barrier)
{
    if (engine.config.move_homes == SWITCH_OFF)
        return false;
    if (engine.config.diffs == DIFFS_WRITE)
        page_move_listen();
    if (!page_move_wanted())
        return false;
    struct homes_list *mine = engine_control_at(homes_list_at(engine.node));
    mine->barrier = barrier + 1;
    mine->count = page_move_take(mine->moves);
    if (mine->count)
        homes_tell_all(mine);
    return mine->count != 0;
}

/* The moves of all nodes in this round; *n of them. */
static struct policy_migrate_move *homes_gather(uint64_t barrier, uint32_t *n)
{
    struct policy_migrate_move *all = NULL;
    *n = 0;
    for (int node = 0; node < engine.nodes; node++) {
        const struct homes_list *l = engine_control_at(homes_list_at(node));
        if (l->barrier != barrier + 1)
            continue;
        struct policy_migrate_move *more = realloc(all, (*n + l->count + 1) * sizeof *all);
        if (!more)
            diag_fatal(1, "home migration: no memory for the tables of %u pages; lower --memory",
                       *n + (uint32_t)l->count);
        all = more;
        memcpy(all + *n, l->moves, l->count * sizeof *all);
        *n += (uint32_t)l->count;
    }
    return all;
}

/* [home-migration.held], at this node. */
static void homes_hold(const struct policy_migrate_move *moves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        page_move_hold(moves[i].page);
    for (uint32_t i = 0; i < n; i++)
        while (!page_move_settled(moves[i].page))
            interval_close(false);
}

/* [home-migration.held] */
void homes_move(uint64_t barrier)
{
    struct thread *t = thread_enter();
    uint32_t n;
    struct policy_migrate_move *moves = homes_gather(barrier, &n);
    homes_hold(moves, n);
    thread_leave(t);
    barrier_meet(MEETING_MOVES);
    t = thread_enter();
    uint64_t time[NODES_MAX];
    interval_vt(time);
    for (uint32_t i = 0; i < n; i++)
        if ((int)moves[i].to == engine.node)
            page_move_bring(moves[i].page, time);
    thread_leave(t);
    barrier_meet(MEETING_MOVES); /* the old homes are no longer read */
    t = thread_enter();
    for (uint32_t i = 0; i < n; i++)
        page_move_switch(moves[i].page, (int)moves[i].to);
    thread_leave(t);
    barrier_meet(MEETING_MOVES);
    t = thread_enter();
    for (uint32_t i = 0; i < n; i++)
        page_move_release(moves[i].page);
    thread_leave(t);
    free(moves);
}
