/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.c - see group.h for the invariants. */
#include "hlrc/sync/group.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/race.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/recorder.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/report/deadlock_collect.h"

static struct group *groups;         /* by number; touched where this node is a member */
static _Atomic bool making;          /* held by one thread, which owns the two below */
static uint64_t invited;             /* invitation rounds sent by this node */
static uint64_t accepted[NODES_MAX]; /* by node: its last invitation that was answered */
static spin_lock_word freed_lock;    /* guards the next three */
static uint32_t given;               /* numbers assigned by this node so far */
/* Numbers of this node whose groups were freed, with the next epoch of each. */
static struct group_freed {
    uint32_t number;
    uint64_t epoch;
} freed[HLRC_MAX_GROUPS];
static uint32_t freed_count;
/* For reports: the groups of this node, and their number; and the word that hlrc_group_create
 * waits for. The groups are guarded by freed_lock where they are written, the word by `making`. */
static _Atomic uint32_t joined[REPORT_MEETINGS];
static _Atomic uint32_t joined_count;
static struct group_awaited {
    _Atomic size_t at;
    _Atomic uint64_t last; /* its value before, or the awaited one */
} awaited;

static size_t group_count(void)
{
    return (size_t)engine.nodes * HLRC_MAX_GROUPS;
}

static void group_report_groups(struct report_draft *d);

int group_init(void)
{
    atomic_store(&making, false);
    given = 0;
    freed_count = 0;
    invited = 0;
    memset(accepted, 0, sizeof accepted);
    atomic_store(&joined_count, 0);
    deadlock_collect_reporter_add(group_report_groups);
    groups = reserve(group_count() * sizeof *groups);
    return groups ? 0 : -ENOMEM;
}

void group_end(void)
{
    reserve_end(groups, group_count() * sizeof *groups);
    groups = NULL;
}

/* ---- the members agree on a number ---- */

/* In the invited node's window, written by the inviting node; an invitation follows. */
static size_t group_invitation_at(int from)
{
    return engine.at.invitations + (size_t)from * group_invitation_place(engine.nodes);
}

/* In the inviting node's window, written by the answering node. */
static size_t group_answer_at(int from)
{
    return engine.at.answers_of_members + (size_t)from * 64;
}

static bool group_is_later(void *arg)
{
    const struct group_awaited *a = arg;
    _Atomic uint64_t *word = engine_control_at(atomic_load(&a->at));
    return atomic_load_explicit(word, memory_order_acquire) > atomic_load(&a->last);
}

/* Waits until a word in this node's window is larger than `last`. */
static void group_await_word(enum waits what, int node, size_t at, uint64_t last)
{
    atomic_store(&awaited.at, at);
    atomic_store(&awaited.last, last);
    progress_wait((struct waits_wait){ what, 0, node }, group_is_later, &awaited, WAIT_STATE);
}

/* A report that is made at the same time may miss a group, or have it twice. */
static void group_report_add(uint32_t number)
{
    spin_lock(&freed_lock);
    uint32_t count = atomic_load(&joined_count);
    if (count < REPORT_MEETINGS) {
        joined[count] = number;
        atomic_store(&joined_count, count + 1);
    }
    spin_unlock(&freed_lock);
}

static void group_report_drop(uint32_t number)
{
    spin_lock(&freed_lock);
    uint32_t count = atomic_load(&joined_count), i = 0;
    while (i < count && joined[i] != number)
        i++;
    if (i < count) {
        joined[i] = joined[count - 1];
        atomic_store(&joined_count, count - 1);
    }
    spin_unlock(&freed_lock);
}

static void group_report_groups(struct report_draft *d)
{
    for (uint32_t i = 0, n = atomic_load(&joined_count); i < n; i++)
        pairs_report(d, joined[i], &groups[joined[i]].pairs);
    for (unsigned i = 0; i < d->head.waits; i++)
        if (d->waits[i].what == WAITS_MEMBER || d->waits[i].what == WAITS_INVITATION)
            d->waits[i].over = group_is_later(&awaited);
}

/* Writes a word that may end a sleep of another node, which waits for it in the same call. */
static void group_tell(int node, size_t at, uint64_t word)
{
    fabric_write(engine.fabric, node, engine.control.id, at, &word, sizeof word, NULL);
    fabric_wake(engine.fabric, node);
}

