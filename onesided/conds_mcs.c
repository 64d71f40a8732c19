/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conds_mcs.c - condition variables by remote operations (--locks mcs), in which no remote CPU
 * takes part; see cond.h for the invariants.
 *
 * The record of a condition variable lies at its home: a queue that guards the record (mcs.h), and
 * the names of the first and the last waiter. Each waiter has a queue node, in which its successor
 * writes its name. It is woken in the same way as a lock waiter.
 *
 * Invariants
 *   [conds-mcs.guarded] A node that reads or changes a record, or the successor of a registered
 *       waiter, holds its guard, and releases it after all its writes are complete: the next node
 *       finds a consistent list.
 *       - A waiter is granted by the node that took it off the list, after that node released the
 *         guard and read the successor's name: from then on the queue node belongs to the waiter
 *         again.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "hlrc/core/engine.h"
#include "hlrc/core/parts.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/cond.h"
#include "hlrc/sync/mcs.h"

struct conds_mcs_record {
    uint64_t guard;       /* tail of a queue */
    uint64_t first, last; /* names of waiters; 0, 0: none */
};

/* The part that is read and written, in the space for a vector time of the guard's queue node. */
struct conds_mcs_list {
    uint64_t first, last;
};

static_assert(sizeof(struct conds_mcs_list) ==
                  sizeof(struct conds_mcs_record) - offsetof(struct conds_mcs_record, first),
              "they are sent together");
static_assert(sizeof(struct conds_mcs_record) <= COND_RECORD_BYTES,
              "it fits the space reserved in the layout");

static int conds_mcs_init(uint32_t conds)
{
    (void)conds;
    return 0;
}

static void conds_mcs_end(void)
{
}

static struct mcs conds_mcs_guard_of(uint32_t cond)
{
    return (struct mcs){
        .home = (int)(cond % (uint32_t)engine.nodes),
        .at = engine.at.cond_records + (size_t)(cond / (uint32_t)engine.nodes) * COND_RECORD_BYTES,
        .what = WAITS_COND_RECORD,
        .next = WAITS_COND_NEXT,
        .object = cond,
    };
}

static struct conds_mcs_list conds_mcs_read_list(const struct mcs *guard, uint32_t k)
{
    struct fabric_op op = FABRIC_OP_INIT;
    struct conds_mcs_list *room = (struct conds_mcs_list *)(void *)mcs_time(k);
    fabric_read(engine.fabric, guard->home, engine.control.id,
                guard->at + offsetof(struct conds_mcs_record, first), room, sizeof *room, &op);
    fabric_wait(engine.fabric, &op);
    return *room;
}

/* [conds-mcs.guarded]: returns after the write is complete. */
static void conds_mcs_write_words(int node, size_t at, const void *from, size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_write(engine.fabric, node, engine.control.id, at, from, bytes, &op);
    fabric_wait(engine.fabric, &op);
}

static void conds_mcs_write_list(const struct mcs *guard, const struct conds_mcs_list *list)
{
    conds_mcs_write_words(guard->home, guard->at + offsetof(struct conds_mcs_record, first), list,
                          sizeof *list);
}

/* The successor of this waiter. ASSUMPTION: it is not the last. */
static uint64_t conds_mcs_next_of(uint64_t name, uint32_t k)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t *room = mcs_time(k);
    fabric_read(engine.fabric, mcs_name_node(name), engine.control.id, mcs_name_next(name), room,
                sizeof *room, &op);
    fabric_wait(engine.fabric, &op);
    return *room;
}

static uint32_t conds_mcs_enter(uint32_t cond)
{
    struct mcs guard = conds_mcs_guard_of(cond);
    uint32_t mine = mcs_take_node(), k = mcs_take_node();
    uint64_t name = mcs_name(mine);
    mcs_acquire(&guard, k);
    struct conds_mcs_list list = conds_mcs_read_list(&guard, k);
    if (list.last)
        conds_mcs_write_words(mcs_name_node(list.last), mcs_name_next(list.last), &name,
                              sizeof name);
    else
        list.first = name;
    list.last = name;
    conds_mcs_write_list(&guard, &list); /* [cond.registered-first] */
    mcs_release(&guard, k, NULL);
    return mine;
}

static bool conds_mcs_signalled(uint32_t place)
{
    return mcs_granted(place);
}

static uint64_t conds_mcs_await_signal(uint32_t cond, uint32_t place, uint64_t *vt)
{
    mcs_await(place, (struct waits_wait){ WAITS_SIGNAL, cond, 0 });
    for (int w = 0; w < engine.nodes; w++)
        vt[w] = mcs_time(place)[w];
    mcs_give_node(place);
    return probe_on & (PROBE_TIMELINE | PROBE_PROFILE) ? 0 : probe_self()->granted;
}

/* Takes the first waiter off the list, or all. */
static struct conds_mcs_list conds_mcs_unlink_waiters(uint32_t cond, bool all)
{
    struct mcs guard = conds_mcs_guard_of(cond);
    uint32_t k = mcs_take_node();
    mcs_acquire(&guard, k);
    struct conds_mcs_list found = conds_mcs_read_list(&guard, k), left = { 0, 0 };
    if (found.first && !all && found.first != found.last) {
        left = (struct conds_mcs_list){ conds_mcs_next_of(found.first, k), found.last };
        found.last = found.first;
    }
    if (found.first)
        conds_mcs_write_list(&guard, &left);
    mcs_release(&guard, k, NULL); /* [conds-mcs.guarded] */
    return found;
}

static void conds_mcs_signal(uint32_t cond, bool all, const uint64_t *vt, uint64_t told)
{
    struct conds_mcs_list woken = conds_mcs_unlink_waiters(cond, all);
    uint32_t k = mcs_take_node();
    while (woken.first) {
        uint64_t name = woken.first;
        woken.first = name == woken.last ? 0 : conds_mcs_next_of(name, k); /* [conds-mcs.guarded] */
        cond_count(1); /* [deadlock.in-transit] */
        struct probe_span span = PROBE_BEGIN(cond_pass);
        uint64_t number = mcs_grant(name, vt, told);
        PROBE_END(cond_pass, span, cond, mcs_name_node(name), number);
    }
    cond_count(-1); /* [deadlock.in-transit] */
    mcs_give_node(k);
}

const struct parts_cond conds_by_mcs = {
    .init = conds_mcs_init,
    .end = conds_mcs_end,
    .enter = conds_mcs_enter,
    .signalled = conds_mcs_signalled,
    .await = conds_mcs_await_signal,
    .signal = conds_mcs_signal,
};
