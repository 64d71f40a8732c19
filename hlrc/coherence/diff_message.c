/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff_message.c - diffs in messages, which the home's handler applies (--diffs handler).
 *
 * The diffs of an interval for one home travel together, in bulk messages (bulk.h): a message is
 * composed in the home's staging slot while pages are captured, and sent when it is full or the
 * interval has been captured. I3, I4, I7 and I9 are of interval.h.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "base/perturb.h"
#include "hlrc/engine.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/page.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/progress.h"

/* One diff in a BULK_DIFFS message; its bytes follow, rounded up to 8. */
struct diff_entry {
    uint32_t page, bytes;
};

static_assert(sizeof(struct diff_entry) == 8, "it travels between nodes as it is");
static_assert(sizeof(struct diff_entry) + DIFF_MAX + 8 <= BULK_PAYLOAD,
              "one diff fits into a message");

/* All but `quiet` by closings alone, which are serialised (I1). */
static struct fabric_op sending[NODES_MAX]; /* of the staging slot of each home */
/* the message being composed for each home, NULL none */
static struct bulk *open_message[NODES_MAX];
/* the home has diffs that woke no thread (I7); set by closings */
static _Atomic bool quiet[NODES_MAX];

static void serve_diffs(int from, const struct bulk *msg);

static int message_init(void)
{
    bulk_handle(BULK_DIFFS, serve_diffs);
    return 0;
}

/* I7. A flag is set after its diffs were sent and before the vector time covers them; the thread
 * that takes it away wakes. */
static void message_hand_on(void)
{
    for (int home = 0; home < engine.nodes; home++)
        if (atomic_load_explicit(&quiet[home], memory_order_relaxed) &&
            atomic_exchange(&quiet[home], false))
            fabric_wake(engine.fabric, home); /* behind the diffs: fabric.h F1 */
}

static void message_met(void)
{
    for (int home = 0; home < engine.nodes; home++)
        atomic_store_explicit(&quiet[home], false, memory_order_relaxed);
}

static void message_send(int home, bool urgent)
{
    if (!open_message[home])
        return;
    bulk_send(home, open_message[home], urgent, &sending[home]);
    /* after it: who takes the flag away wakes behind the diff. An urgent message brings those
     * before it to light. */
    atomic_store(&quiet[home], !urgent);
    open_message[home] = NULL;
}

static struct diff_entry *next_entry(struct bulk *m)
{
    return (struct diff_entry *)(void *)(m->payload + m->bytes);
}

/* Room for the largest diff in the message for `home`; sends a full one. */
static void *message_room(int home, uint64_t interval, bool urgent)
{
    struct bulk *m = open_message[home];
    if (m && m->bytes + sizeof(struct diff_entry) + DIFF_MAX + 8 > BULK_PAYLOAD)
        message_send(home, urgent);
    if (!open_message[home]) {
        fabric_wait(engine.fabric, &sending[home]);
        m = control_at(engine.at.staging + (size_t)home * BULK_SLOT_BYTES);
        *m = (struct bulk){ .type = BULK_DIFFS, .interval = interval };
        open_message[home] = m;
    }
    return next_entry(m) + 1;
}

static void message_add(int home, uint32_t page, size_t bytes)
{
    struct bulk *m = open_message[home];
    struct diff_entry *e = next_entry(m);
    *e = (struct diff_entry){ .page = page, .bytes = (uint32_t)bytes };
    m->bytes += (uint32_t)(sizeof *e + ((bytes + 7) & ~(size_t)7));
}

/* I4. I9: notices that are written come behind the diffs (fabric.h F1), but who reads them may be
 * faster. */
static void message_send_all(bool urgent)
{
    for (int home = 0; home < engine.nodes; home++) {
        if (open_message[home] && open_message[home]->bytes == 0)
            open_message[home] = NULL;
        message_send(home, urgent);
    }
    for (int home = 0; home < engine.nodes && engine.protocol.notices->read; home++)
        fabric_wait(engine.fabric, &sending[home]); /* I9 */
}

/* ---- at the home ---- */

static void bad_message(int from)
{
    diag_fatal(1, "node %d sent a malformed diff; do all nodes run the same version?", from);
}

/* Applies the diffs of a message. ASSUMPTION: the caller holds the progress lock. */
static void serve_diffs(int from, const struct bulk *msg)
{
    for (uint32_t at = 0; at < msg->bytes;) {
        const struct diff_entry *e = (const struct diff_entry *)(const void *)(msg->payload + at);
        uint32_t left = msg->bytes - at;
        perturb(diff_arrived);
        if (left < sizeof *e || left - sizeof *e < e->bytes || e->page >= engine.pages ||
            page_apply(e->page, from, e + 1, e->bytes) != 0)
            bad_message(from);
        perturb(diff_applied);
        /* orders the diff's bytes before the version that says they are there (I3) */
        atomic_store_explicit(applied_here(e->page, from), msg->interval, memory_order_release);
        progress_changed(page_at(e->page));
        if (engine.protocol.pages->applied)
            engine.protocol.pages->applied(e->page);
        at += (uint32_t)(sizeof *e + ((e->bytes + 7) & ~7u));
    }
}

const struct diff_protocol diffs_by_message = {
    .name = "handler",
    .caps = FABRIC_WRITE_IMM,
    .served = true,
    .init = message_init,
    .room = message_room,
    .add = message_add,
    .send = message_send_all,
    .hand_on = message_hand_on,
    .met = message_met,
};
