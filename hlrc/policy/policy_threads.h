/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_threads.h - do the threads of a team run on all nodes ("spread"), on some of them, or all
 * on node 0 ("gathered"), when the nodes are on several hosts?
 *
 * A program begins gathered, which costs what one node costs. When a rest is over, it is spread for
 * a trial, and stays spread as long as that is faster. Then it rests again, longer than before.
 *
 * Time is divided into periods, each from one region's fork to the next one's. Periods are compared
 * by the code of their regions: the time that each takes gathered, on average, is known. A window
 * is the time until the code with which it began has come round again. Spread, each window is
 * judged by its ratio, time / time gathered.
 *
 * Spread, the threads of `span` consecutive nodes run on the first of these: 1 means all nodes.
 *
 * Programs of POSIX threads have no regions. Their periods all have one code, and are compared by
 * what was computed in them.
 *
 * Rules
 *   [threads.budget] Trials have lost at most POLICY_THREADS_BUDGET of the time so far when one
 *       begins, with what the move of the data there costs, and one ends with the first period that
 *       exceeds this. No period ends before its data have moved, so the move counts a round trip of
 *       the network for each page, as if no two were under way together.
 *   [threads.falling] A trial is not given up while its ratio falls from window to window: data
 *       still move to their nodes.
 *   [threads.worth] There is no trial of a program whose periods are too short, or synchronise too
 *       often, to gain: a single period of these may cost more spread than a budget holds.
 *   [threads.known] A period is spread only if its code has run gathered before. Other code ends
 *       spreading, as a new program. A period whose synchronisation alone would take several times
 *       as long when spread runs gathered, and the threads are spread again after it.
 *   [threads.span] A trial that has not paid is followed by one with twice the span, half the
 *       nodes. Where threads stay spread, half or twice the nodes are tried in turn: they are kept
 *       if that is faster than before by as much as a trial has to gain. What it loses against the
 *       span before is in the budget, as is its move.
 *
 * Source: the probing of HetProbe (Lyerly et al., libHetMP, doi 10.1145/3505224), with a budget for
 * what probes lose. All times are ns.
 */
#ifndef HLRC_POLICY_THREADS_H
#define HLRC_POLICY_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POLICY_THREADS_CODES        1024   /* a power of two */
#define POLICY_THREADS_TRIES        8      /* places of a code in the table */
#define POLICY_THREADS_BUDGET       0.06   /* of the time */
#define POLICY_THREADS_REST         1.5e9  /* before the first trial */
#define POLICY_THREADS_PAGE         10000  /* to move: announced, protected, fetched */
#define POLICY_THREADS_PAGE_TRIPS   1      /* round trips of the network for each such page */
#define POLICY_THREADS_PERIOD       200000 /* the shortest mean period that is worth a trial, and */
#define POLICY_THREADS_PERIOD_TRIPS 10     /* round trips: its fork and its end take some */
#define POLICY_THREADS_SYNC         20000  /* what a lock or an ordered operation costs spread */
#define POLICY_THREADS_SYNC_TRIPS   2      /* and its round trips */
#define POLICY_THREADS_SYNCS        0.1    /* their part of a period that is worth a trial */
#define POLICY_THREADS_SYNCS_MOST   2      /* the same of a period that is spread */
#define POLICY_THREADS_LEAST        2e7    /* the shortest window of a trial */
#define POLICY_THREADS_LONG         2e8    /* and after a success: other programs may disturb it */
#define POLICY_THREADS_MOST         1e9    /* judged without a cycle */
#define POLICY_THREADS_GAIN         0.95   /* the ratio of a trial that is a success */
#define POLICY_THREADS_KEEP         1.0    /* the ratio up to which it stays spread then */
#define POLICY_THREADS_FALLING      0.9    /* of the ratio before */
#define POLICY_THREADS_REPAYMENT    16     /* the next rest, in losses of the trial */

