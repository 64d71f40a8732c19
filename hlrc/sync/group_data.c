/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * group_data.c - broadcasts and reductions of a group. Each step ends with a barrier of the group.
 *
 * In a broadcast the root writes a piece of its data to all other members. In a reduction GROUP_FAN
 * members at a time send their values to the first of them, which combines them. The first members
 * do the same with each other, until the first member of the group has the result and broadcasts
 * it. Data that does not fit into a slot is sent in pieces.
 *
 * Invariants
 *   - A member enters the barrier of a step after its slots are in their receivers' memory, since
 *     the word that reports its arrival may come through a third member [fabric.target-order].
 *   - There are two sets of slots, by parity of the step, which all members count alike. A slot is
 *     written again in step k + 2, after the barrier of step k + 1, which all members enter with
 *     their slots of step k read.
 *   - In which order values are combined depends on the number of members only. All members get the
 *     bits of the first one.
 */
#include <errno.h>
#include <hlrc.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/combine.h"
#include "hlrc/sync/group.h"

/* Of a slot, before its data: the arguments of the sender's call. */
struct group_data_head {
    uint64_t step, count; /* values, or bytes of a broadcast */
    uint32_t what;        /* type + 1 and operation of a reduction, or the root of a broadcast */
    char pad[12];
};

#define GROUP_DATA_BYTES (GROUP_DATA_SLOT - sizeof(struct group_data_head))
static_assert(sizeof(struct group_data_head) % 16 == 0, "values after it are aligned");

/* A call under way. */
struct group_data {
    struct group *g;
    uint32_t number;
    const char *call;
    struct group_data_head head;
};

static size_t group_data_slot_at(const struct group_data *d, int sender)
{
    size_t parity = (size_t)(d->head.step & 1);
    return group_data_at(d->number) + (parity * GROUP_FAN + (size_t)sender) * GROUP_DATA_SLOT;
}

static void group_data_begin(struct group_data *d)
{
    d->head.step = ++d->g->step;
}

/* Stages the data in this node's own slot of that number. May fault: no engine lock is held. */
static void group_data_pack(const struct group_data *d, int sender, const void *data, size_t len)
{
    char *slot = engine_control_at(group_data_slot_at(d, sender));
    memcpy(slot, &d->head, sizeof d->head);
    if (len)
        memcpy(slot + sizeof d->head, data, len);
}

static void group_data_write(const struct group_data *d, int sender, int member, size_t len,
                             struct fabric_op *op)
{
    size_t at = group_data_slot_at(d, sender);
    fabric_window_require(engine.fabric, d->g->nodes[member], engine.control.id,
                          group_data_at(d->number), GROUP_DATA_ROOM);
    fabric_write(engine.fabric, d->g->nodes[member], engine.control.id, at, engine_control_at(at),
                 sizeof d->head + len, op);
}

/* What the sender of this number sent; checks that it made the same call. */
static const char *group_data_from(const struct group_data *d, int sender)
{
    const char *slot = engine_control_at(group_data_slot_at(d, sender));
    if (memcmp(slot, &d->head, sizeof d->head) != 0)
        diag_fatal(1,
                   "%s here, but not the same call on another node of group %u; all nodes of a "
                   "group make the same calls in the same order, with the same arguments",
                   d->call, d->number);
    return slot + sizeof d->head;
}

/* One step: the root's data to all members. */
static void group_data_spread(struct group_data *d, int root, void *data, size_t len)
{
    group_data_begin(d);
    if (d->g->pairs.self == root) {
        struct fabric_op op = FABRIC_OP_INIT;
        group_data_pack(d, 0, data, len);
        struct thread *t = thread_enter();
        for (int m = 0; m < d->g->pairs.count; m++)
            if (m != root)
                group_data_write(d, 0, m, len, &op);
        fabric_wait(engine.fabric, &op);
        thread_leave(t);
    }
    group_meet(d->g, d->number);
    if (d->g->pairs.self != root) {
        const char *got = group_data_from(d, 0);
        if (len)
            memcpy(data, got, len);
    }
}

