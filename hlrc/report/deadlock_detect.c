/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deadlock_detect.c - the deadlock detector; see deadlock_detect.h. */
#include "hlrc/report/deadlock_detect.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/meeting.h"

/* What blocks a thread. */
enum deadlock_detect_by {
    BY_UNKNOWN, /* it may be on its way */
    BY_THREAD,  /* a thread that waits, or may */
    BY_NODE,    /* any thread of a node that has not got that far */
    BY_ENDED,   /* a thread of a node, which has ended */
    BY_NOBODY,  /* a signal that no thread has sent */
};

struct deadlock_detect_blocker {
    enum deadlock_detect_by by;
    int node, thread;
    bool arrived; /* BY_NODE: arrived at a barrier, but not departed */
};

static const struct deadlock_detect_blocker unknown = { BY_UNKNOWN, -1, -1, false };

/* ---- reading the reports ---- */

static const struct report *deadlock_detect_report_of(const struct deadlock_detect_judge *j,
                                                      int node)
{
    return node >= 0 && node < j->nodes ? j->reports[node] : NULL;
}

static const struct report_wait *deadlock_detect_wait_of(const struct deadlock_detect_judge *j,
                                                         int node, int thread)
{
    const struct report *r = deadlock_detect_report_of(j, node);
    for (unsigned i = 0; r && i < r->waits; i++)
        if (deadlock_report_waits(r)[i].thread == thread)
            return &deadlock_report_waits(r)[i];
    return NULL;
}

/* A thread of the node with this wait; negative: any object or node. */
static const struct report_wait *deadlock_detect_waits_for(const struct deadlock_detect_judge *j,
                                                           int node, enum waits what,
                                                           int64_t object, int with)
{
    const struct report *r = deadlock_detect_report_of(j, node);
    for (unsigned i = 0; r && i < r->waits; i++) {
        const struct report_wait *w = &deadlock_report_waits(r)[i];
        if (w->what == what && (object < 0 || w->object == (uint64_t)object) &&
            (with < 0 || w->node == with))
            return w;
    }
    return NULL;
}

static const struct report_meeting *deadlock_detect_meeting_of(const struct report *r,
                                                               uint32_t group)
{
    for (unsigned i = 0; r && i < r->meetings; i++)
        if (deadlock_report_meetings(r)[i].group == group)
            return &deadlock_report_meetings(r)[i];
    return NULL;
}

/* ---- what blocks a thread ---- */

static struct deadlock_detect_blocker
deadlock_detect_holder_of(const struct deadlock_detect_judge *j, uint64_t lock)
{
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = deadlock_detect_report_of(j, node);
        for (unsigned i = 0; r && i < r->held; i++)
            if (deadlock_report_held(r)[i].lock == lock) {
                int thread = (int)deadlock_report_held(r)[i].thread;
                enum deadlock_detect_by by =
                    deadlock_detect_wait_of(j, node, thread) ? BY_THREAD : BY_ENDED;
                return (struct deadlock_detect_blocker){ by, node, thread, false };
            }
    }
    return unknown;
}

/* Blocker of a thread that waits for a round that a partner sends (pairs.h). The partner sends it
 * when it reaches that round, so it has sent it if its own round is as far. */
static struct deadlock_detect_blocker
deadlock_detect_partner_of(const struct deadlock_detect_judge *j, int node,
                           const struct report_wait *w)
{
    uint32_t group = w->what == WAITS_GROUP ? (uint32_t)w->object : MEETING_OF_ALL;
    const struct report_meeting
        *mine = deadlock_detect_meeting_of(deadlock_detect_report_of(j, node), group),
        *its = deadlock_detect_meeting_of(deadlock_detect_report_of(j, w->node), group);
    if (!mine || !its || its->epoch != mine->epoch)
        return unknown;
    const struct report_wait *peer =
        deadlock_detect_waits_for(j, w->node, (enum waits)w->what, (int64_t)w->object, -1);
    if (!peer && w->what == WAITS_GROUP)
        return (struct deadlock_detect_blocker){ BY_NODE, w->node, -1, false };
    if (its->round >= mine->round)
        return unknown;
    return peer ? (struct deadlock_detect_blocker){ BY_THREAD, w->node, peer->thread, false }
                : (struct deadlock_detect_blocker){ BY_NODE, w->node, -1, true };
}

