/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bulk.c - see bulk.h for the invariants. */
#include "hlrc/progress/bulk.h"

#include <stdatomic.h>

#include "base/diag.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"

static struct {
    spin_lock_word lock; /* guards sent, and the order of writes */
    _Atomic uint64_t sent;
} out[NODES_MAX];

/* by type; set before the first event is taken */
static void (*serves[BULK_TYPES])(int, const struct bulk *);

static struct {
    uint64_t emptied, returned; /* guarded by the progress lock */
} in[NODES_MAX];

static size_t bulk_credit_at(int peer)
{
    return engine.at.credits + (size_t)peer * 64;
}

static size_t bulk_slot_at(int from, uint32_t slot)
{
    return engine.at.bulk + ((size_t)from * engine.at.bulk_slots + slot) * engine.at.bulk_slot_size;
}

static bool bulk_have_credit(void *peer)
{
    int to = (int)(intptr_t)peer;
    /* written by the receiver, one-sidedly */
    _Atomic uint64_t *emptied = engine_control_at(bulk_credit_at(to));
    return atomic_load_explicit(&out[to].sent, memory_order_relaxed) -
               atomic_load_explicit(emptied, memory_order_acquire) <
           engine.at.bulk_slots;
}

static bool bulk_try_send(int to, const struct bulk *msg, bool urgent, struct fabric_op *op)
{
    spin_lock(&out[to].lock);
    bool room = bulk_have_credit((void *)(intptr_t)to);
    if (room) {
        uint32_t slot = (uint32_t)(out[to].sent++ % engine.at.bulk_slots);
        PROBE(bulk_credit);
        size_t len = (sizeof *msg + msg->bytes + 7) & ~(size_t)7;
        /* [bulk.order]: with the lock held */
        msg_event_bulk(to, bulk_slot_at(engine.node, slot), msg, len, slot, urgent, op);
    }
    spin_unlock(&out[to].lock);
    return room;
}

void bulk_send(int to, const struct bulk *msg, bool urgent, struct fabric_op *op)
{
    while (!bulk_try_send(to, msg, urgent, op)) {
        fabric_wake(engine.fabric, to);
        progress_wait((struct waits_wait){ WAITS_ROOM, 0, to }, bulk_have_credit,
                      (void *)(intptr_t)to, WAIT_STATE);
    }
}

static void bulk_return_credit(int from)
{
    in[from].returned = in[from].emptied;
    fabric_write(engine.fabric, from, engine.control.id, bulk_credit_at(engine.node),
                 &in[from].emptied, 8, NULL);
}

void bulk_handle(enum bulk_type type, void (*serve)(int from, const struct bulk *msg))
{
    serves[type] = serve;
}

void bulk_serve(int from, uint32_t slot)
{
    const struct bulk *msg = engine_control_at(bulk_slot_at(from, slot));
    size_t room = engine.at.bulk_slot_size - sizeof *msg;
    if (msg->bytes > room)
        diag_fatal(1,
                   "node %d sent a message of %u bytes, more than the %zu of a slot; do all nodes "
                   "run the same version?",
                   from, msg->bytes, room);
    if (msg->type >= BULK_TYPES || !serves[msg->type])
        diag_fatal(1,
                   "node %d sent a message of unknown type %u; do all nodes run the same version?",
                   from, msg->type);
    struct probe_span span = PROBE_BEGIN(bulk);
    serves[msg->type](from, msg);
    PROBE_END(bulk, span, msg->type, msg->bytes, from);
    in[from].emptied++;
    if (in[from].emptied - in[from].returned >= engine.at.bulk_slots / 4)
        bulk_return_credit(from);
}

void bulk_return_credits(void)
{
    for (int n = 0; n < engine.nodes; n++)
        if (in[n].emptied != in[n].returned)
            bulk_return_credit(n);
}

static void bulk_dump(char *line, size_t len)
{
    for (int n = 0; n < engine.nodes; n++)
        if (!bulk_have_credit((void *)(intptr_t)n))
            dump_append(line, len, "%s %d", line[0] ? "," : "no room for messages at node", n);
}

int bulk_init(void)
{
    dump_add(bulk_dump);
    return 0;
}