struct policy_threads_code {
    const void *at;
    double gathered; /* time of its period, a unit of work; mean of the last ones; 0: unknown */
    double syncs;    /* part of that time that they would cost spread */
    bool rough;      /* measured once, in a period that began with a move */
};

struct policy_threads {
    struct policy_threads_code codes[POLICY_THREADS_CODES];
    bool spread, succeeded; /* `succeeded` since it was last gathered */
    int nodes, span;        /* `span` of the next trial, while gathered */
    double trip;            /* a message to another node and its answer */
    double begun, since;    /* the program; the period */
    const void *code;       /* of the period; NULL: none yet */
    bool moved;             /* the period began with a move */
    bool exception;         /* it is gathered, between spread ones [threads.known] */
    /* while gathered: of the periods since the last trial, without exceptions */
    double time, syncs;
    uint64_t periods;
    double rest, rest_until;
    /* while spread: of the window */
    const void *first;
    unsigned rounds;        /* of `first` */
    double spent, expected; /* time; what the same periods take gathered */
    double ratio;           /* of the window before; 0: none */
    /* [threads.span] */
    double against; /* the ratio with span `before`, which another one is compared with; 0: none */
    int before;
    bool fewer; /* nodes are tried next */
    double compare_rest, compare_at;
    double pages; /* that have data, as a trial began */
    double lost;  /* by all trials, without the window */
};

static inline struct policy_threads_code *policy_threads_code_of(struct policy_threads *p,
                                                                 const void *at)
{
    uintptr_t n = (uintptr_t)at, k = (n >> 4 ^ n >> 10) % POLICY_THREADS_CODES;
    struct policy_threads_code *c = &p->codes[k];
    for (int i = 1; i < POLICY_THREADS_TRIES && c->at && c->at != at; i++)
        c = &p->codes[(k + (uintptr_t)i) % POLICY_THREADS_CODES];
    if (c->at != at)
        *c = (struct policy_threads_code){ .at = at };
    return c;
}

static inline void policy_threads_window(struct policy_threads *p)
{
    p->first = NULL;
    p->rounds = 0;
    p->spent = p->expected = 0;
}

static inline void policy_threads_move(struct policy_threads *p, bool spread, double now)
{
    p->moved = p->spread != spread;
    p->spread = spread;
    p->succeeded = false;
    p->time = p->syncs = 0;
    p->periods = 0;
    p->rest_until = now + p->rest;
    p->ratio = p->against = 0;
    p->fewer = true;
    p->compare_rest = POLICY_THREADS_REST;
    p->compare_at = now + p->compare_rest;
    policy_threads_window(p);
}

static inline void policy_threads_begin(struct policy_threads *p, double rest, double trip,
                                        int nodes, double now)
{
    *p = (struct policy_threads){
        .trip = trip, .begun = now, .rest = rest, .nodes = nodes, .span = 1
    };
    policy_threads_move(p, false, now);
}

/* ---- what spreading costs on this network ---- */

static inline double policy_threads_sync(double trip)
{
    return POLICY_THREADS_SYNC + POLICY_THREADS_SYNC_TRIPS * trip;
}

static inline double policy_threads_page(double trip)
{
    return POLICY_THREADS_PAGE + POLICY_THREADS_PAGE_TRIPS * trip;
}

static inline double policy_threads_period(double trip)
{
    return POLICY_THREADS_PERIOD + POLICY_THREADS_PERIOD_TRIPS * trip;
}

/* Of a period that ends. */
struct policy_threads_done {
    double work; /* in any unit; 1 where the code says it all */
    /* its time gathered is at least this part of its time: so few threads had work */
    double part;
    double syncs; /* locks and ordered operations, counted while gathered */
    double pages; /* that have data, gathered; may be 0 if no trial is due */
};

/* ---- gathered ---- */