/* The first node from `node` on that has not arrived at a barrier; -1: all have, or it is not
 * known. */
static int deadlock_detect_missing_from(const struct deadlock_detect_judge *j, int node,
                                        uint64_t epoch)
{
    for (; node < j->nodes; node++)
        if (deadlock_detect_report_of(j, node) &&
            deadlock_detect_report_of(j, node)->arrivals <= epoch)
            return node;
    return -1;
}

static struct deadlock_detect_blocker
deadlock_detect_missing_at(const struct deadlock_detect_judge *j, int node,
                           const struct report_wait *w)
{
    int missing = deadlock_detect_missing_from(j, 0, w->object);
    return missing >= 0 ? (struct deadlock_detect_blocker){ BY_NODE, missing, -1, false }
                        : deadlock_detect_partner_of(j, node, w);
}

/* Blocker of a thread in hlrc_group_create: its partner has not made the matching call. */
static struct deadlock_detect_blocker
deadlock_detect_maker_of(const struct deadlock_detect_judge *j, int node,
                         const struct report_wait *w)
{
    enum waits opposite = w->what == WAITS_MEMBER ? WAITS_INVITATION : WAITS_MEMBER;
    if (w->over || deadlock_detect_waits_for(j, w->node, opposite, -1, node))
        return unknown;
    return (struct deadlock_detect_blocker){ BY_NODE, w->node, -1, false };
}

/* Blocker of a thread whose node makes another group: the thread that makes it. */
static struct deadlock_detect_blocker
deadlock_detect_making_at(const struct deadlock_detect_judge *j, int node)
{
    const struct report_wait *w = deadlock_detect_waits_for(j, node, WAITS_MEMBER, -1, -1);
    if (!w)
        w = deadlock_detect_waits_for(j, node, WAITS_INVITATION, -1, -1);
    return w ? (struct deadlock_detect_blocker){ BY_THREAD, node, w->thread, false } : unknown;
}

static struct deadlock_detect_blocker
deadlock_detect_blocker_of(const struct deadlock_detect_judge *j, int node,
                           const struct report_wait *w)
{
    switch (w->what) {
    case WAITS_LOCK:
        return deadlock_detect_holder_of(j, w->object);
    case WAITS_BARRIER:
        return deadlock_detect_missing_at(j, node, w);
    case WAITS_GROUP:
        return deadlock_detect_partner_of(j, node, w);
    case WAITS_MEMBER:
    case WAITS_INVITATION:
        return deadlock_detect_maker_of(j, node, w);
    case WAITS_MAKING:
        return deadlock_detect_making_at(j, node);
    case WAITS_SIGNAL:
        return (struct deadlock_detect_blocker){ BY_NOBODY, -1, -1, false };
    default:
        return unknown;
    }
}

static bool deadlock_detect_for_words(const struct report_wait *w)
{
    return w->what == WAITS_MEMBER || w->what == WAITS_INVITATION;
}

/* [deadlock.in-transit]. ASSUMPTION: each thread waits for something that another of them has to
 * bring. */
static bool deadlock_detect_nothing_comes(const struct deadlock_detect_judge *j)
{
    bool words = false;
    uint64_t least_ms = UINT64_MAX;
    int64_t signals = 0;
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = deadlock_detect_report_of(j, node);
        signals += r->signals;
        for (unsigned i = 0; i < r->waits; i++) {
            const struct report_wait *w = &deadlock_report_waits(r)[i];
            words = words || deadlock_detect_for_words(w);
            least_ms = w->ms < least_ms ? w->ms : least_ms;
        }
    }
    return signals == 0 && (!words || least_ms >= JUDGE_WORDS_MS);
}

/* [deadlock.two-rounds] */
bool deadlock_detect_stuck(const struct deadlock_detect_judge *j)
{
    bool any = false;
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = deadlock_detect_report_of(j, node);
        if (!r || !r->still)
            return false;
        for (unsigned i = 0; i < r->waits; i++)
            if (deadlock_detect_blocker_of(j, node, &deadlock_report_waits(r)[i]).by == BY_UNKNOWN)
                return false;
        any = any || r->waits > 0;
    }
    return any && deadlock_detect_nothing_comes(j);
}

/* ---- text ---- */

struct deadlock_detect_text {
    char *at;
    size_t len, used;
};

