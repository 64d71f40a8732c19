/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* parcel.c - see parcel.h for the invariants. */
#include "hlrc/sync/parcel.h"

#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/barrier.h"

static uint64_t step; /* of this node: one thread of each node calls collectives */

void parcel_reset(void)
{
    step = 0;
}

uint64_t parcel_step(void)
{
    return step;
}

/* In the window of every node. */
static size_t parcel_slot_at(int sender)
{
    return engine.at.parcels + ((size_t)sender * 2 + (step & 1)) * parcel_bytes(engine.nodes);
}

void *parcel_begin(void)
{
    step++;
    return engine_control_at(parcel_slot_at(engine.node));
}

static void sync_parcel_send(int node, size_t len, struct fabric_op *op)
{
    size_t at = parcel_slot_at(engine.node);
    fabric_write(engine.fabric, node, engine.control.id, at, engine_control_at(at), len, op);
}

void parcel_send(int node, size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    struct thread *t = thread_enter();
    sync_parcel_send(node, len, &op);
    fabric_wait(engine.fabric, &op);
    thread_leave(t);
}

void parcel_send_all(size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    struct thread *t = thread_enter();
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node)
            sync_parcel_send(n, len, &op);
    fabric_wait(engine.fabric, &op);
    thread_leave(t);
}

void parcel_meet(enum meeting call)
{
    barrier_arrive(call);
    barrier_depart();
    PROBE(parcel_met);
}

const void *parcel_from(int node)
{
    return engine_control_at(parcel_slot_at(node));
}
