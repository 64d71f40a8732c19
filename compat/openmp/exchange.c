/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.c - see exchange.h. */
#include "compat/openmp/exchange.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compat/openmp/locks.h"
#include "compat/openmp/places.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

/* In TSC ticks, of which two or three are a nanosecond. */
#define ASK_AFTER    10000   /* idle ticks */
#define ASK_OTHERS   2000000 /* ticks without an answer */
#define SPIN_UNTIL   50000   /* idle ticks; then it sleeps */
#define REST_MOST_NS 500000
#define LOOK_LEAST   2000
#define LOOK_SHARE   16 /* least time between polls, in durations of a poll */
#define SKIPS        8
#define SHARE_GIVING 4 /* the same after a poll that sends or reads mail */

static uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}

static int me(void)
{
    return lane_current->index;
}

/* ---- tasks of this thread that others have ---- */

static void link_away(struct task *t)
{
    t->prev = NULL;
    t->next = crew.away;
    if (t->next)
        t->next->prev = t;
    crew.away = t;
    crew.given++;
}

static void unlink_away(struct task *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        crew.away = t->next;
    if (t->next)
        t->next->prev = t->prev;
    crew.given--;
}

static void hear(uint64_t what)
{
    struct task *t = (struct task *)(uintptr_t)(what & ~REPORT_BITS);
    if ((what & REPORT_CANCELLED) && t->group)
        t->group->cancelled = true;
    if (what & REPORT_DONE)
        crew_done(t);
    if (!(what & (REPORT_GONE | REPORT_BACK)))
        return;
    unlink_away(t);
    if (what & REPORT_BACK) {
        crew_push(t);
        return;
    }
    t->data = NULL; /* freed by the thread that ran it */
    crew_gone(t);
    task_free(t);
}

/* ---- tasks received ---- */

static struct task *unpack(const struct given *g, struct parcel *p)
{
    struct task *t = task_allocate(g->data ? 0 : g->bytes);
    t->fn = g->fn;
    t->bytes = g->bytes;
    t->align = g->align;
    t->final = g->final;
    t->alone = g->alone;
    t->settings = g->settings;
    t->group = &p->group;
    t->origin = g->origin;
    t->ref = g->ref;
    t->placed = g->data != NULL;
    t->data = g->data ? g->data : t->room;
    if (!g->data)
        memcpy(t->room, g->room, g->bytes);
    return t;
}

static void accept(const struct mail *mail, struct wait *w)
{
    struct parcel *p = calloc(1, sizeof *p);
    if (!p)
        start_fail("omp task: no memory");
    p->group.parcel = p;
    p->group.reductions = mail->task[0].reductions;
    p->wait = w;
    p->unstarted = mail->tasks;
    w->parcels++;
    w->unstarted += mail->tasks;
    for (unsigned k = 0; k < mail->tasks; k++)
        crew_push(unpack(&mail->task[k], p));
    crew.asked = ASKED_NONE;
}

/* On the private stack. False: no mail. `w`: NULL if the thread has sent no request. */
static bool open_mail(struct wait *w)
{
    unsigned count = box_mail();
    if (count == crew.mail_seen)
        return false;
    crew.mail_seen = count;
    if (!crew.mail)
        crew.mail = malloc(sizeof *crew.mail);
    if (!crew.mail)
        start_fail("omp task: no memory");
    box_take(crew.mail);
    for (unsigned k = 0; k < crew.mail->reports; k++)
        hear(crew.mail->report[k]);
    if (crew.mail->tasks)
        accept(crew.mail, w);
    return true;
}

/* ---- tasks to send ---- */

static bool comes_from(const struct task *t, int lane, uint64_t ref)
{
    return t->origin >= 0 ? t->origin == lane && t->ref == ref
                          : t->top_lane == lane && t->top_ref == ref;
}

/* TK2: the same waiter. */
static bool are_alike(const struct task *a, const struct task *b)
{
    return a->alone == b->alone && a->origin == b->origin && a->family == b->family &&
           a->group == b->group;
}

/* A task received by this thread has been sent on. */
static void let_go(struct task *t)
{
    t->data = NULL;
    t->group->parcel->wait->unstarted--;
    t->group->parcel->unstarted--;
    parcel_close(t->group->parcel);
    task_free(t);
}

/* TK2. */
bool exchange_may_give_back(void)
{
    for (unsigned k = 0; k < crew.queued; k++)
        if (crew.queue[k]->origin >= 0 && crew.queue[k]->alone)
            return true;
    return false;
}

void exchange_give_back(void)
{
    for (unsigned k = crew.queued; k > 0; k--) {
        struct task *t = crew.queue[k - 1];
        if (t->origin < 0 || !t->alone)
            continue;
        report(t->origin, t->ref | REPORT_BACK);
        let_go(crew_remove(k - 1));
    }
    reports_send();
}

static void pack(struct given *g, struct task *t, int to)
{
    if (!t->placed && t->bytes > GIVEN_ROOM)
        task_place(t);
    *g = (struct given){ .fn = t->fn,
                         .data = t->placed ? t->data : NULL,
                         .bytes = t->bytes,
                         .align = t->align,
                         .origin = t->origin >= 0 ? t->origin : me(),
                         .final = t->final,
                         .alone = t->alone,
                         .ref = t->origin >= 0 ? t->ref : (uintptr_t)t,
                         .reductions = t->group ? t->group->reductions : NULL,
                         .settings = t->settings };
    if (!t->placed)
        memcpy(g->room, t->data, t->bytes);
    if (t->origin >= 0) {
        let_go(t);
        return;
    }
    t->given_to = to;
    link_away(t);
}

