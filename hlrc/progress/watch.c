/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* watch.c - see watch.h. */
#include "hlrc/progress/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/perturb.h"
#include "hlrc/engine.h"
#include "hlrc/progress/dump.h"
#include "hlrc/progress/thread.h"

#define TOLD_EVENTS 4u                  /* of each thread */
#define GRACE_NS    INT64_C(3000000000) /* between telling and ending: others tell, too */

static int64_t told_at; /* written by the monitor's thread alone; 0: nothing was told */

struct watch_note watch_begin(struct thread *t, const char *what, uint64_t object)
{
    struct watch_note before = { atomic_load(&t->waits.what), atomic_load(&t->waits.object),
                                 atomic_load(&t->waits.since) };
    atomic_store_explicit(&t->waits.object, object, memory_order_relaxed);
    atomic_store_explicit(&t->waits.since, clock_ns(), memory_order_relaxed);
    atomic_store_explicit(&t->waits.what, what, memory_order_release);
    return before;
}

void watch_end(struct thread *t, struct watch_note before)
{
    atomic_store_explicit(&t->waits.what, before.what, memory_order_relaxed);
    atomic_store_explicit(&t->waits.object, before.object, memory_order_relaxed);
    atomic_store_explicit(&t->waits.since, before.since, memory_order_relaxed);
}

/* Seconds that the thread waits, 0 for none or a note that is being changed. */
static double waits_for(const struct thread *t, int64_t now)
{
    int64_t since = atomic_load(&t->waits.since);
    if (!atomic_load(&t->taken) || !atomic_load(&t->waits.what) ||
        atomic_load(&t->waits.since) != since)
        return 0;
    return (double)(now - since) * 1e-9;
}

static void say(const char *line)
{
    diag_warn("%s", line);
}

/* What each thread did last, the threads that compute included: who waits for whom. */
static void tell_traces(void)
{
    char line[DIAG_LINE_MAX / 2];
    for (uint32_t i = 0; i < threads_max(); i++) {
        if (!atomic_load(&thread_slot(i)->taken))
            continue;
        trace_last(&thread_slot(i)->trace, TOLD_EVENTS, line, sizeof line);
        if (line[0])
            diag_warn("thread %u before: %s", i, line);
    }
}

static void tell_all(int64_t now)
{
    for (uint32_t i = 0; i < threads_max(); i++) {
        const struct thread *t = thread_slot(i);
        double seconds = waits_for(t, now);
        const char *what = atomic_load(&t->waits.what);
        if (seconds > 0 && what)
            diag_warn("thread %u waits for %s %llu, since %d.%d s", i, what,
                      (unsigned long long)atomic_load(&t->waits.object), (int)seconds,
                      (int)(seconds * 10) % 10);
    }
    tell_traces();
    dump(say);
    perturb_report(say);
}

void watch_look(void)
{
    int64_t now = clock_ns();
    bool late = false;
    for (uint32_t i = 0; i < threads_max() && !late; i++)
        late = waits_for(thread_slot(i), now) >= engine.config.watchdog;
    if (!late) {
        told_at = 0;
    } else if (told_at == 0) {
        told_at = now;
        tell_all(now);
    } else if (now - told_at >= GRACE_NS) {
        diag_fatal(
            1,
            "a wait took longer than --watchdog %d: the nodes' lines above say who waits for what",
            engine.config.watchdog);
    }
}