/* One step: of the members whose number is a multiple of `stride`, GROUP_FAN at a time send their
 * values to the first of them. */
static void group_data_gather(struct group_data *d, int stride, hlrc_type type, hlrc_op op,
                              char *values, size_t n)
{
    int self = d->g->pairs.self, digit = self / stride % GROUP_FAN;
    size_t len = n * combine_bytes(type);
    group_data_begin(d);
    if (self % stride == 0 && digit > 0) {
        struct fabric_op done = FABRIC_OP_INIT;
        group_data_pack(d, digit, values, len);
        struct thread *t = thread_enter();
        group_data_write(d, digit, self - digit * stride, len, &done);
        fabric_wait(engine.fabric, &done);
        thread_leave(t);
    }
    group_meet(d->g, d->number);
    if (self % stride == 0 && digit == 0)
        for (int i = 1; i < GROUP_FAN && self + i * stride < d->g->pairs.count; i++)
            combine(type, op, values, group_data_from(d, i), n);
}

static void group_data_reduce_piece(struct group_data *d, hlrc_type type, hlrc_op op,
                                    const char *in, char *out, size_t n)
{
    _Alignas(16) char values[GROUP_DATA_BYTES];
    size_t len = n * combine_bytes(type);
    if (len)
        memcpy(values, in, len);
    for (int stride = 1; stride < d->g->pairs.count; stride *= GROUP_FAN)
        group_data_gather(d, stride, type, op, values, n);
    group_data_spread(d, 0, values, len);
    if (len)
        memcpy(out, values, len);
}

static int group_data_member_of(const struct group *g, int node)
{
    int m = g->pairs.count - 1;
    while (m >= 0 && g->nodes[m] != node)
        m--;
    return m;
}

int hlrc_group_broadcast(hlrc_group_t group, void *buf, size_t len, int root)
{
    struct group *g = group_enter("hlrc_group_broadcast", group);
    if (len)
        call_check_given("hlrc_group_broadcast", "buf", buf);
    int member = group_data_member_of(g, root);
    if (member >= 0) {
        struct group_data d = { .g = g, .number = group.id, .call = "hlrc_group_broadcast" };
        struct probe_span span = PROBE_BEGIN(group_barrier);
        size_t at = 0;
        d.head.count = len;
        d.head.what = (uint32_t)member;
        do { /* also for no bytes at all: it orders memory */
            size_t n = len - at < GROUP_DATA_BYTES ? len - at : GROUP_DATA_BYTES;
            group_data_spread(&d, member, n ? (char *)buf + at : NULL, n);
            at += n;
        } while (at < len);
        PROBE_END(group_barrier, span, group.id);
    }
    group_leave(g);
    return member >= 0 ? 0 : -EINVAL;
}

int hlrc_group_reduce(hlrc_group_t group, const void *in, void *out, size_t count, hlrc_type type,
                      hlrc_op op)
{
    if (count) {
        call_check_given("hlrc_group_reduce", "in", in);
        call_check_given("hlrc_group_reduce", "out", out);
    }
    struct group *g = group_enter("hlrc_group_reduce", group);
    bool known = combine_knows(type, op);
    if (known) {
        struct group_data d = { .g = g, .number = group.id, .call = "hlrc_group_reduce" };
        struct probe_span span = PROBE_BEGIN(group_barrier);
        size_t bytes = combine_bytes(type), room = GROUP_DATA_BYTES / bytes, done = 0;
        d.head.count = count;
        d.head.what = ((uint32_t)type + 1) << 16 | (uint32_t)op;
        do {
            size_t n = count - done < room ? count - done : room, at = done * bytes;
            group_data_reduce_piece(&d, type, op, n ? (const char *)in + at : NULL,
                                    n ? (char *)out + at : NULL, n);
            done += n;
        } while (done < count);
        PROBE_END(group_barrier, span, group.id);
    }
    group_leave(g);
    return known ? 0 : -EINVAL;
}
