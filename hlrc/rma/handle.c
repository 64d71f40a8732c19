/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handle.c - see handle.h for the invariants. */
#include "hlrc/rma/handle.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>

#include "base/diag.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/rma/rmw_queue.h"

#define INDEX_BITS 16
static_assert(HANDLES == 1 << INDEX_BITS, "an entry number fits its bits of a handle");

static struct handle *table;
static spin_lock_word lock; /* guards the next two, and `made` where it is written */
static uint16_t *returned;
static uint32_t returned_count;
static _Atomic uint32_t made;                /* entries used so far */
static struct fabric_op nameless[NODES_MAX]; /* by node */
static _Atomic uint64_t left;                /* items (handle_left) */

int handle_start(void)
{
    returned_count = 0;
    atomic_store(&made, 0);
    atomic_store(&left, 0);
    table = reserve(HANDLES * sizeof *table);
    returned = reserve(HANDLES * sizeof *returned);
    return table && returned ? 0 : -ENOMEM;
}

void handle_stop(void)
{
    reserve_end(table, HANDLES * sizeof *table);
    reserve_end(returned, HANDLES * sizeof *returned);
    table = NULL;
    returned = NULL;
}

struct handle *handle_take(int node)
{
    uint32_t i = HANDLES;
    spin_lock(&lock);
    if (returned_count)
        i = returned[--returned_count];
    else if (made < HANDLES)
        i = made++;
    spin_unlock(&lock);
    if (i == HANDLES)
        diag_fatal(1,
                   "%d operations have handles that were not waited for; call hlrc_wait for each, "
                   "or pass NULL and call hlrc_fence",
                   HANDLES);
    atomic_store_explicit(&table[i].node, node, memory_order_relaxed);
    table[i].begun = atomic_load_explicit(&left, memory_order_relaxed);
    return &table[i];
}

void handle_left(void)
{
    atomic_fetch_add_explicit(&left, 1, memory_order_relaxed);
}

uint64_t handle_name(struct handle *h)
{
    uint64_t name = 0, items = atomic_load_explicit(&left, memory_order_relaxed);
    h->begun = items != h->begun ? items : 0;
    while (name >> INDEX_BITS == 0)
        name = ++h->uses << INDEX_BITS | (uint64_t)(h - table);
    atomic_store(&h->name, name);
    return name;
}

uint64_t handle_done(void)
{
    return handle_name(handle_take(engine.node));
}

static void handle_give(struct handle *h)
{
    atomic_store_explicit(&h->node, -1, memory_order_relaxed);
    spin_lock(&lock);
    returned[returned_count++] = (uint16_t)(h - table);
    spin_unlock(&lock);
}

struct fabric_op *handle_none(int node)
{
    return &nameless[node];
}

static _Noreturn void handle_refuse(const char *call, uint64_t name)
{
    diag_fatal(1,
               "%s(%#llx): no pending operation has this handle; complete each handle once, with "
               "hlrc_wait or with an hlrc_test that returns 1",
               call, (unsigned long long)name);
}

static struct handle *handle_find(const char *call, uint64_t name)
{
    struct handle *h = &table[name & (HANDLES - 1)];
    call_check(call);
    if (name == 0 || (uint32_t)(h - table) >= made || atomic_load(&h->name) != name)
        handle_refuse(call, name);
    return h;
}

/* No other call completes it. */
static void handle_claim(const char *call, struct handle *h, uint64_t name)
{
    uint64_t mine = name;
    if (!atomic_compare_exchange_strong(&h->name, &mine, 0))
        handle_refuse(call, name);
}

/* ASSUMPTION: claimed. */
static void handle_note_end(const struct handle *h)
{
    int node = atomic_load_explicit(&h->node, memory_order_relaxed);
    if (probe_records() && h->begun)
        PROBE(fence_begun, node + 1, atomic_load_explicit(&left, memory_order_relaxed) - h->begun);
}

/* An operation of the queue (rmw_queue.h) is pending until it is performed. */
static void handle_begin_wait(const struct handle *h)
{
    if (atomic_load_explicit(&h->op.pending, memory_order_relaxed) != 0)
        rmw_queue_flush();
}

void hlrc_wait(hlrc_handle_t handle)
{
    struct handle *h = handle_find("hlrc_wait", handle.id);
    handle_begin_wait(h);
    handle_claim("hlrc_wait", h, handle.id);
    handle_note_end(h);
    struct thread *t = thread_enter();
    fabric_wait(engine.fabric, &h->op);
    handle_give(h);
    thread_leave(t);
    PROBE(computing_resumed);
}

int hlrc_test(hlrc_handle_t handle)
{
    struct handle *h = handle_find("hlrc_test", handle.id);
    handle_begin_wait(h);
    struct thread *t = thread_enter();
    bool done = fabric_test(engine.fabric, &h->op);
    if (done) {
        handle_claim("hlrc_test", h, handle.id);
        handle_note_end(h);
        handle_give(h);
    }
    thread_leave(t);
    return done;
}

static bool handle_is_for(const struct handle *h, int node)
{
    int at = atomic_load_explicit(&h->node, memory_order_relaxed);
    return at >= 0 && (node < 0 || at == node);
}

/* Node -1: all nodes. */
static void handle_fence(int node)
{
    rmw_queue_flush();
    PROBE(fence_begun, node + 1);
    struct thread *t = thread_enter();
    for (int n = 0; n < engine.nodes; n++)
        if (node < 0 || n == node)
            fabric_wait(engine.fabric, &nameless[n]);
    for (uint32_t i = 0, end = made; i < end; i++)
        if (handle_is_for(&table[i], node))
            fabric_wait(engine.fabric, &table[i].op);
    thread_leave(t);
    PROBE(computing_resumed);
}

void handle_fence_all(void)
{
    handle_fence(-1);
}

void hlrc_fence(int node)
{
    call_check("hlrc_fence");
    if (node < 0 || node >= engine.nodes)
        diag_fatal(1, "hlrc_fence: there is no node %d; this job has nodes 0 to %d", node,
                   engine.nodes - 1);
    handle_fence(node);
}

void hlrc_fence_all(void)
{
    call_check("hlrc_fence_all");
    handle_fence(-1);
}
