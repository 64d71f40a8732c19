/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deadlock_collect.c - see deadlock_collect.h. */
#include "hlrc/report/deadlock_collect.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/tasks.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/wait_tracker.h"
#include "hlrc/progress/thread.h"

static void (*parts[REPORT_PARTS])(struct report_draft *);
static unsigned count;

/* Takes memory only from the first report on. */
static struct report_draft draft;
static union {
    struct report head;
    char bytes[sizeof(struct report_draft)];
} packed;

void deadlock_collect_reporter_add(void (*part)(struct report_draft *))
{
    if (count == REPORT_PARTS)
        diag_fatal(1, "more than %d parts of a report; raise REPORT_PARTS", REPORT_PARTS);
    parts[count++] = part;
}

void deadlock_collect_reporter_end(void)
{
    count = 0;
}

void deadlock_collect_add_held(struct report_draft *d, uint32_t lock, uint32_t thread)
{
    if (d->head.held < REPORT_HELD)
        d->held[d->head.held++] = (struct report_held){ lock, thread };
}

void deadlock_collect_add_meeting(struct report_draft *d, struct report_meeting meeting)
{
    if (d->head.meetings < REPORT_MEETINGS)
        d->meetings[d->head.meetings++] = meeting;
}

/* Digest of the current waits, by the instants at which they began. */
static uint64_t deadlock_collect_waits_epoch(void)
{
    uint64_t epoch = DIGEST_START;
    struct wait_tracker_note note;
    for (uint32_t i = 0; i < thread_max() - THREADS_OWN; i++) {
        if (!wait_tracker_read(probe_slot(i), &note))
            continue;
        epoch = digest_add(epoch, &note.since, sizeof note.since);
        epoch = digest_add(epoch, &i, sizeof i);
    }
    return epoch;
}

/* Adds one thread. True if it has waited long enough. */
static bool deadlock_collect_add_wait(struct report_draft *d, const struct thread *t, int64_t now)
{
    struct wait_tracker_note note;
    struct report_wait w = { .thread = (uint16_t)t->index };
    if (wait_tracker_read(&t->probe, &note)) {
        w.what = (uint8_t)note.what.what;
        w.node = note.what.node;
        w.object = note.what.object;
        w.ms = (uint64_t)(now - note.since) / 1000000;
    }
    d->waits[d->head.waits++] = w;
    return w.what != WAITS_NOTHING && w.ms >= REPORT_STILL_MS;
}

static void deadlock_collect_add_threads(struct report_draft *d)
{
    int64_t now = clock_ns();
    bool still = true;
    for (uint32_t i = 0; i < thread_max() - THREADS_OWN && i < REPORT_WAITS; i++)
        if (atomic_load(&thread_slot(i)->probe.taken))
            still = deadlock_collect_add_wait(d, thread_slot(i), now) && still;
    int strangers = tasks_others() - d->head.waits;
    d->head.strangers = (uint16_t)(strangers > 0 ? strangers : 0);
    d->head.still = still && strangers == 0;
}

static void deadlock_collect_append(const void *from, size_t bytes)
{
    memcpy(packed.bytes + packed.head.bytes, from, bytes);
    packed.head.bytes += (uint32_t)bytes;
}

const struct report *deadlock_collect_reporter_make(uint32_t number)
{
    struct report_draft *d = &draft;
    memset(&d->head, 0, sizeof d->head);
    d->head.number = number;
    d->head.node = (uint16_t)engine.node;
    d->head.epoch = deadlock_collect_waits_epoch();
    deadlock_collect_add_threads(d);
    for (unsigned i = 0; i < count; i++)
        parts[i](d);
    atomic_thread_fence(memory_order_seq_cst); /* orders the parts before the second reading */
    d->head.still = d->head.still && deadlock_collect_waits_epoch() == d->head.epoch;
    d->head.epoch = digest_add(d->head.epoch, &d->head.signals, sizeof d->head.signals);
    packed.head = d->head;
    packed.head.bytes = sizeof packed.head;
    deadlock_collect_append(d->waits, d->head.waits * sizeof d->waits[0]);
    deadlock_collect_append(d->held, d->head.held * sizeof d->held[0]);
    deadlock_collect_append(d->meetings, d->head.meetings * sizeof d->meetings[0]);
    return &packed.head;
}
