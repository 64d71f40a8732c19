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
enum by {
    BY_UNKNOWN, /* it may be on its way */
    BY_THREAD,  /* a thread that waits, or may */
    BY_NODE,    /* any thread of a node that has not got that far */
    BY_ENDED,   /* a thread of a node, which has ended */
    BY_NOBODY,  /* a signal that no thread has sent */
};

struct blocker {
    enum by by;
    int node, thread;
    bool arrived; /* BY_NODE: arrived at a barrier, but not departed */
};

static const struct blocker unknown = { BY_UNKNOWN, -1, -1, false };

/* ---- reading the reports ---- */

static const struct report *report_of(const struct judge *j, int node)
{
    return node >= 0 && node < j->nodes ? j->reports[node] : NULL;
}

static const struct report_wait *wait_of(const struct judge *j, int node, int thread)
{
    const struct report *r = report_of(j, node);
    for (unsigned i = 0; r && i < r->waits; i++)
        if (report_waits(r)[i].thread == thread)
            return &report_waits(r)[i];
    return NULL;
}

/* A thread of the node with this wait; negative: any object or node. */
static const struct report_wait *waits_for(const struct judge *j, int node, enum waits what,
                                           int64_t object, int with)
{
    const struct report *r = report_of(j, node);
    for (unsigned i = 0; r && i < r->waits; i++) {
        const struct report_wait *w = &report_waits(r)[i];
        if (w->what == what && (object < 0 || w->object == (uint64_t)object) &&
            (with < 0 || w->node == with))
            return w;
    }
    return NULL;
}

static const struct report_meeting *meeting_of(const struct report *r, uint32_t group)
{
    for (unsigned i = 0; r && i < r->meetings; i++)
        if (report_meetings(r)[i].group == group)
            return &report_meetings(r)[i];
    return NULL;
}

/* ---- what blocks a thread ---- */

static struct blocker holder_of(const struct judge *j, uint64_t lock)
{
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = report_of(j, node);
        for (unsigned i = 0; r && i < r->held; i++)
            if (report_held(r)[i].lock == lock) {
                int thread = (int)report_held(r)[i].thread;
                enum by by = wait_of(j, node, thread) ? BY_THREAD : BY_ENDED;
                return (struct blocker){ by, node, thread, false };
            }
    }
    return unknown;
}

/* Blocker of a thread that waits for a round that a partner sends (pairs.h). The partner sends it
 * when it reaches that round, so it has sent it if its own round is as far. */
static struct blocker partner_of(const struct judge *j, int node, const struct report_wait *w)
{
    uint32_t group = w->what == WAITS_GROUP ? (uint32_t)w->object : MEETING_OF_ALL;
    const struct report_meeting *mine = meeting_of(report_of(j, node), group),
                                *its = meeting_of(report_of(j, w->node), group);
    if (!mine || !its || its->epoch != mine->epoch)
        return unknown;
    const struct report_wait *peer =
        waits_for(j, w->node, (enum waits)w->what, (int64_t)w->object, -1);
    if (!peer && w->what == WAITS_GROUP)
        return (struct blocker){ BY_NODE, w->node, -1, false };
    if (its->round >= mine->round)
        return unknown;
    return peer ? (struct blocker){ BY_THREAD, w->node, peer->thread, false }
                : (struct blocker){ BY_NODE, w->node, -1, true };
}

/* The first node from `node` on that has not arrived at a barrier; -1: all have, or it is not
 * known. */
static int missing_from(const struct judge *j, int node, uint64_t epoch)
{
    for (; node < j->nodes; node++)
        if (report_of(j, node) && report_of(j, node)->arrivals <= epoch)
            return node;
    return -1;
}

static struct blocker missing_at(const struct judge *j, int node, const struct report_wait *w)
{
    int missing = missing_from(j, 0, w->object);
    return missing >= 0 ? (struct blocker){ BY_NODE, missing, -1, false } : partner_of(j, node, w);
}