static inline void policy_threads_learn(struct policy_threads *p, double took,
                                        const struct policy_threads_done *done)
{
    double each = took / done->work,
           syncs = done->syncs * policy_threads_sync(p->trip) / (took + 1);
    struct policy_threads_code *c = policy_threads_code_of(p, p->code);
    bool known = c->gathered > 0;
    c->syncs = known ? 0.75 * c->syncs + 0.25 * syncs : syncs;
    if (!p->moved)
        c->gathered = known && !c->rough ? 0.75 * c->gathered + 0.25 * each : each;
    else if (!known)
        c->gathered = each;
    c->rough = p->moved && (!known || c->rough);
    if (c->syncs > POLICY_THREADS_SYNCS_MOST) /* [threads.known] */
        return;
    p->time += took;
    p->syncs += done->syncs;
    p->periods++;
}

/* [threads.worth] */
static inline bool policy_threads_is_worth(const struct policy_threads *p)
{
    return p->time >= policy_threads_period(p->trip) * (double)p->periods &&
           p->syncs * policy_threads_sync(p->trip) <= POLICY_THREADS_SYNCS * p->time;
}

/* [threads.known] */
static inline bool policy_threads_knows(struct policy_threads *p, const void *code)
{
    return policy_threads_code_of(p, code)->gathered > 0;
}

static inline bool policy_threads_is_due(const struct policy_threads *p, double now)
{
    return !p->spread && now >= p->rest_until;
}

/* [threads.budget] What trials may have lost by now. A trial that compares spans leaves half of
 * it, for the way back. */
static inline double policy_threads_budget(const struct policy_threads *p, bool compares,
                                           double now)
{
    double all = POLICY_THREADS_BUDGET * (now - p->begun);
    return compares ? all / 2 : all;
}

static inline double policy_threads_moving(const struct policy_threads *p)
{
    return p->pages * policy_threads_page(p->trip);
}

static inline void policy_threads_rest(struct policy_threads *p, const void *next, double now,
                                       const struct policy_threads_done *done)
{
    if (!policy_threads_is_due(p, now) || p->periods < 2 || !policy_threads_knows(p, next))
        return;
    p->pages = done->pages;
    bool affordable = p->lost + policy_threads_moving(p) <= policy_threads_budget(p, false, now);
    policy_threads_move(p, policy_threads_is_worth(p) && affordable, now);
}

/* ---- spread ---- */

static inline void policy_threads_account(struct policy_threads *p, double took,
                                          const struct policy_threads_done *done)
{
    const struct policy_threads_code *c = policy_threads_code_of(p, p->code);
    double gathered = c->gathered * done->work, least = done->part * took;
    gathered = gathered > least ? gathered : least;
    p->spent += took;
    p->expected += gathered;
    if (!p->first)
        p->first = p->code;
    p->rounds += p->first == p->code;
}

/* Of the window, so far. */
static inline double policy_threads_loss(const struct policy_threads *p)
{
    double expected = p->against > 0 ? p->against * p->expected : p->expected;
    return p->spent > expected ? p->spent - expected : 0;
}

static inline void policy_threads_give_up(struct policy_threads *p, double now)
{
    double loss = policy_threads_loss(p), repaid = POLICY_THREADS_REPAYMENT * loss;
    p->lost += loss;
    p->rest = 2 * p->rest > repaid ? 2 * p->rest : repaid;
    p->span = 2 * p->span < p->nodes ? 2 * p->span : 1; /* [threads.span] */
    policy_threads_move(p, false, now);
}

/* ---- [threads.span] ---- */

/* The next one to try; 0: there is none. */
static inline int policy_threads_other(const struct policy_threads *p)
{
    int twice = 2 * p->span, half = p->span / 2;
    return twice < p->nodes && (p->fewer || half == 0) ? twice : half;
}

static inline void policy_threads_try_other(struct policy_threads *p, double ratio, double now)
{
    int other = policy_threads_other(p);
    double lost = p->lost + policy_threads_moving(p);
    if (other == 0 || now < p->compare_at || lost > policy_threads_budget(p, true, now))
        return;
    p->against = ratio;
    p->before = p->span;
    p->span = other;
    p->ratio = 0;
}

