/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * probe.h - the one instrumentation layer. A place in the engine or in a protocol names an event;
 * its row in events.h says which statistics, trace, timeline, recorder, profile and delay point
 * get it.
 *
 *     PROBE(twin_created);                          an event, with up to five arguments
 *
 *     struct probe_span span = PROBE_BEGIN(touch);  a section
 *     ...
 *     PROBE_END(touch, span, first, count);
 *
 * An event costs the additions to its counters and one test of probe_on, both inline. Everything
 * else is in probe_note.c, which runs only if a listener other than the statistics is on. An event
 * without such a listener is only its counters. Each delay point is such an event, and is no code
 * without --enable-perturb.
 *
 * probe_on changes only while no second thread of the program is in a call: at the start of a job,
 * and when a listener stops at its end. PROBE_END restores the category of time last, so an item of
 * the recorder belongs to the section.
 *
 * Probes call no module that contains them. The slots of threads are those of progress/thread.h,
 * which registers them here. Probes use only the first part of each slot.
 */
#ifndef HLRC_PROBE_PROBE_H
#define HLRC_PROBE_PROBE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/perturb.h"
#include "hlrc/probe/events.h"
#include "hlrc/probe/stats.h"
#include "hlrc/probe/trace.h"
#include "hlrc/probe/wait_tracker.h"

/* Listeners beside the statistics: the rings (trace.h), the timeline, the profile, the recorder. */
enum { PROBE_RING = 1, PROBE_TIMELINE = 2, PROBE_PROFILE = 4, PROBE_RECORD = 8 };
extern unsigned probe_on;

static inline bool probe_profiles(void)
{
    return probe_on & PROBE_PROFILE;
}

static inline bool probe_records(void)
{
    return probe_on & PROBE_RECORD;
}

/* ---- threads ---- */

/* The part of a thread's slot that probes use. Written by the thread, but for `taken`. */
struct probe_thread {
    uint32_t lane;                  /* number of the slot */
    _Atomic bool taken;             /* a thread has the slot */
    struct stats_clock clock;       /* where this thread's time goes */
    struct wait_tracker_slot waits; /* read by the watch */
    int64_t asked;           /* when a slow acquire or release of a lock began: ticks; 0: none */
    uint64_t granted;        /* number of the last grant (timeline.h) */
    struct trace_ring trace; /* its last events */
};

/* The slots, taken or not. */
struct probe_slots {
    char *first;
    size_t stride;
    uint32_t count;
    struct probe_thread *(*take)(void); /* for a thread that has none */
};
extern struct probe_slots probe_slots;
extern _Thread_local struct probe_thread *probe_current __attribute__((visibility("hidden")));

static inline struct probe_thread *probe_slot(uint32_t index)
{
    return (struct probe_thread *)(void *)(probe_slots.first + index * probe_slots.stride);
}

static inline struct probe_thread *probe_self(void)
{
    return probe_current ? probe_current : probe_slots.take();
}

/* Returns the number of the grant by which the thread got something, and clears it. */
static inline uint64_t probe_granted(void)
{
    struct probe_thread *t = probe_self();
    uint64_t number = t->granted;
    t->granted = 0;
    return number;
}

/* ---- what rows of the tables call ---- */

static inline void probe_count(enum stats_counter counter, uint64_t by)
{
    if (by)
        atomic_fetch_add_explicit(&stats_counters[counter], by, memory_order_relaxed);
}

/* By the thread itself, NULL if the caller has no slot at hand: costs less than a shared
 * counter. */
static inline void probe_count_lock(struct probe_thread *t)
{
    struct stats_clock *c = &(t ? t : probe_self())->clock;
    uint64_t n = atomic_load_explicit(&c->locks, memory_order_relaxed);
    atomic_store_explicit(&c->locks, n + 1, memory_order_relaxed);
}

uint64_t probe_grant(void);   /* the number of a grant of this node (timeline.h), or 0 */
uint64_t probe_acquire(void); /* begin of an acquire of the profile, or 0 */
int64_t probe_ticks(void);

struct probe_span {
    int64_t begin;              /* ticks; 0: neither timeline nor profile is on */
    uint64_t more;              /* of the row's column `begin` */
    enum stats_category before; /* of the thread, if the section has a category */
};

/* A section that ended without an event: restores only the category. */
static inline void probe_drop(struct probe_span span)
{
    (void)stats_enter(probe_self(), span.before);
}

/* Calls the listeners of an event or of the end of a section. */
enum probe_event {
#define X(event, ...) PROBE_EVENT_##event,
    PROBE_EVENTS(X) PROBE_SECTIONS(X)
#undef X
};
void probe_note(enum probe_event event, int64_t begin, uint64_t more, uint64_t a, uint64_t b,
                uint64_t c, uint64_t d, uint64_t e);

