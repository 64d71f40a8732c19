/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handles.c - see handles.h. */
#include "hlrc/sync/handles.h"

#include <errno.h>
#include <stdlib.h>

#include "hlrc/core/engine.h"
#include "hlrc/progress/thread.h"

static struct handles *by_kind[HANDLES_KINDS];

static size_t handles_at(enum handles_kind kind)
{
    return engine.at.handles + (size_t)kind * sizeof(uint64_t);
}

/* Exact for numbers of 32 bits (Lemire, Kaser and Kurz, Faster remainder by direct computation). */
static uint32_t handles_divide(const struct handles *h, uint32_t by_nodes)
{
    return engine.nodes == 1 ? by_nodes : (uint32_t)(((__uint128_t)h->inverse * by_nodes) >> 64);
}

static void handles_publish(struct handles *h, uint32_t made)
{
    _Atomic uint64_t *word = engine_control_at(handles_at(h->kind));
    atomic_store(&h->made[engine.node], made);
    atomic_store(word, made);
}

void handles_init(struct handles *h, enum handles_kind kind, uint32_t first, uint32_t per_node)
{
    uint32_t nodes = (uint32_t)engine.nodes;
    free(h->returned);
    by_kind[kind] = h;
    *h = (struct handles){ .kind = kind,
                           .lowest = first,
                           .first = (first + nodes - 1) / nodes * nodes,
                           .limit = first + per_node * nodes,
                           .inverse = UINT64_MAX / nodes + 1 };
    handles_publish(h, 0);
}

int handles_take(struct handles *h, uint32_t *number)
{
    int rc = 0;
    spin_lock(&h->lock);
    uint32_t made = h->made[engine.node];
    uint64_t fresh =
        (uint64_t)h->first + (uint64_t)made * (uint64_t)engine.nodes + (uint64_t)engine.node;
    if (h->count) {
        *number = h->returned[--h->count];
    } else if (fresh < h->limit) {
        *number = (uint32_t)fresh;
        handles_publish(h, made + 1);
    } else {
        rc = -ENOMEM;
    }
    spin_unlock(&h->lock);
    return rc;
}

static __attribute__((noinline)) bool handles_ask(struct handles *h, int node, uint32_t index)
{
    uint64_t made = 0;
    struct fabric_op op = FABRIC_OP_INIT;
    if (node == engine.node)
        return false;
    if (!(engine.fabric->caps & FABRIC_READ))
        return true;
    struct thread *t = thread_enter();
    fabric_read(engine.fabric, node, engine.control.id, handles_at(h->kind), &made, sizeof made,
                &op);
    fabric_wait(engine.fabric, &op);
    thread_leave(t);
    atomic_store(&h->made[node], (uint32_t)made);
    return index < made;
}

bool handles_assigned(struct handles *h, uint32_t number)
{
    if (number < h->first || number >= h->limit)
        return false;
    uint32_t of_all = number - h->first, index = handles_divide(h, of_all);
    int node = (int)(of_all - index * (uint32_t)engine.nodes);
    return index < atomic_load_explicit(&h->made[node], memory_order_relaxed) ||
           handles_ask(h, node, index);
}

void handles_give(struct handles *h, uint32_t number)
{
    spin_lock(&h->lock);
    if (h->count == h->room) {
        uint32_t room = h->room ? 2 * h->room : 64;
        uint32_t *more = realloc(h->returned, room * sizeof *more);
        if (more) {
            h->returned = more;
            h->room = room;
        }
    }
    if (h->count < h->room) /* without memory the number is lost, which is harmless */
        h->returned[h->count++] = number;
    spin_unlock(&h->lock);
}

struct handles *handles_of(enum handles_kind kind)
{
    return by_kind[kind];
}

uint32_t handles_end(const struct handles *h)
{
    uint32_t made = h->made[engine.node], nodes = (uint32_t)engine.nodes;
    return made ? h->first + (made - 1) * nodes + (uint32_t)engine.node + 1 : h->lowest;
}

int handles_resume(struct handles *h, uint32_t end)
{
    uint32_t nodes = (uint32_t)engine.nodes;
    if (end > h->limit)
        return -ERANGE;
    if (end > h->lowest) /* the numbers from `lowest` on may be in use */
        h->first = h->lowest / nodes * nodes;
    uint32_t made = end > h->lowest ? (end - h->first + nodes - 1) / nodes : 0;
    for (uint32_t n = 0; n < nodes; n++)
        atomic_store(&h->made[n], made);
    handles_publish(h, made);
    return 0;
}
