/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rmw.c - see rmw.h. Words of 4 bytes are changed by atomics only where these leave the
 * neighbouring ones unchanged. */
#include "hlrc/rma/rmw.h"

#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/rma/accumulate.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/rmw_queue.h"
#include "hlrc/rma/window.h"
#include "hlrc/sync/change.h"
#include "hlrc/sync/combine.h"

/* A read needs no lock: the 4 bytes are written at once. */
static bool rmw_by_lock(const struct change *c, size_t bytes)
{
    return bytes == 4 && c->op != HLRC_NO_OP && !(engine.fabric->caps & FABRIC_ATOMICS_NARROW);
}

int rmw_perform(const char *call, void *word, const struct change *c, int node, uint64_t *old)
{
    size_t bytes = combine_bytes(c->type), off = window_offset(call, word, bytes, node);
    if (off % bytes != 0)
        return -EINVAL;
    uint64_t guess = 0;
    if (c->compares)
        memcpy((char *)&guess + off % 8, &c->expected, bytes);
    uint32_t atomics = 1;
    bool locked = rmw_by_lock(c, bytes);
    PROBE(computing_suspended);
    struct thread *t = thread_enter();
    if (c->op == HLRC_REPLACE && !c->compares && bytes == 8)
        *old = fabric_exchange(engine.fabric, node, arena.id, off, c->value, 0);
    else if (locked)
        *old = accumulate_change(node, off, c);
    else
        *old = change_by_fabric(node, arena.id, off, c, guess, &atomics);
    thread_leave(t);
    PROBE(computing_resumed);
    if (!locked)
        PROBE(value_changed, node, atomics);
    return 0;
}

/* False: the fabric performs it by compare-and-swaps. */
static bool rmw_fabric_change(const struct change *c, enum fabric_change *change)
{
    if ((c->op == HLRC_SUM || c->op == HLRC_AND || c->op == HLRC_OR || c->op == HLRC_XOR) &&
        c->type != HLRC_INT64 && c->type != HLRC_UINT64)
        return false;
    switch (c->op) {
    case HLRC_SUM:
        *change = FABRIC_ADD;
        return true;
    case HLRC_AND:
        *change = FABRIC_AND;
        return true;
    case HLRC_OR:
        *change = FABRIC_OR;
        return true;
    case HLRC_XOR:
        *change = FABRIC_XOR;
        return true;
    case HLRC_REPLACE:
        *change = FABRIC_EXCHANGE;
        return combine_bytes(c->type) == 8;
    default:
        return false;
    }
}

bool rmw_queues(const struct change *c, const void *old)
{
    enum fabric_change change;
    return rmw_fabric_change(c, &change) && (uintptr_t)old % 8 == 0 &&
           !(old && window_local_is_shared(old, 8)); /* [thread.no-fault] */
}

int rmw_start(const char *call, void *word, const struct change *c, void *old, int node,
              hlrc_handle_t *handle)
{
    struct fabric_update u = { .old = old, .peer = node, .value = c->value };
    (void)rmw_fabric_change(c, &u.change);
    u.off = window_offset(call, word, 8, node);
    if (u.off % 8 != 0)
        return -EINVAL;
    struct handle *h = NULL;
    uint64_t name = 0;
    if (handle) {
        h = handle_take(node);
        atomic_store_explicit(&h->op.pending, 1, memory_order_relaxed);
        name = handle_name(h);
    }
    rmw_queue_add(arena.id, &u, h);
    if (handle)
        *handle = (hlrc_handle_t){ name }; /* may lie in shared memory */
    return 0;
}