/* At the lowest member. */
static void group_invite(const struct group_invitation *in)
{
    uint64_t number = ++invited;
    for (uint32_t i = 0; i < in->count; i++) {
        int node = in->nodes[i];
        if (node == engine.node)
            continue;
        fabric_write_copied(engine.fabric, node, engine.control.id,
                            group_invitation_at(engine.node) + 8, in,
                            group_invitation_bytes((int)in->count));
        PROBE(group_inviting);
        group_tell(node, group_invitation_at(engine.node),
                   number); /* after the list: [fabric.write-order] */
    }
    for (uint32_t i = 0; i < in->count; i++) {
        if (in->nodes[i] != engine.node)
            group_await_word(WAITS_MEMBER, in->nodes[i], group_answer_at(in->nodes[i]), number - 1);
    }
}

static const char *group_describe(const struct group_invitation *in, char *buf, size_t len)
{
    size_t at = 0;
    for (uint32_t i = 0; i < in->count && at + 1 < len; i++) {
        int n = snprintf(buf + at, len - at, "%s%d", i ? ", " : "", (int)in->nodes[i]);
        at += n > 0 ? (size_t)n : 0;
    }
    return buf;
}

/* At the others: waits for the invitation, takes the number from it, and answers. */
static void group_accept_from(int lowest, struct group_invitation *mine)
{
    char here[120], there[120];
    size_t at = group_invitation_at(lowest);
    group_await_word(WAITS_INVITATION, lowest, at, accepted[lowest]);
    const struct group_invitation *in = engine_control_at(at + 8);
    if (in->count != mine->count ||
        memcmp(in->nodes, mine->nodes, mine->count * sizeof mine->nodes[0]) != 0)
        diag_fatal(1,
                   "hlrc_group_create(%s) here, but (%s) on node %d; the nodes of a group pass the "
                   "same list, and create groups in the same order",
                   group_describe(mine, here, sizeof here), group_describe(in, there, sizeof there),
                   lowest);
    mine->group = in->group;
    mine->epoch = in->epoch;
    accepted[lowest] = atomic_load((_Atomic uint64_t *)engine_control_at(at));
    PROBE(group_answering);
    group_tell(lowest, group_answer_at(engine.node), accepted[lowest]);
}

/* ---- making a group ---- */

/* The list as an invitation without a number; -EINVAL if it is invalid or lacks this node. */
static int group_check_list(const int *nodes, int count, struct group_invitation *out)
{
    bool listed[NODES_MAX] = { false };
    if (count < 1 || count > engine.nodes)
        return -EINVAL;
    *out = (struct group_invitation){ .count = (uint32_t)count, .group = GROUP_NONE };
    for (int i = 0; i < count; i++) {
        int node = nodes[i];
        if (node < 0 || node >= engine.nodes || listed[node])
            return -EINVAL;
        listed[node] = true;
        out->nodes[i] = node;
    }
    return listed[engine.node] ? 0 : -EINVAL;
}

static int group_lowest_of(const struct group_invitation *in)
{
    int32_t lowest = in->nodes[0];
    for (uint32_t i = 1; i < in->count; i++)
        lowest = in->nodes[i] < lowest ? in->nodes[i] : lowest;
    return lowest;
}

static size_t group_slots_at(uint32_t number)
{
    return engine.at.group_slots +
           (size_t)number * pairs_slots(engine.nodes) * engine.at.meeting_slot_size;
}

size_t group_data_at(uint32_t number)
{
    return engine.at.group_data + (size_t)number * GROUP_DATA_ROOM;
}

/* Sets up this node's part of a group of known number. */
static void group_set_up(const struct group_invitation *in)
{
    struct group *g = &groups[in->group];
    for (int i = 0; atomic_load_explicit(&g->busy, memory_order_acquire); i++)
        spin_pause(i); /* [group.number-again] */
    g->pairs = (struct pairs){
        .nodes = g->nodes,
        .count = (int)in->count,
        .slots = group_slots_at(in->group),
        .first = in->epoch,
        .epoch = in->epoch,
    };
    g->step = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        g->nodes[i] = in->nodes[i];
        if (in->nodes[i] == engine.node)
            g->pairs.self = (int)i;
    }
    pairs_prepare(&g->pairs);
    fabric_window_prepare(engine.fabric, engine.control.id, group_data_at(in->group),
                          GROUP_DATA_ROOM);
    group_report_add(in->group);
    atomic_store_explicit(&g->made, true, memory_order_release);
}

/* At the lowest member. */
static void group_number_take(struct group_invitation *in)
{
    spin_lock(&freed_lock);
    if (freed_count) {
        struct group_freed again = freed[--freed_count];
        in->group = again.number;
        in->epoch = again.epoch;
    } else if (given < HLRC_MAX_GROUPS) {
        in->group = (uint32_t)engine.node * HLRC_MAX_GROUPS + given++;
    }
    spin_unlock(&freed_lock);
}

