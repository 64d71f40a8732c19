/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diffs_message.c - diffs in messages, which the home's handler applies (--diffs message).
 *
 * The diffs of an interval for one home travel together, in bulk messages (bulk.h). A message is
 * composed in one of the home's staging slots while pages are captured. It is sent when it is full
 * or the interval has been captured. The slots are used in turn, so the next message does not wait
 * for the network.
 *
 * With --check races each diff is followed by the first write of its page. If the vector time has
 * changed, a message with it is sent before the diffs (races.h).
 */
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/page.h"
#include "hlrc/policy/policy_batch.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/races/races.h"

/* One diff in a BULK_DIFFS message; its bytes follow, rounded up to 8. */
struct diffs_message_entry {
    uint32_t page, bytes;
};

static_assert(sizeof(struct diffs_message_entry) == 8, "sent between nodes as raw bytes");
/* With --check races: bytes after each diff. */
#define BEHIND (sizeof(struct first_write))

static_assert(sizeof(struct diffs_message_entry) == POLICY_BATCH_HEAD &&
                  DIFF_MAX == POLICY_BATCH_DIFF && BEHIND == POLICY_BATCH_TAIL &&
                  BULK_PAYLOAD == POLICY_BATCH_MESSAGE,
              "the decision has these sizes");
static_assert(POLICY_BATCH_HEAD + POLICY_BATCH_DIFF + 8 + POLICY_BATCH_TAIL <= POLICY_BATCH_MESSAGE,
              "one diff fits into a message");

/* Written only by flushes, which are serialised [interval.covers-dirty], except `quiet`. */
#define STAGING_MOST (NODES_MAX > STAGING_LEAST ? NODES_MAX : STAGING_LEAST)
static struct fabric_op sending[STAGING_MOST]; /* of each staging slot */
static uint32_t turn[NODES_MAX];               /* of each home's slots, the next one to use */
/* the message being composed for each home; NULL: none */
static struct bulk *open_message[NODES_MAX];
/* the home has diffs that woke no thread [interval.quiet-diffs]; set by flushes */
static _Atomic bool quiet[NODES_MAX];

#define READS      UINT32_MAX /* as the bytes of an entry: a set of reads follows it */
#define TIME_ALONE UINT64_MAX /* as the interval of a message: it has only a vector time */

static bool reads_under_way[NODES_MAX]; /* only used by flushes */

static void diffs_message_serve(int from, const struct bulk *msg);
static void diffs_message_serve_question(struct request *req);

static int diffs_message_init(void)
{
    bulk_handle(BULK_DIFFS, diffs_message_serve);
    msg_handle(REQUEST_SERVED, diffs_message_serve_question);
    return 0;
}

/* [interval.quiet-diffs]. A flag is set after its diffs were sent and before the vector time covers
 * them. The thread that clears it wakes the home. */
static void diffs_message_hand_on(void)
{
    for (int home = 0; home < engine.nodes; home++)
        if (atomic_load_explicit(&quiet[home], memory_order_relaxed) &&
            atomic_exchange(&quiet[home], false))
            fabric_wake(engine.fabric, home); /* after the diffs: [fabric.write-order] */
}

static void diffs_message_met(void)
{
    for (int home = 0; home < engine.nodes; home++)
        atomic_store_explicit(&quiet[home], false, memory_order_relaxed);
}

/* Staging slots of each home. */
static uint32_t diffs_message_slots(void)
{
    return engine.nodes < STAGING_LEAST ? STAGING_LEAST / (uint32_t)engine.nodes : 1;
}

static uint32_t diffs_message_slot(int home)
{
    return (uint32_t)home * diffs_message_slots() + turn[home];
}

static void diffs_message_send(int home, bool urgent)
{
    if (!open_message[home])
        return;
    bulk_send(home, open_message[home], urgent, &sending[diffs_message_slot(home)]);
    turn[home] = (turn[home] + 1) % diffs_message_slots();
    /* After the send: the thread that clears the flag wakes the home after the diff. An urgent
     * message also makes the home serve earlier ones. */
    atomic_store(&quiet[home], !urgent);
    open_message[home] = NULL;
}

static struct diffs_message_entry *diffs_message_next_entry(struct bulk *m)
{
    return (struct diffs_message_entry *)(void *)(m->payload + m->bytes);
}

/* Sends the vector time for the diffs that follow, after those before it. True if it has
 * changed. */