static inline void policy_threads_return(struct policy_threads *p, double now)
{
    p->lost += policy_threads_loss(p);
    p->span = p->before;
    p->against = p->ratio = 0;
    p->fewer = !p->fewer;
    p->compare_rest *= 2;
    p->compare_at = now + p->compare_rest;
    policy_threads_window(p);
}

static inline void policy_threads_compare(struct policy_threads *p, double ratio, double now)
{
    bool falls = p->ratio == 0 || ratio < POLICY_THREADS_FALLING * p->ratio,
         better = ratio <= POLICY_THREADS_GAIN * p->against;
    if (!falls && !better) {
        policy_threads_return(p, now);
        return;
    }
    p->lost += policy_threads_loss(p);
    p->ratio = ratio;
    if (better) {
        p->against = 0;
        p->compare_at = now + p->compare_rest;
    }
    policy_threads_window(p);
}

/* Long enough, and its code has come round, which began twice. `next` begins. */
static inline bool policy_threads_has_seen(const struct policy_threads *p, const void *next)
{
    double least = p->succeeded ? POLICY_THREADS_LONG : POLICY_THREADS_LEAST;
    return (p->rounds >= 2 && next == p->first && p->expected >= least) ||
           p->expected >= POLICY_THREADS_MOST;
}

/* [threads.falling] */
static inline void policy_threads_judge(struct policy_threads *p, double now)
{
    double ratio = p->spent / p->expected;
    if (p->against > 0) {
        policy_threads_compare(p, ratio, now);
        return;
    }
    bool falls = p->ratio == 0 || ratio < POLICY_THREADS_FALLING * p->ratio;
    if (ratio <= POLICY_THREADS_GAIN) {
        p->succeeded = true;
        p->rest = POLICY_THREADS_REST;
    }
    if (!falls && !(p->succeeded && ratio <= POLICY_THREADS_KEEP)) {
        policy_threads_give_up(p, now);
        return;
    }
    p->lost += policy_threads_loss(p);
    p->ratio = ratio;
    if (!falls)
        policy_threads_try_other(p, ratio, now);
    policy_threads_window(p);
}

static inline void policy_threads_check(struct policy_threads *p, const void *next, double now)
{
    double loss = policy_threads_loss(p), lost = p->lost + loss;
    if (loss > 0 && lost > policy_threads_budget(p, p->against > 0, now)) { /* [threads.budget] */
        if (p->against > 0)
            policy_threads_return(p, now);
        else
            policy_threads_give_up(p, now);
    } else if (!policy_threads_knows(p, next)) {
        p->lost = lost;
        p->rest = POLICY_THREADS_REST;
        policy_threads_move(p, false, now);
    } else if (policy_threads_has_seen(p, next)) {
        policy_threads_judge(p, now);
    }
}

/* ---- both ---- */

/* Whether the period that has begun runs on all nodes. */
static inline bool policy_threads_is_spread(const struct policy_threads *p)
{
    return p->spread && !p->exception;
}

/* The span of this period; `nodes`: gathered. */
static inline int policy_threads_span(const struct policy_threads *p)
{
    return policy_threads_is_spread(p) ? p->span : p->nodes;
}

/* The region `next` begins at `now`; the one before it is done. */
static inline void policy_threads_next(struct policy_threads *p, const void *next, double now,
                                       const struct policy_threads_done *done)
{
    double took = now - p->since;
    if (p->code && !p->spread) {
        policy_threads_learn(p, took, done);
        p->moved = false;
        policy_threads_rest(p, next, now, done);
    } else if (p->code) {
        policy_threads_account(p, took, done);
        p->moved = false;
        policy_threads_check(p, next, now);
    }
    p->exception = p->spread && /* [threads.known] */
                   policy_threads_code_of(p, next)->syncs > POLICY_THREADS_SYNCS_MOST;
    p->code = next;
    p->since = now;
}

/* The period that ends at `now` says nothing: the threads had no work. */
static inline void policy_threads_skip(struct policy_threads *p, double now)
{
    p->since = now;
}

#endif
