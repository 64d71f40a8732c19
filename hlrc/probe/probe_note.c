/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* probe_note.c - what listeners get of an event; see probe.h. */
#include "hlrc/probe/probe.h"

#include "base/clock.h"
#include "hlrc/probe/profile.h"
#include "hlrc/probe/recorder.h"
#include "hlrc/probe/timeline.h"

int64_t probe_ticks(void)
{
    return clock_ticks();
}

uint64_t probe_grant(void)
{
    return probe_on & (PROBE_TIMELINE | PROBE_PROFILE) ? timeline_grant() : 0;
}

uint64_t probe_acquire(void)
{
    return probe_on & PROBE_PROFILE ? (uint64_t)profile_acquire_begin() : 0;
}

/* ---- the listeners, by the actions of events.h ---- */

static void probe_note_ring(enum trace_kind kind, uint64_t object)
{
    trace_note(&probe_self()->trace, kind, object);
}

static void probe_note_mark(enum timeline_kind kind, uint64_t object, int peer, uint64_t extra)
{
    int64_t now = clock_ticks();
    timeline_note(kind, now, now, object, peer, extra);
}

/* begin 0: the timeline was off */
static void probe_note_span(unsigned kind, int64_t begin, uint64_t object, int peer, uint64_t extra)
{
    if (begin)
        timeline_note(kind, begin, clock_ticks(), object, peer, extra);
}

static void probe_note_asked(void)
{
    probe_self()->asked = clock_ticks();
}

static void probe_note_lock_span(enum timeline_kind kind, uint32_t lock)
{
    struct probe_thread *t = probe_self();
    int64_t now = clock_ticks();
    uint64_t grant = kind == TIMELINE_LOCK ? probe_granted() : 0;
    if (probe_on & PROBE_TIMELINE)
        timeline_note(kind, t->asked ? t->asked : now, now, lock, -1, grant);
    if (probe_on & PROBE_PROFILE && kind == TIMELINE_LOCK && t->asked)
        profile_lock(lock, t->asked, timeline_granter(grant));
    t->asked = 0;
}

#define NONE
#define RING(kind, object)     \
    if (probe_on & PROBE_RING) \
        probe_note_ring(TRACE_##kind, object);
#define MARK(kind, object, peer, extra) \
    if (probe_on & PROBE_TIMELINE)      \
        probe_note_mark(TIMELINE_##kind, object, (int)(peer), extra);
#define SPAN(kind, object, peer, extra) SPAN_AS(TIMELINE_##kind, object, peer, extra)
#define SPAN_AS(kind, object, peer, extra) \
    if (probe_on & PROBE_TIMELINE)         \
        probe_note_span((unsigned)(kind), begin, object, (int)(peer), extra);
#define ASKED                                        \
    if (probe_on & (PROBE_TIMELINE | PROBE_PROFILE)) \
        probe_note_asked();
#define LOCK_SPAN(kind, lock)                        \
    if (probe_on & (PROBE_TIMELINE | PROBE_PROFILE)) \
        probe_note_lock_span(TIMELINE_##kind, (uint32_t)(lock));
#define RECORD(kind, a, b, c, d)    RECORD_AS(RECORD_##kind, a, b, c, d)
#define RECORD_AS(kind, a, b, c, d) RECORD_CALL(recorder_record_add(probe_self(), kind, a, b, c, d))
#define RECORD_CALL(call)        \
    if (probe_on & PROBE_RECORD) \
        call;
#define PROFILE(call)             \
    if (probe_on & PROBE_PROFILE) \
        call;

void probe_note(enum probe_event event, int64_t begin, uint64_t more, uint64_t a, uint64_t b,
                uint64_t c, uint64_t d, uint64_t e)
{
    switch (event) {
#define X(event, counts, listeners) \
    case PROBE_EVENT_##event:       \
        listeners break;
        PROBE_EVENTS(X)
#undef X
#define X(section, time, begins, counts, listeners) \
    case PROBE_EVENT_##section:                     \
        listeners break;
        PROBE_SECTIONS(X)
#undef X
    }
}