/* Number of tasks in a row from k on that are alike. */
static unsigned count_alike(unsigned k)
{
    unsigned n = 1;
    while (k + n < crew.queued && n < PARCEL && are_alike(crew.queue[k], crew.queue[k + n]))
        n++;
    return n;
}

/* Sends one of `shares` shares of the tasks from k on that are alike. */
static void give(int to, unsigned k, unsigned shares)
{
    static _Thread_local struct given parcel[PARCEL];
    unsigned n = count_alike(k);
    n = n > shares ? n / shares : 1;
    for (unsigned i = 0; i < n; i++)
        pack(&parcel[i], crew_remove(k), to);
    box_give(to, parcel, n);
}

static bool may_give(void)
{
    return crew.queued > 0 && crew.given + PARCEL <= GIVEN_MOST;
}

static bool give_to_lane(void)
{
    int lane;
    uint64_t ref;
    if (!box_asked(&lane, &ref))
        return false;
    for (unsigned k = 0; k < crew.queued; k++)
        if (comes_from(crew.queue[k], lane, ref)) {
            if (!box_claim_lane(lane, ref))
                return false;
            give(lane, k, 2);
            return true;
        }
    return false;
}

/* On the private stack. */
static bool give_some(void)
{
    unsigned more = 0;
    bool any = may_give() && give_to_lane();
    while (may_give()) {
        int lane = box_claim(&more);
        if (lane < 0)
            break;
        give(lane, 0, more + 2);
        any = true;
    }
    return any;
}

static void look(void *arg)
{
    uint64_t from = ticks();
    (void)arg;
    bool heard = crew.given && open_mail(NULL);
    bool any = give_some();
    crew.looked = ticks();
    crew.interval = (crew.looked - from) * (any || heard ? SHARE_GIVING : LOOK_SHARE);
    if (crew.interval < LOOK_LEAST)
        crew.interval = LOOK_LEAST;
}

/* Where tasks are short, most calls do not even read the clock. */
void exchange_look(void)
{
    uint64_t since;
    if (crew.skip > 0) {
        crew.skip--;
        return;
    }
    if (!crew.queued && !crew.given)
        return;
    since = ticks() - crew.looked;
    if (since >= crew.interval)
        lane_call(look, NULL);
    else if (since < crew.interval / 4)
        crew.skip = SKIPS;
}

/* ---- steal requests ---- */

static bool try_to_take_back(void)
{
    return crew.asked == ASKED_ALL ? box_take_back()
                                   : box_take_back_lane(crew.asked_lane, crew.asked_ref);
}

/* BX2. */
static void take_back(void *arg)
{
    struct wait *w = arg;
    if (crew.asked == ASKED_NONE)
        return;
    if (try_to_take_back())
        crew.asked = ASKED_NONE;
    while (crew.asked != ASKED_NONE)
        if (!open_mail(w))
            sched_yield();
}

bool exchange_take_back(struct wait *w)
{
    unsigned before = w->parcels;
    if (crew.asked != ASKED_NONE)
        lane_call(take_back, w);
    return w->parcels == before;
}

/* The next awaited task that was sent away, after the one asked for last. */
static const struct task *to_ask_for(const struct wait *w)
{
    const struct task *first = NULL, *t;
    bool behind = false;
    for (t = crew.away; t; t = t->next) {
        if (!wait_is_for(w, t))
            continue;
        if (behind)
            return t;
        if (!first)
            first = t;
        behind = (uintptr_t)t == crew.asked_ref;
    }
    return first;
}

/* TK3. */
static void ask(const struct wait *w, uint64_t now)
{
    const struct task *t;
    crew.asked_at = now;
    if (w->all && !w->parcels) {
        box_ask();
        crew.asked = ASKED_ALL;
        return;
    }
    t = locks_held() ? NULL : to_ask_for(w);
    if (!t || !box_ask_lane(t->given_to, (uintptr_t)t))
        return;
    crew.asked = ASKED_LANE;
    crew.asked_lane = t->given_to;
    crew.asked_ref = (uintptr_t)t;
}

static void rest(uint64_t so_far)
{
    if (so_far < SPIN_UNTIL && places_processors() < start_lanes) {
        sched_yield();
        return;
    }
    if (so_far < SPIN_UNTIL) {
        for (int k = 0; k < 20; k++)
            __builtin_ia32_pause();
        return;
    }
    long ns = so_far / 16 > REST_MOST_NS ? REST_MOST_NS : (long)(so_far / 16);
    (void)nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* ---- a step ---- */

static void step(void *arg)
{
    struct wait *w = arg;
    uint64_t now = ticks();
    reports_send();
    if (open_mail(w)) {
        w->since = 0;
        return;
    }
    w->is_over = w->over(w);
    if (w->is_over && w->parcels == 0) {
        take_back(w);
        return;
    }
    if (give_some())
        w->since = 0;
    if (w->since == 0)
        w->since = now;
    if (crew.asked == ASKED_LANE && now - crew.asked_at > ASK_OTHERS)
        take_back(w);
    else if (crew.asked == ASKED_NONE && now - w->since > ASK_AFTER)
        ask(w, now);
    rest(now - w->since);
}

void exchange_step(struct wait *w)
{
    lane_call(step, w);
}