__attribute__((format(printf, 2, 3))) static void
deadlock_detect_add(struct deadlock_detect_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->at + t->used, t->len - t->used, fmt, args);
    va_end(args);
    t->used += n < 0 ? 0 : (size_t)n;
    if (t->used >= t->len)
        t->used = t->len - 1;
}

/* Writes "node 2", with the thread if several threads of the node wait. */
static void deadlock_detect_add_name(struct deadlock_detect_text *t,
                                     const struct deadlock_detect_judge *j, int node, int thread)
{
    const struct report *r = deadlock_detect_report_of(j, node);
    deadlock_detect_add(t, "node %d", node);
    if (thread >= 0 && r && r->waits > 1)
        deadlock_detect_add(t, " thread %d", thread);
}

static void deadlock_detect_add_words(struct deadlock_detect_text *t,
                                      const struct deadlock_detect_judge *j, int node,
                                      const struct report_wait *w)
{
    char words[120];
    struct waits_wait what = { (enum waits)w->what, w->object, w->node };
    deadlock_detect_add(t, "%s", waits_words(what, words, sizeof words));
    const struct report *r = deadlock_detect_report_of(j, node);
    if (w->what == WAITS_BARRIER && r->call != MEETING_BARRIER)
        deadlock_detect_add(t, " (%s)", meeting_name((enum meeting)r->call));
}

static bool deadlock_detect_complete(const struct deadlock_detect_judge *j)
{
    for (int node = 0; node < j->nodes; node++)
        if (!deadlock_detect_report_of(j, node))
            return false;
    return true;
}

static void deadlock_detect_add_holder(struct deadlock_detect_text *t,
                                       const struct deadlock_detect_judge *j, int node,
                                       const struct report_wait *w)
{
    struct deadlock_detect_blocker b = deadlock_detect_holder_of(j, w->object);
    if (b.by == BY_UNKNOWN) {
        deadlock_detect_add(t, "%s",
                            deadlock_detect_complete(j) ? ", which no thread holds now" : "");
    } else if (b.by == BY_ENDED) {
        deadlock_detect_add(t, " held by a thread of node %d that has ended", b.node);
    } else if (b.node == node && b.thread == w->thread) {
        deadlock_detect_add(t, ", which it holds itself");
    } else {
        deadlock_detect_add(t, " held by ");
        deadlock_detect_add_name(t, j, b.node, b.thread);
    }
}

/* The wait, and the holder if it is a lock. */
static void deadlock_detect_add_wait(struct deadlock_detect_text *t,
                                     const struct deadlock_detect_judge *j, int node,
                                     const struct report_wait *w)
{
    deadlock_detect_add_words(t, j, node, w);
    if (w->what == WAITS_LOCK)
        deadlock_detect_add_holder(t, j, node, w);
}

/* The wait of a thread of a node that has not got that far; NULL: one of its threads does not
 * wait. */
static const struct report_wait *deadlock_detect_thread_of(const struct deadlock_detect_judge *j,
                                                           int node)
{
    const struct report *r = deadlock_detect_report_of(j, node);
    const struct report_wait *found = NULL;
    for (unsigned i = 0; r && i < r->waits; i++) {
        const struct report_wait *w = &deadlock_report_waits(r)[i];
        if (w->what == WAITS_NOTHING)
            return NULL;
        /* prefer a thread whose wait explains the node's delay to one that waits for the
         * barrier */
        if (!found || found->what == WAITS_BARRIER)
            found = w;
    }
    return r && r->strangers == 0 ? found : NULL;
}

/* What a node does instead. */
static void deadlock_detect_add_state(struct deadlock_detect_text *t,
                                      const struct deadlock_detect_judge *j, int node)
{
    const struct report_wait *w = deadlock_detect_thread_of(j, node);
    if (w) {
        deadlock_detect_add(t, "waits for ");
        deadlock_detect_add_wait(t, j, node, w);
    } else {
        deadlock_detect_add(t, "computes, or waits outside HLRC");
    }
}

#define NAMED 8 /* nodes named in one line */