/* ---- functions of the rows ---- */

#define NONE
#define RING(...)        | PROBE_RING
#define MARK(...)        | PROBE_TIMELINE
#define SPAN(...)        | PROBE_TIMELINE
#define SPAN_AS(...)     | PROBE_TIMELINE
#define ASKED            | PROBE_TIMELINE | PROBE_PROFILE
#define LOCK_SPAN(...)   | PROBE_TIMELINE | PROBE_PROFILE
#define RECORD(...)      | PROBE_RECORD
#define RECORD_AS(...)   | PROBE_RECORD
#define RECORD_CALL(...) | PROBE_RECORD
#define PROFILE(...)     | PROBE_PROFILE
enum {
#define X(event, counts, listeners) PROBE_LISTENERS_##event = 0 listeners,
    PROBE_EVENTS(X)
#undef X
#define X(section, time, begin, counts, listeners) PROBE_LISTENERS_##section = 0 listeners,
        PROBE_SECTIONS(X)
#undef X
};
#undef RING
#undef MARK
#undef SPAN
#undef SPAN_AS
#undef ASKED
#undef LOCK_SPAN
#undef RECORD
#undef RECORD_AS
#undef RECORD_CALL
#undef PROFILE

#define PROBE_FUNCTION(event, counts)                                                         \
    static inline void probe_do_##event(struct probe_thread *t, int64_t begin, uint64_t more, \
                                        uint64_t a, uint64_t b, uint64_t c, uint64_t d,       \
                                        uint64_t e)                                           \
    {                                                                                         \
        (void)t;                                                                              \
        counts;                                                                               \
        if (probe_on & PROBE_LISTENERS_##event)                                               \
            probe_note(PROBE_EVENT_##event, begin, more, a, b, c, d, e);                      \
    }
#define X(event, counts, listeners) PROBE_FUNCTION(event, counts)
PROBE_EVENTS(X)
#undef X

/* NONE, or a category of time */
enum {
    PROBE_TIME_,
    PROBE_TIME_FAULT = STATS_FAULT,
    PROBE_TIME_PAGE = STATS_PAGE,
    PROBE_TIME_LOCK = STATS_LOCK,
    PROBE_TIME_BARRIER = STATS_BARRIER,
    PROBE_TIME_DIFF = STATS_DIFF
};
static_assert(STATS_COMPUTE == 0, "no section has it");

#define PROBE_SECTION(section, time, at_begin, counts)                                       \
    static inline struct probe_span probe_begin_##section(void)                              \
    {                                                                                        \
        struct probe_span span = { 0, 0, STATS_COMPUTE };                                    \
        uint64_t more = 0;                                                                   \
        if (PROBE_TIME_##time)                                                               \
            span.before = stats_enter(probe_self(), (enum stats_category)PROBE_TIME_##time); \
        if (probe_on & PROBE_LISTENERS_##section & (PROBE_TIMELINE | PROBE_PROFILE))         \
            span.begin = probe_ticks();                                                      \
        at_begin;                                                                            \
        span.more = more;                                                                    \
        return span;                                                                         \
    }                                                                                        \
    PROBE_FUNCTION(section, counts)                                                          \
    static inline void probe_end_##section(struct probe_span span, uint64_t a, uint64_t b,   \
                                           uint64_t c, uint64_t d, uint64_t e)               \
    {                                                                                        \
        probe_do_##section(NULL, span.begin, span.more, a, b, c, d, e);                      \
        if (PROBE_TIME_##time)                                                               \
            (void)stats_enter(probe_self(), span.before);                                    \
    }
#define X(section, time, begin, counts, listeners) PROBE_SECTION(section, time, begin, counts)
PROBE_SECTIONS(X)
#undef X
#undef NONE

/* ---- the calls ---- */

#define PROBE(...)         PROBE_PAD(NULL, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define PROBE_BEGIN(event) probe_begin_##event()
#define PROBE_END(...)     PROBE_PAD_END(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
/* PROBE by a caller that has its slot at hand */
#define PROBE_OF(...) PROBE_PAD(__VA_ARGS__, 0, 0, 0, 0, 0, 0)

#define PROBE_PAD(thread, event, a, b, c, d, e, ...)                                           \
    probe_do_##event(thread, 0, 0, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), \
                     (uint64_t)(e))
#define PROBE_PAD_END(section, span, a, b, c, d, e, ...)                                  \
    probe_end_##section(span, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), \
                        (uint64_t)(e))

#endif