/* Blocker of a thread in hlrc_group_create: its partner has not made the matching call. */
static struct blocker maker_of(const struct judge *j, int node, const struct report_wait *w)
{
    enum waits opposite = w->what == WAITS_MEMBER ? WAITS_INVITATION : WAITS_MEMBER;
    if (w->over || waits_for(j, w->node, opposite, -1, node))
        return unknown;
    return (struct blocker){ BY_NODE, w->node, -1, false };
}

/* Blocker of a thread whose node makes another group: the thread that makes it. */
static struct blocker making_at(const struct judge *j, int node)
{
    const struct report_wait *w = waits_for(j, node, WAITS_MEMBER, -1, -1);
    if (!w)
        w = waits_for(j, node, WAITS_INVITATION, -1, -1);
    return w ? (struct blocker){ BY_THREAD, node, w->thread, false } : unknown;
}

static struct blocker blocker_of(const struct judge *j, int node, const struct report_wait *w)
{
    switch (w->what) {
    case WAITS_LOCK:
        return holder_of(j, w->object);
    case WAITS_BARRIER:
        return missing_at(j, node, w);
    case WAITS_GROUP:
        return partner_of(j, node, w);
    case WAITS_MEMBER:
    case WAITS_INVITATION:
        return maker_of(j, node, w);
    case WAITS_MAKING:
        return making_at(j, node);
    case WAITS_SIGNAL:
        return (struct blocker){ BY_NOBODY, -1, -1, false };
    default:
        return unknown;
    }
}

static bool for_words(const struct report_wait *w)
{
    return w->what == WAITS_MEMBER || w->what == WAITS_INVITATION;
}

/* [deadlock.in-transit]. ASSUMPTION: each thread waits for something that another of them has to
 * bring. */
static bool nothing_comes(const struct judge *j)
{
    bool words = false;
    uint64_t least_ms = UINT64_MAX;
    int64_t signals = 0;
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = report_of(j, node);
        signals += r->signals;
        for (unsigned i = 0; i < r->waits; i++) {
            const struct report_wait *w = &report_waits(r)[i];
            words = words || for_words(w);
            least_ms = w->ms < least_ms ? w->ms : least_ms;
        }
    }
    return signals == 0 && (!words || least_ms >= JUDGE_WORDS_MS);
}

/* [deadlock.two-rounds] */
bool judge_stuck(const struct judge *j)
{
    bool any = false;
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = report_of(j, node);
        if (!r || !r->still)
            return false;
        for (unsigned i = 0; i < r->waits; i++)
            if (blocker_of(j, node, &report_waits(r)[i]).by == BY_UNKNOWN)
                return false;
        any = any || r->waits > 0;
    }
    return any && nothing_comes(j);
}

/* ---- text ---- */

