/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_place.c - see team_place.h. */
#include "compat/openmp/team_place.h"

#include "compat/openmp/retained.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/team.h"
#include "compat/openmp/team_collect.h"
#include "compat/openmp/team_nest.h"
#include "compat/start/lane.h"

_Thread_local struct team_place team_place;

/* ---- words ---- */

uint64_t team_word_load(struct team_word w)
{
    return w.here ? atomic_load(w.here) : hlrc_atomic_load(w.of_job);
}

uint64_t team_word_add(struct team_word w, uint64_t value)
{
    return w.here ? atomic_fetch_add(w.here, value) : hlrc_atomic_fetch_add(w.of_job, value);
}

uint64_t team_word_exchange(struct team_word w, uint64_t value)
{
    return w.here ? atomic_exchange(w.here, value) : hlrc_atomic_exchange(w.of_job, value);
}

bool team_word_compare_exchange(struct team_word w, uint64_t *expected, uint64_t desired)
{
    return w.here ? atomic_compare_exchange_strong(w.here, expected, desired)
                  : hlrc_atomic_compare_exchange(w.of_job, expected, desired);
}

/* A nested team has its words only here. */
static struct team_word team_place_either(_Atomic uint64_t *here, hlrc_atomic_t of_job)
{
    bool is_here = team_place.nest || team_plan_here.are_used;
    return (struct team_word){ .here = is_here ? here : NULL, .of_job = of_job };
}

void team_with_words(void (*act)(void *), void *arg)
{
    if (team_place.nest || team_plan_here.are_used)
        act(arg);
    else
        lane_call(act, arg);
}

static struct team_word team_place_word(unsigned of_set, unsigned pair, unsigned which)
{
    struct team_nest *n = team_place.nest;
    return team_place_either(n ? &n->words[of_set][pair][which]
                               : &team_plan_here.words[of_set][pair][which],
                             team_plan.words[of_set][pair][which]);
}

struct team_word team_count(unsigned pair)
{
    return team_place_word(team_place.set, pair, 0);
}

struct team_word team_turn(unsigned pair)
{
    return team_place_word(team_place.set, pair, 1);
}

static struct team_word team_place_progress(unsigned of_set, int thread)
{
    struct team_nest *n = team_place.nest;
    if (n)
        return (struct team_word){ .here = &n->member[thread].progress[of_set] };
    if (team_plan_here.are_used)
        return (struct team_word){ .here = &team_plan_here.progress[thread].of_set[of_set] };
    return (struct team_word){ .of_job = team_plan.progress[of_set][thread] };
}

struct team_word team_progress(int thread)
{
    team_place.in_doacross = true;
    return team_place_progress(team_place.set, thread);
}

static struct team_word team_place_ended(uint64_t collective)
{
    struct team_nest *n = team_place.nest;
    return team_place_either(n ? &n->ended[collective % 3] : &team_plan_here.ended[collective % 3],
                             team_plan.ended[collective % 3]);
}

struct team_word team_last(void)
{
    return team_place_either(&team_plan_here.last, team_plan.last);
}

struct team_word team_next_ended(void)
{
    return team_place_ended(team_place.collectives + 1);
}

struct team_plan_shown *team_shown(void)
{
    return team_place.nest ? &team_place.nest->shown : team_plan.shown;
}

/* ---- collectives ---- */

static bool team_place_is_first(void)
{
    return team_place.nest ? team_place.number == 0 : team_is_first();
}

/* doacross.h. */
static void team_place_change_set(unsigned used)
{
    unsigned old = team_place.set;
    team_place.set = !old;
    if (team_place.in_doacross)
        (void)team_word_exchange(team_place_progress(old, team_place.nest ? team_place.number
                                                                          : lane_current->index),
                                 0);
    team_place.in_doacross = false;
    if (!team_place_is_first())
        return;
    for (unsigned k = 0; k < used; k++)
        for (unsigned w = 0; w < 2; w++)
            (void)team_word_exchange(team_place_word(old, k, w), 0);
}

static void team_place_look_at_end(struct team_region *r)
{
    unsigned now_ended = (unsigned)team_word_load(team_place_ended(team_place.collectives));
    if (team_place_is_first() && team_place.ended)
        (void)team_word_exchange(team_place_ended(team_place.collectives - 1), 0);
    team_place.ended = now_ended;
    r->cancelled = (r->cancelled | now_ended) & CANCELLED_REGION;
}

static unsigned team_place_constructs(void)
{
    return team_place.nest ? NEST_CONSTRUCTS : CONSTRUCTS;
}

/* In a cancelled region not all threads reach the same constructs. */
void team_place_met(struct team_region *r)
{
    team_place.collectives++;
    if (r->retained_over)
        retained_free(r);
    if (settings_cancellation)
        team_place_look_at_end(r);
    team_place_change_set(r->cancelled ? team_place_constructs() : r->pair);
    r->pair = 0;
    if (r->loop.untouched)
        r->loop.pair = r->pair++;
}

void team_place_barrier(void *r)
{
    if (team_place.nest)
        team_collect_meet(&team_place.nest->meeting, NULL, NULL);
    else
        team_collect(NULL, 0);
    team_place_met(r);
}

unsigned team_construct(void)
{
    struct team_region *r = team_region();
    if (r->pair == team_place_constructs()) {
        team_barrier();
        if (r->pair == team_place_constructs())
            r->pair = 0; /* of a cancelled region */
    }
    return r->pair++;
}
