/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loop.c - see loop.h. */
#include "compat/openmp/loop.h"

#include <sched.h>

#include "compat/openmp/locks.h"
#include "compat/openmp/settings.h"
#include "compat/start/lane.h"

ull loop_count(ull start, ull end, ull incr, bool down, bool is_signed)
{
    bool none =
        is_signed ? (down ? (long long)start <= (long long)end : (long long)start >= (long long)end)
                  : (down ? start <= end : start >= end);
    if (none || incr == 0)
        return 0;
    return down ? (start - end - 1) / (0 - incr) + 1 : (end - start - 1) / incr + 1;
}

void loop_init(struct loop *l, enum team_schedule schedule, bool ordered, ull start, ull end,
               ull incr, bool down, bool is_signed, ull chunk)
{
    if (schedule == SCHEDULE_AUTO) {
        schedule = SCHEDULE_STATIC;
        chunk = 0;
    }
    *l = (struct loop){ .schedule = schedule,
                        .ordered = ordered,
                        .start = start,
                        .end = end,
                        .incr = incr,
                        .count = loop_count(start, end, incr, down, is_signed),
                        .chunk = chunk };
}

void loop_runtime(enum team_schedule *schedule, ull *chunk)
{
    const struct settings *s = &team_region()->settings;
    *schedule = s->schedule;
    *chunk = s->chunk > 0 ? (ull)s->chunk : 0;
}

void loop_begin(const struct loop *l)
{
    struct team_region *r = team_region();
    r->loop = *l;
    r->loop.thread = r->thread;
    r->loop.threads = r->threads;
    if (r->shared)
        r->loop.pair = team_construct();
}

/* ---- chunks ---- */

/* One block each, the first ones longer by one iteration. */
static bool loop_next_block(struct loop *l, ull *low, ull *high)
{
    ull n = (ull)l->threads, i = (ull)l->thread, each = l->count / n, more = l->count % n;
    if (l->next++ > 0)
        return false;
    *low = i * each + (i < more ? i : more);
    *high = *low + each + (i < more);
    return *low < *high;
}

int loop_owner(const struct loop *l, ull number)
{
    ull n = (ull)l->threads, each = l->count / n, more = l->count % n, longer = more * (each + 1);
    if (l->chunk)
        return (int)(number / l->chunk % n);
    return (int)(number < longer ? number / (each + 1) : (number - longer) / each + more);
}

static bool loop_next_static(struct loop *l, ull *low, ull *high)
{
    if (l->chunk == 0)
        return loop_next_block(l, low, high);
    ull k = l->next++ * (ull)l->threads + (ull)l->thread; /* chunk number */
    if (k >= (l->count + l->chunk - 1) / l->chunk)
        return false;
    *low = k * l->chunk;
    *high = l->count - *low < l->chunk ? l->count : *low + l->chunk;
    return true;
}

struct loop_taking {
    const struct loop *l;
    ull from, size;
};

static ull loop_guided_size(const struct loop *l, ull from, ull least)
{
    ull left = l->count - from, size = (left + (ull)l->threads - 1) / (ull)l->threads;
    if (size < least)
        size = least;
    return size < left ? size : left;
}

/* From the job's counter. Near its end a thread that finds no chunk does not raise it, so it
 * cannot wrap. */
static void loop_take_shared(void *arg)
{
    struct loop_taking *t = arg;
    const struct loop *l = t->l;
    struct team_word word = team_count(l->pair);
    ull chunk = l->chunk ? l->chunk : 1;
    uint64_t seen;
    if (l->schedule == SCHEDULE_DYNAMIC && l->count + chunk * (ull)l->threads > l->count) {
        t->from = team_word_add(word, chunk);
        t->size = chunk;
        return;
    }
    seen = team_word_load(word);
    do {
        t->from = seen;
        t->size = seen < l->count ? loop_guided_size(l, seen, chunk) : 0;
        if (l->schedule == SCHEDULE_DYNAMIC && t->size > chunk)
            t->size = chunk;
    } while (t->size && !team_word_compare_exchange(word, &seen, seen + t->size));
}

static bool loop_next_taken(struct loop *l, ull *low, ull *high)
{
    struct loop_taking t = { l, l->next, l->chunk ? l->chunk : 1 };
    if (team_region()->shared)
        team_with_words(loop_take_shared, &t);
    else if (l->schedule == SCHEDULE_GUIDED && l->next < l->count)
        t.size = loop_guided_size(l, l->next, t.size);
    if (t.from >= l->count || t.size == 0)
        return false;
    *low = t.from;
    *high = l->count - t.from < t.size ? l->count : t.from + t.size;
    l->next = *high;
    return true;
}

bool loop_next_numbers(ull *low, ull *high)
{
    struct loop *l = &team_region()->loop;
    l->untouched = false;
    if (l->ordered)
        loop_end_turn();
    l->has = l->schedule == SCHEDULE_STATIC ? loop_next_static(l, low, high)
                                            : loop_next_taken(l, low, high);
    if (l->has) {
        l->low = *low;
        l->high = *high;
    }
    return l->has;
}

bool loop_next(ull *first, ull *beyond)
{
    const struct loop *l = &team_region()->loop;
    ull low, high;
    if (!loop_next_numbers(&low, &high))
        return false;
    *first = l->start + low * l->incr;
    *beyond = high == l->count ? l->end : l->start + high * l->incr;
    return true;
}

/* ---- ordered ---- */

static void loop_await(void *arg)
{
    const struct loop *l = arg;
    while (team_word_load(team_turn(l->pair)) != l->low) {
        if (settings_cancellation && (team_cancelled() & CANCELLED_REGION))
            return; /* earlier chunks may never run */
        sched_yield();
    }
    locks_pass(LOCK_ORDERED); /* the word itself does not order memory */
}

void loop_await_turn(void)
{
    struct team_region *r = team_region();
    if (r->shared && r->loop.ordered && r->loop.has)
        lane_call(loop_await, &r->loop);
}

static void openmp_loop_end_turn(void *arg)
{
    struct loop *l = arg;
    loop_await(l);
    locks_pass(LOCK_ORDERED);
    (void)team_word_exchange(team_turn(l->pair), l->high);
}

void loop_end_turn(void)
{
    struct team_region *r = team_region();
    if (r->shared && r->loop.has)
        lane_call(openmp_loop_end_turn, &r->loop);
    r->loop.has = false;
}