static bool diffs_message_send_time(int home, bool urgent)
{
    static uint64_t words[sizeof(struct bulk) / 8 + NODES_MAX];
    struct bulk *m = (struct bulk *)(void *)words;
    uint64_t *time = words + sizeof *m / 8, *before = races_time_sent(home);
    interval_vt(time);
    if (memcmp(time, before, VT_BYTES(engine.nodes)) == 0)
        return false;
    if (open_message[home] && open_message[home]->bytes > 0)
        diffs_message_send(home, urgent);
    memcpy(before, time, VT_BYTES(engine.nodes));
    *m = (struct bulk){ BULK_DIFFS, (uint32_t)VT_BYTES(engine.nodes), TIME_ALONE };
    bulk_send(home, m, urgent, NULL);
    return true;
}

/* Room for the largest diff in the message for `home`. Sends a full message. */
static void *diffs_message_room(int home, uint64_t interval, bool urgent)
{
    if (first_write_races_checked())
        (void)diffs_message_send_time(home, urgent);
    struct bulk *m = open_message[home];
    if (m && !policy_batch_fits(m->bytes))
        diffs_message_send(home, urgent);
    if (!open_message[home]) {
        uint32_t slot = diffs_message_slot(home);
        fabric_wait(engine.fabric, &sending[slot]);
        m = engine_control_at(engine.at.staging + (size_t)slot * BULK_SLOT_BYTES);
        *m = (struct bulk){ .type = BULK_DIFFS, .interval = interval };
        open_message[home] = m;
    }
    return diffs_message_next_entry(m) + 1;
}

/* If the vector time has risen since diffs_message_room, it is sent before the diff. */
static void diffs_message_renew_time(int home, size_t bytes)
{
    static unsigned char diff[DIFF_MAX];
    uint64_t interval = open_message[home]->interval;
    memcpy(diff, diffs_message_next_entry(open_message[home]) + 1, bytes);
    if (diffs_message_send_time(home, true))
        memcpy(diffs_message_room(home, interval, true), diff, bytes);
}

static void diffs_message_add(int home, uint32_t page, size_t bytes)
{
    if (first_write_races_checked())
        diffs_message_renew_time(home, bytes);
    struct bulk *m = open_message[home];
    struct diffs_message_entry *e = diffs_message_next_entry(m);
    *e = (struct diffs_message_entry){ .page = page, .bytes = (uint32_t)bytes };
    m->bytes += policy_batch_size((uint32_t)bytes);
    if (!first_write_races_checked())
        return;
    struct first_write first = first_write_of(page);
    first.code = races_code(first.code);
    memcpy(m->payload + m->bytes, &first, BEHIND);
    m->bytes += (uint32_t)BEHIND;
}

static void diffs_message_reads(int home, uint64_t interval, bool urgent,
                                const struct reads_set *set)
{
    struct reads_set *out = diffs_message_room(home, interval, urgent);
    struct bulk *m = open_message[home];
    *diffs_message_next_entry(m) =
        (struct diffs_message_entry){ .page = set->page, .bytes = READS };
    *out = *set;
    out->first.code = races_code(set->first.code);
    m->bytes += (uint32_t)(sizeof(struct diffs_message_entry) + sizeof *out);
    reads_under_way[home] = true;
}

/* Messages are served in the order in which they were sent [bulk.order], [fabric.event-order]. */
static void diffs_message_reads_wait(void)
{
    for (int home = 0; home < engine.nodes; home++) {
        if (!reads_under_way[home])
            continue;
        uint32_t token = thread_self()->call_token;
        reads_under_way[home] = false;
        msg_send(msg_compose(token, REQUEST_SERVED, (uint32_t)home), home, false, true);
        msg_wait(token);
    }
}

static void diffs_message_serve_question(struct request *req)
{
    msg_reply(req, 0, 0, NULL);
}

/* [interval.diff-first]. [barrier.diffs-served]: written notices land after the diffs
 * [fabric.write-order], but notices that are read may be faster. */
static void diffs_message_send_all(bool urgent)
{
    for (int home = 0; home < engine.nodes; home++) {
        if (open_message[home] && open_message[home]->bytes == 0)
            open_message[home] = NULL;
        diffs_message_send(home, urgent);
    }
    uint32_t slots = (uint32_t)engine.nodes * diffs_message_slots();
    for (uint32_t k = 0; k < slots && engine.protocol.notices->read; k++)
        fabric_wait(engine.fabric, &sending[k]); /* [barrier.diffs-served] */
}

