/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wait_tracker.c - see wait_tracker.h. */
#include "hlrc/probe/wait_tracker.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/perturb.h"
#include "boot/monitor.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"

#define TOLD_EVENTS 4u /* printed per thread */
/* from the report to the end of the job: other nodes report too */
#define GRACE_NS    INT64_C(3000000000)
#define WATCHDOG_MS 500 /* between two checks of the watchdog, while a thread waits */

_Atomic bool watch_is_up;

static int64_t told_at; /* written only by the monitor's thread; 0: nothing was reported */

#define NODE_SHIFT 8 /* of a slot's `what` */

static struct wait_tracker_note wait_tracker_note_of(const struct wait_tracker_slot *s)
{
    uint32_t what = atomic_load_explicit(&s->what, memory_order_acquire);
    return (struct wait_tracker_note){ { (enum waits)(what & ((1u << NODE_SHIFT) - 1)),
                                         atomic_load_explicit(&s->object, memory_order_relaxed),
                                         (int)(what >> NODE_SHIFT) - 1 },
                                       atomic_load_explicit(&s->since, memory_order_relaxed) };
}

static uint32_t wait_tracker_packed(struct waits_wait what)
{
    return (uint32_t)what.what | (uint32_t)(what.node + 1) << NODE_SHIFT;
}

struct wait_tracker_note wait_tracker_begin(struct waits_wait what)
{
    struct probe_thread *t = probe_self();
    struct wait_tracker_note before = wait_tracker_note_of(&t->waits);
    atomic_store_explicit(&t->waits.object, what.object, memory_order_relaxed);
    atomic_store_explicit(&t->waits.since, clock_ns(), memory_order_relaxed);
    atomic_store_explicit(&t->waits.what, wait_tracker_packed(what), memory_order_release);
    return before;
}

void wait_tracker_end(struct wait_tracker_note before)
{
    struct probe_thread *t = probe_self();
    atomic_store_explicit(&t->waits.what, wait_tracker_packed(before.what), memory_order_relaxed);
    atomic_store_explicit(&t->waits.object, before.what.object, memory_order_relaxed);
    atomic_store_explicit(&t->waits.since, before.since, memory_order_relaxed);
}

bool wait_tracker_read(const struct probe_thread *t, struct wait_tracker_note *out)
{
    int64_t since = atomic_load(&t->waits.since);
    *out = wait_tracker_note_of(&t->waits);
    return atomic_load(&t->taken) && out->what.what != WAITS_NOTHING && out->since == since &&
           atomic_load(&t->waits.since) == since;
}

static void wait_tracker_say(const char *line)
{
    diag_warn("%s", line);
}

/* The last events of each thread, including threads that compute, to show which thread waits for
 * which. */
static void wait_tracker_tell_traces(void)
{
    char line[DIAG_LINE_MAX / 2];
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        if (!atomic_load(&probe_slot(i)->taken))
            continue;
        trace_last(&probe_slot(i)->trace, TOLD_EVENTS, line, sizeof line);
        if (line[0])
            diag_warn("thread %u before: %s", i, line);
    }
}

static void wait_tracker_tell_all(int64_t now)
{
    char words[120];
    struct wait_tracker_note note;
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        if (!wait_tracker_read(probe_slot(i), &note))
            continue;
        int64_t tenths = (now - note.since) / 100000000;
        diag_warn("thread %u waits for %s, since %d.%d s", i,
                  waits_words(note.what, words, sizeof words), (int)(tenths / 10),
                  (int)(tenths % 10));
    }
    wait_tracker_tell_traces();
    dump(wait_tracker_say);
    perturb_report(wait_tracker_say);
}

/* Reports when a wait has taken too long, and ends the job some seconds later. */
static void wait_tracker_watchdog(int64_t now, int64_t most_ms)
{
    if (most_ms < (int64_t)engine.config.watchdog * 1000) {
        told_at = 0;
    } else if (told_at == 0) {
        told_at = now;
        wait_tracker_tell_all(now);
    } else if (now - told_at >= GRACE_NS) {
        diag_fatal(
            1, "a wait took longer than --watchdog %d: the lines above list the waits of each node",
            engine.config.watchdog);
    }
}

void wait_tracker_rests(void)
{
    atomic_store(&watch_is_up, false);
    atomic_thread_fence(memory_order_seq_cst); /* orders the store before the reads of the waits */
}

void wait_tracker_goes_on(void)
{
    atomic_store(&watch_is_up, true);
}

void wait_tracker_get_up(void)
{
    if (!atomic_exchange(&watch_is_up, true))
        monitor_rouse();
}

struct wait_tracker_waits wait_tracker_look(void)
{
    int64_t now = clock_ns(), most_ms = 0;
    struct wait_tracker_waits found = { 0, INT64_MAX, 0 };
    struct wait_tracker_note note;
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        if (!wait_tracker_read(probe_slot(i), &note))
            continue;
        int64_t ms = (now - note.since) / 1000000;
        found.waiting++;
        found.least_ms = ms < found.least_ms ? ms : found.least_ms;
        most_ms = ms > most_ms ? ms : most_ms;
    }
    if (engine.config.watchdog > 0 && found.waiting > 0) {
        wait_tracker_watchdog(now, most_ms);
        found.next_ms = WATCHDOG_MS;
    } else {
        told_at = 0;
    }
    return found;
}