static void deadlock_detect_add_missing(struct deadlock_detect_text *t,
                                        const struct deadlock_detect_judge *j, uint64_t epoch)
{
    int count = 0, first = deadlock_detect_missing_from(j, 0, epoch);
    for (int n = first; n >= 0; n = deadlock_detect_missing_from(j, n + 1, epoch))
        count++;
    deadlock_detect_add(t, count == 1 ? ": node " : ": nodes ");
    for (int n = first, i = 0; n >= 0 && i < NAMED;
         n = deadlock_detect_missing_from(j, n + 1, epoch), i++)
        deadlock_detect_add(t, "%s%d", i ? ", " : "", n);
    if (count > NAMED)
        deadlock_detect_add(t, " and %d more", count - NAMED);
    deadlock_detect_add(t, count == 1 ? " has not arrived; it " : " have not arrived; node %d ",
                        first);
    deadlock_detect_add_state(t, j, first);
}

/* What blocks the wait, and what the blocker does. */
static void deadlock_detect_add_blocker(struct deadlock_detect_text *t,
                                        const struct deadlock_detect_judge *j, int node,
                                        const struct report_wait *w)
{
    struct deadlock_detect_blocker b = deadlock_detect_blocker_of(j, node, w);
    if (w->what == WAITS_BARRIER && b.by == BY_NODE && !b.arrived) {
        deadlock_detect_add_missing(t, j, w->object);
    } else if (b.by == BY_NODE) {
        deadlock_detect_add(t, ": node %d has not %s; it ", b.node,
                            b.arrived                ? "departed from it"
                            : w->what == WAITS_GROUP ? "arrived"
                                                     : "reached it");
        deadlock_detect_add_state(t, j, b.node);
    } else if (b.by == BY_THREAD && w->what != WAITS_LOCK) {
        deadlock_detect_add(t, ", after ");
        deadlock_detect_add_name(t, j, b.node, b.thread);
    }
}

static void deadlock_detect_tell_wait(const struct deadlock_detect_judge *j, int node,
                                      const struct report_wait *w,
                                      void (*say)(void *ctx, const char *line))
{
    char line[DIAG_LINE_MAX / 2];
    struct deadlock_detect_text t = { line, sizeof line, 0 };
    deadlock_detect_add(&t, "node %d thread %d ", node, (int)w->thread);
    if (w->what == WAITS_NOTHING) {
        deadlock_detect_add(&t, "computes, or waits outside HLRC");
    } else {
        deadlock_detect_add(&t, "waits since %llu.%llu s for ", (unsigned long long)(w->ms / 1000),
                            (unsigned long long)(w->ms / 100 % 10));
        deadlock_detect_add_wait(&t, j, node, w);
        deadlock_detect_add_blocker(&t, j, node, w);
    }
    say(j->ctx, line);
}

void deadlock_detect_tell_node(const struct deadlock_detect_judge *j, int node,
                               void (*say)(void *ctx, const char *line))
{
    char line[200];
    const struct report *r = deadlock_detect_report_of(j, node);
    if (!r) {
        snprintf(line, sizeof line, "node %d %s", node, j->absent(j->ctx, node));
        say(j->ctx, line);
        return;
    }
    for (unsigned i = 0; i < r->waits; i++)
        deadlock_detect_tell_wait(j, node, &deadlock_report_waits(r)[i], say);
    if (r->strangers == 0)
        return;
    snprintf(line, sizeof line, "node %d has %u thread%s that %s not used HLRC", node,
             (unsigned)r->strangers, r->strangers == 1 ? "" : "s",
             r->strangers == 1 ? "has" : "have");
    say(j->ctx, line);
}

void deadlock_detect_tell(const struct deadlock_detect_judge *j,
                          void (*say)(void *ctx, const char *line))
{
    for (int node = 0; node < j->nodes; node++)
        deadlock_detect_tell_node(j, node, say);
}

/* ---- the cycle ---- */

struct deadlock_detect_place {
    int node;
    const struct report_wait *wait;
};

/* Moves to the thread that blocks this one. False if there is none, or if it does not wait. */
static bool deadlock_detect_step(const struct deadlock_detect_judge *j,
                                 struct deadlock_detect_place *p)
{
    struct deadlock_detect_blocker b = deadlock_detect_blocker_of(j, p->node, p->wait);
    const struct report_wait *w = b.by == BY_THREAD ? deadlock_detect_wait_of(j, b.node, b.thread)
                                  : b.by == BY_NODE ? deadlock_detect_thread_of(j, b.node)
                                                    : NULL;
    if (!w || w->what == WAITS_NOTHING)
        return false;
    *p = (struct deadlock_detect_place){ b.node, w };
    return true;
}