/* [group.number-again] */
static void group_number_give(uint32_t number, uint64_t epoch)
{
    if (number / HLRC_MAX_GROUPS != (uint32_t)engine.node)
        return;
    spin_lock(&freed_lock);
    freed[freed_count++] = (struct group_freed){ number, epoch };
    spin_unlock(&freed_lock);
}

static bool group_is_not_making(void *arg)
{
    (void)arg;
    return !atomic_load(&making);
}

static int group_make(struct group_invitation *in)
{
    int lowest = group_lowest_of(in);
    while (atomic_exchange(&making, true))
        progress_await((struct waits_wait){ WAITS_MAKING, 0, 0 }, &making, group_is_not_making,
                       NULL);
    if (lowest != engine.node) {
        group_accept_from(lowest, in);
    } else {
        group_number_take(in);
        group_invite(in);
    }
    if (in->group != GROUP_NONE)
        group_set_up(in);
    atomic_store(&making, false);
    progress_changed(&making);
    return in->group != GROUP_NONE ? 0 : -ENOMEM;
}

/* For --trace-sim. */
static void group_record_of(const struct group_invitation *in)
{
    for (uint32_t i = 0; i < in->count; i++)
        PROBE(group_member, in->group, in->nodes[i], in->count - 1 - i);
}

int hlrc_group_create(const int *nodes, int count, hlrc_group_t *group)
{
    call_check("hlrc_group_create");
    if (count > 0)
        call_check_given("hlrc_group_create", "nodes", nodes);
    call_check_given("hlrc_group_create", "group", group);
    struct group_invitation in;
    int rc = group_check_list(nodes, count, &in);
    if (rc)
        return rc;
    struct probe_span span = PROBE_BEGIN(barrier_call);
    struct thread *t = thread_enter();
    rc = group_make(&in);
    thread_leave(t);
    if (rc == 0 && probe_records())
        group_record_of(&in);
    PROBE_END(barrier_call, span);
    if (rc == 0)
        *group = (hlrc_group_t){ in.group };
    return rc;
}

/* ---- the calls of a group ---- */

struct group *group_enter(const char *call, hlrc_group_t group)
{
    call_check(call);
    struct group *g = group.id < group_count() ? &groups[group.id] : NULL;
    if (!g || !atomic_load_explicit(&g->made, memory_order_acquire))
        diag_fatal(1,
                   "%s(%u): no such group; use one that hlrc_group_create returned for a list with "
                   "this node",
                   call, group.id);
    if (atomic_exchange(&g->busy, true))
        diag_fatal(1,
                   "%s(%u): another thread of this node is in a call of this group; call it from "
                   "one thread of each node",
                   call, group.id);
    return g;
}

void group_leave(struct group *g)
{
    atomic_store_explicit(&g->busy, false, memory_order_release);
}

static void group_meet_others(struct group *g, uint32_t number)
{
    uint64_t vt[NODES_MAX];
    struct thread *t = thread_enter();
    interval_close(true);
    interval_hand_on(vt);
    PROBE(barrier_arriving);
    pairs_begin(&g->pairs, vt, ARRIVAL_WAITS, MEETING_BARRIER);
    pairs_end(&g->pairs, WAITS_GROUP, number);
    PROBE(barrier_released);
    progress_settle(); /* diffs applied already need no revocation */
    interval_acquire(g->pairs.vt, OCCASION_MEETING);
    thread_leave(t);
}

void group_meet(struct group *g, uint32_t number)
{
    race_release();
    if (g->pairs.count > 1)
        group_meet_others(g, number);
    race_acquire();
}

void hlrc_group_barrier(hlrc_group_t group)
{
    struct group *g = group_enter("hlrc_group_barrier", group);
    struct probe_span span = PROBE_BEGIN(group_barrier);
    group_meet(g, group.id);
    PROBE_END(group_barrier, span, group.id); /* after the flush */
    group_leave(g);
}

void hlrc_group_free(hlrc_group_t group)
{
    struct group *g = group_enter("hlrc_group_free", group);
    struct probe_span span = PROBE_BEGIN(group_barrier);
    group_meet(g, group.id);
    PROBE_END(group_barrier, span, group.id);
    atomic_store(&g->made, false);
    group_report_drop(group.id);
    group_number_give(group.id, g->pairs.epoch);
    group_leave(g);
}