struct text {
    char *at;
    size_t len, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
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
static void add_name(struct text *t, const struct judge *j, int node, int thread)
{
    const struct report *r = report_of(j, node);
    add(t, "node %d", node);
    if (thread >= 0 && r && r->waits > 1)
        add(t, " thread %d", thread);
}

static void add_words(struct text *t, const struct judge *j, int node, const struct report_wait *w)
{
    char words[120];
    struct wait_for what = { (enum waits)w->what, w->object, w->node };
    add(t, "%s", waits_words(what, words, sizeof words));
    const struct report *r = report_of(j, node);
    if (w->what == WAITS_BARRIER && r->call != MEETING_BARRIER)
        add(t, " (%s)", meeting_name((enum meeting)r->call));
}

static bool complete(const struct judge *j)
{
    for (int node = 0; node < j->nodes; node++)
        if (!report_of(j, node))
            return false;
    return true;
}

static void add_holder(struct text *t, const struct judge *j, int node, const struct report_wait *w)
{
    struct blocker b = holder_of(j, w->object);
    if (b.by == BY_UNKNOWN) {
        add(t, "%s", complete(j) ? ", which no thread holds now" : "");
    } else if (b.by == BY_ENDED) {
        add(t, " held by a thread of node %d that has ended", b.node);
    } else if (b.node == node && b.thread == w->thread) {
        add(t, ", which it holds itself");
    } else {
        add(t, " held by ");
        add_name(t, j, b.node, b.thread);
    }
}

/* The wait, and the holder if it is a lock. */
static void add_wait(struct text *t, const struct judge *j, int node, const struct report_wait *w)
{
    add_words(t, j, node, w);
    if (w->what == WAITS_LOCK)
        add_holder(t, j, node, w);
}

/* The wait of a thread of a node that has not got that far; NULL: one of its threads does not
 * wait. */
static const struct report_wait *thread_of(const struct judge *j, int node)
{
    const struct report *r = report_of(j, node);
    const struct report_wait *found = NULL;
    for (unsigned i = 0; r && i < r->waits; i++) {
        const struct report_wait *w = &report_waits(r)[i];
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
static void add_state(struct text *t, const struct judge *j, int node)
{
    const struct report_wait *w = thread_of(j, node);
    if (w) {
        add(t, "waits for ");
        add_wait(t, j, node, w);
    } else {
        add(t, "computes, or waits outside HLRC");
    }
}

#define NAMED 8 /* nodes named in one line */

static void add_missing(struct text *t, const struct judge *j, uint64_t epoch)
{
    int count = 0, first = missing_from(j, 0, epoch);
    for (int n = first; n >= 0; n = missing_from(j, n + 1, epoch))
        count++;
    add(t, count == 1 ? ": node " : ": nodes ");
    for (int n = first, i = 0; n >= 0 && i < NAMED; n = missing_from(j, n + 1, epoch), i++)
        add(t, "%s%d", i ? ", " : "", n);
    if (count > NAMED)
        add(t, " and %d more", count - NAMED);
    add(t, count == 1 ? " has not arrived; it " : " have not arrived; node %d ", first);
    add_state(t, j, first);
}

/* What blocks the wait, and what the blocker does. */
static void add_blocker(struct text *t, const struct judge *j, int node,
                        const struct report_wait *w)
{
    struct blocker b = blocker_of(j, node, w);
    if (w->what == WAITS_BARRIER && b.by == BY_NODE && !b.arrived) {
        add_missing(t, j, w->object);
    } else if (b.by == BY_NODE) {
        add(t, ": node %d has not %s; it ", b.node,
            b.arrived                ? "departed from it"
            : w->what == WAITS_GROUP ? "arrived"
                                     : "reached it");
        add_state(t, j, b.node);
    } else if (b.by == BY_THREAD && w->what != WAITS_LOCK) {
        add(t, ", after ");
        add_name(t, j, b.node, b.thread);
    }
}

static void tell_wait(const struct judge *j, int node, const struct report_wait *w,
                      void (*say)(void *ctx, const char *line))
{
    char line[DIAG_LINE_MAX / 2];
    struct text t = { line, sizeof line, 0 };
    add(&t, "node %d thread %d ", node, (int)w->thread);
    if (w->what == WAITS_NOTHING) {
        add(&t, "computes, or waits outside HLRC");
    } else {
        add(&t, "waits since %llu.%llu s for ", (unsigned long long)(w->ms / 1000),
            (unsigned long long)(w->ms / 100 % 10));
        add_wait(&t, j, node, w);
        add_blocker(&t, j, node, w);
    }
    say(j->ctx, line);
}

void judge_tell_node(const struct judge *j, int node, void (*say)(void *ctx, const char *line))
{
    char line[200];
    const struct report *r = report_of(j, node);
    if (!r) {
        snprintf(line, sizeof line, "node %d %s", node, j->absent(j->ctx, node));
        say(j->ctx, line);
        return;
    }
    for (unsigned i = 0; i < r->waits; i++)
        tell_wait(j, node, &report_waits(r)[i], say);
    if (r->strangers == 0)
        return;
    snprintf(line, sizeof line, "node %d has %u thread%s that %s not used HLRC", node,
             (unsigned)r->strangers, r->strangers == 1 ? "" : "s",
             r->strangers == 1 ? "has" : "have");
    say(j->ctx, line);
}

void judge_tell(const struct judge *j, void (*say)(void *ctx, const char *line))
{
    for (int node = 0; node < j->nodes; node++)
        judge_tell_node(j, node, say);
}

/* ---- the cycle ---- */

struct place {
    int node;
    const struct report_wait *wait;
};

/* Moves to the thread that blocks this one. False if there is none, or if it does not wait. */
static bool step(const struct judge *j, struct place *p)
{
    struct blocker b = blocker_of(j, p->node, p->wait);
    const struct report_wait *w = b.by == BY_THREAD ? wait_of(j, b.node, b.thread)
                                  : b.by == BY_NODE ? thread_of(j, b.node)
                                                    : NULL;
    if (!w || w->what == WAITS_NOTHING)
        return false;
    *p = (struct place){ b.node, w };
    return true;
}

/* Writes "waits for lock 2 held by node 1" or similar; p becomes the blocker. */
static void add_step(struct text *t, const struct judge *j, struct place *p)
{
    struct blocker b = blocker_of(j, p->node, p->wait);
    const struct report_wait *w = p->wait;
    bool meets = w->what == WAITS_BARRIER || w->what == WAITS_GROUP;
    add(t, meets ? " waits at " : " waits for ");
    add_wait(t, j, p->node, w);
    (void)step(j, p);
    if (w->what == WAITS_LOCK || w->what == WAITS_MEMBER || w->what == WAITS_INVITATION)
        return; /* already named */
    add(t, "%s", b.arrived ? " for the departure of " : meets ? " for " : " of ");
    add_name(t, j, p->node, p->wait->thread);
}

static bool same(struct place a, struct place b)
{
    return a.node == b.node && a.wait == b.wait;
}

/* Finds a thread of the cycle that the path from here leads to. False if the path ends. */
static bool circle_from(const struct judge *j, struct place p, struct place *found)
{
    struct place fast = p;
    do {
        if (!step(j, &fast) || !step(j, &fast))
            return false;
        (void)step(j, &p);
    } while (!same(p, fast));
    *found = p;
    for (struct place at = p; step(j, &at) && !same(at, p);) /* the same thread for every start */
        if (at.node < found->node || (at.node == found->node && at.wait < found->wait))
            *found = at;
    return true;
}

static bool find_circle(const struct judge *j, struct place *found)
{
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = report_of(j, node);
        for (unsigned i = 0; r && i < r->waits; i++)
            if (circle_from(j, (struct place){ node, &report_waits(r)[i] }, found))
                return true;
    }
    return false;
}

/* Writes the path to a thread without a blocker, from a thread that waits for it if there is
 * one. */
static void add_end(struct text *t, const struct judge *j)
{
    struct place p = { -1, NULL };
    for (int node = 0; node < j->nodes; node++) {
        const struct report *r = report_of(j, node);
        for (unsigned i = 0; r && i < r->waits; i++) {
            struct place at = { node, &report_waits(r)[i] }, next = at;
            if (!p.wait || (p.wait->what == WAITS_SIGNAL && step(j, &next)))
                p = at;
        }
    }
    add_name(t, j, p.node, p.wait->thread);
    for (struct place next = p; step(j, &next); next = p) {
        add_step(t, j, &p);
        add(t, ", which");
    }
    add(t, " waits for ");
    add_wait(t, j, p.node, p.wait);
    if (p.wait->what == WAITS_SIGNAL)
        add(t, ", which no thread is left to send");
}

bool judge_cause(const struct judge *j, bool stuck, char *line, size_t len)
{
    struct text t = { line, len, 0 };
    struct place first;
    line[0] = '\0';
    if (find_circle(j, &first)) {
        struct place p = first;
        add_name(&t, j, p.node, p.wait->thread);
        add_step(&t, j, &p);
        while (!same(p, first)) {
            add(&t, ", which");
            add_step(&t, j, &p);
        }
        return true;
    }
    if (stuck)
        add_end(&t, j);
    return stuck;
}