/* Writes "waits for lock 2 held by node 1" or similar; p becomes the blocker. */
static void deadlock_detect_add_step(struct deadlock_detect_text *t,
                                     const struct deadlock_detect_judge *j,
                                     struct deadlock_detect_place *p)
{
    struct deadlock_detect_blocker b = deadlock_detect_blocker_of(j, p->node, p->wait);
    const struct report_wait *w = p->wait;
    bool meets = w->what == WAITS_BARRIER || w->what == WAITS_GROUP;
    deadlock_detect_add(t, meets ? " waits at " : " waits for ");
    deadlock_detect_add_wait(t, j, p->node, w);
    (void)deadlock_detect_step(j, p);
    if (w->what == WAITS_LOCK || w->what == WAITS_MEMBER || w->what == WAITS_INVITATION)
        return; /* already named */
    deadlock_detect_add(t, "%s", b.arrived ? " for the departure of " : meets ? " for " : " of ");
    deadlock_detect_add_name(t, j, p->node, p->wait->thread);
}

static bool deadlock_detect_same(struct deadlock_detect_place a, struct deadlock_detect_place b)
{
    return a.node == b.node && a.wait == b.wait;
}

/* Finds a thread of the cycle that the path from here leads to. False if the path ends. */
static bool deadlock_detect_circle_from(const struct deadlock_detect_judge *j,
                                        struct deadlock_detect_place p,
                                        struct deadlock_detect_place *found)
{
    struct deadlock_detect_place fast = p;
    do {
        if (!deadlock_detect_step(j, &fast) || !deadlock_detect_step(j, &fast))
            return false;
        (void)deadlock_detect_step(j, &p);
    } while (!deadlock_detect_same(p, fast));
    *found = p;
    for (struct deadlock_detect_place at = p;
         deadlock_detect_step(j, &at) &&
         !deadlock_detect_same(at, p);) /* the same thread for every start */
        if (at.node < found->node || (at.node == found->node && at.wait < found->wait))
            *found = at;
    return true;
}

static bool deadlock_detect_find_circle(const struct deadlock_detect_judge *j,
                                        struct deadlock_detect_place *found)
{
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = deadlock_detect_report_of(j, node);
        for (unsigned i = 0; r && i < r->waits; i++)
            if (deadlock_detect_circle_from(
                    j, (struct deadlock_detect_place){ node, &deadlock_report_waits(r)[i] }, found))
                return true;
    }
    return false;
}

/* Writes the path to a thread without a blocker, from a thread that waits for it if there is
 * one. */
static void deadlock_detect_add_end(struct deadlock_detect_text *t,
                                    const struct deadlock_detect_judge *j)
{
    struct deadlock_detect_place p = { -1, NULL };
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = deadlock_detect_report_of(j, node);
        for (unsigned i = 0; r && i < r->waits; i++) {
            struct deadlock_detect_place at = { node, &deadlock_report_waits(r)[i] }, next = at;
            if (!p.wait || (p.wait->what == WAITS_SIGNAL && deadlock_detect_step(j, &next)))
                p = at;
        }
    }
    deadlock_detect_add_name(t, j, p.node, p.wait->thread);
    for (struct deadlock_detect_place next = p; deadlock_detect_step(j, &next); next = p) {
        deadlock_detect_add_step(t, j, &p);
        deadlock_detect_add(t, ", which");
    }
    deadlock_detect_add(t, " waits for ");
    deadlock_detect_add_wait(t, j, p.node, p.wait);
    if (p.wait->what == WAITS_SIGNAL)
        deadlock_detect_add(t, ", which no thread is left to send");
}

bool deadlock_detect_cause(const struct deadlock_detect_judge *j, bool stuck, char *line,
                           size_t len)
{
    struct deadlock_detect_text t = { line, len, 0 };
    struct deadlock_detect_place first;
    line[0] = '\0';
    if (deadlock_detect_find_circle(j, &first)) {
        struct deadlock_detect_place p = first;
        deadlock_detect_add_name(&t, j, p.node, p.wait->thread);
        deadlock_detect_add_step(&t, j, &p);
        while (!deadlock_detect_same(p, first)) {
            deadlock_detect_add(&t, ", which");
            deadlock_detect_add_step(&t, j, &p);
        }
        return true;
    }
    if (stuck)
        deadlock_detect_add_end(&t, j);
    return stuck;
}