/* ---- at the home ---- */

static void diffs_message_bad(int from)
{
    diag_fatal(1, "node %d sent a malformed diff; do all nodes run the same version?", from);
}

static uint32_t diffs_message_end_of(uint32_t at, const struct diffs_message_entry *e)
{
    return at + (uint32_t)sizeof *e + ((e->bytes + 7) & ~7u);
}

/* [races.last-writers]: compares the stores that the arriving diff would overwrite. */
static void diffs_message_note_open(uint32_t page)
{
    uint64_t mask[DIFF_MASK_WORDS], time[NODES_MAX];
    interval_vt(time);
    bool stored = page_tracked(page, mask);
    PROBE(open_compared);
    uint64_t next = time[engine.node] + 1; /* [races.last-writers] */
    interval_vt(time);
    if (stored)
        races_note_own(page, next, time, mask);
}

/* [races.last-writers]. False if it is malformed. */
static bool diffs_message_compare(int from, const struct bulk *msg, uint32_t at,
                                  const struct diffs_message_entry *e)
{
    struct first_write first;
    uint64_t mask[DIFF_MASK_WORDS];
    if (msg->bytes < diffs_message_end_of(at, e) + BEHIND || !diff_mask(e + 1, e->bytes, mask))
        return false;
    memcpy(&first, msg->payload + diffs_message_end_of(at, e), BEHIND);
    diffs_message_note_open(e->page);
    races_note(e->page, from, msg->interval, races_time_of(from), first, mask);
    return true;
}

/* [races.last-writers]. Returns its end. */
static uint32_t diffs_message_compare_reads(int from, const struct bulk *msg, uint32_t at)
{
    struct reads_set set;
    at += (uint32_t)sizeof(struct diffs_message_entry);
    if (!first_write_races_checked() || msg->bytes < at + sizeof set)
        diffs_message_bad(from);
    memcpy(&set, msg->payload + at, sizeof set);
    if (set.page >= engine.pages)
        diffs_message_bad(from);
    diffs_message_note_open(set.page);
    races_note_reads(from, msg->interval, races_time_of(from), &set);
    return at + (uint32_t)sizeof set;
}

static void diffs_message_keep_time(int from, const struct bulk *msg)
{
    if (!first_write_races_checked() || msg->bytes != VT_BYTES(engine.nodes))
        diffs_message_bad(from);
    memcpy(races_time_of(from), msg->payload, msg->bytes);
}

/* Applies the diffs of a message. ASSUMPTION: the caller holds the progress lock. */
static void diffs_message_serve(int from, const struct bulk *msg)
{
    if (msg->interval == TIME_ALONE) {
        diffs_message_keep_time(from, msg);
        return;
    }
    for (uint32_t at = 0; at < msg->bytes;) {
        const struct diffs_message_entry *e =
            (const struct diffs_message_entry *)(const void *)(msg->payload + at);
        uint32_t left = msg->bytes - at;
        PROBE(diff_arrived);
        if (left >= sizeof *e && e->bytes == READS) {
            at = diffs_message_compare_reads(from, msg, at);
            continue;
        }
        if (left < sizeof *e || left - sizeof *e < e->bytes || e->page >= engine.pages ||
            (first_write_races_checked() && !diffs_message_compare(from, msg, at, e)) ||
            page_apply(e->page, from, e + 1, e->bytes) != 0)
            diffs_message_bad(from);
        PROBE(diff_applied);
        /* orders the diff's bytes before the version that announces them [interval.applied-last] */
        atomic_store_explicit(engine_applied_here(e->page, from), msg->interval,
                              memory_order_release);
        progress_changed(page_at(e->page));
        if (engine.protocol.pages->applied)
            engine.protocol.pages->applied(e->page);
        at = diffs_message_end_of(at, e) + (first_write_races_checked() ? (uint32_t)BEHIND : 0);
    }
}

const struct parts_diff diffs_by_message = {
    .caps = FABRIC_WRITE_IMM,
    .init = diffs_message_init,
    .room = diffs_message_room,
    .add = diffs_message_add,
    .send = diffs_message_send_all,
    .hand_on = diffs_message_hand_on,
    .met = diffs_message_met,
    .reads = diffs_message_reads,
    .reads_wait = diffs_message_reads_wait,
};
