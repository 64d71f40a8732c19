/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_nest.c - see team_nest.h for the invariants. */
#include "compat/openmp/team_nest.h"

#include <limits.h>
#include <stdlib.h>

#include "compat/openmp/places.h"
#include "compat/openmp/team.h"
#include "compat/openmp/team_extra.h"
#include "compat/openmp/team_place.h"
#include "compat/openmp/team_run.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

static _Atomic int extra; /* threads of nested teams, without their threads 0 */

bool team_nest_is_amid(void)
{
    return atomic_load(&extra) > 0;
}

static bool team_nest_is_inside(const struct team_region *r)
{
    while (r && !r->shared)
        r = r->outer ? r->outer : r->around_target;
    return r != NULL;
}

bool team_nest_is_for(const struct team_region *r)
{
    return !team_is_first() || team_nest_is_inside(r);
}

/* Threads of the outermost region of several threads. */
static int team_nest_outermost(const struct team_region *r)
{
    int threads = 1;
    for (; r; r = r->outer)
        if (r->shared)
            threads = r->threads;
    return threads;
}

/* Up to `more` of them, to the count of this process, which may become `most`. */
static int team_nest_count_here(int more, int most)
{
    int seen = atomic_load(&extra), got;
    do
        got = more < most - seen ? more : most > seen ? most - seen : 0;
    while (!atomic_compare_exchange_weak(&extra, &seen, seen + got));
    return got;
}

/* Which threads the limit counts: of all nodes, or of a target region. */
struct team_nest_group {
    struct team_word counted;
    int more, most;
};

static struct team_nest_group team_nest_group_of(struct team_region *r, int more)
{
    static _Atomic uint64_t of_process;
    struct team_nest_group g = { .more = more, .most = r->settings.limit - team_nest_outermost(r) };
    while (r->outer)
        r = r->outer;
    if (r->around_target && team_nest_is_inside(r)) /* otherwise its teams are the job's */
        g.counted.here = &r->counted;
    else if (start_sharing)
        g.counted.of_job = team_plan.nested;
    else
        g.counted.here = &of_process;
    return g;
}

/* As team_nest_count_here, on the private stack. */
static void team_nest_count_in_group(void *arg)
{
    struct team_nest_group *g = arg;
    uint64_t seen = team_word_load(g->counted);
    int got;
    do {
        int room = g->most - (int)seen;
        got = g->more < room ? g->more : room > 0 ? room : 0;
    } while (!team_word_compare_exchange(g->counted, &seen, seen + (uint64_t)got));
    g->more = got;
}

static void team_nest_discount_in_group(void *arg)
{
    const struct team_nest_group *g = arg;
    (void)team_word_add(g->counted, (uint64_t)-g->more);
}

static void team_nest_leave_group(struct team_region *r, int threads)
{
    struct team_nest_group g = team_nest_group_of(r, threads);
    if (r->settings.limit != INT_MAX && threads > 0)
        lane_call(team_nest_discount_in_group, &g);
}

/* Counts up to `threads` - 1 further threads within the limit. */
static int team_nest_reserve(struct team_region *r, int threads)
{
    struct team_nest_group g = team_nest_group_of(r, threads - 1);
    if (r->settings.limit != INT_MAX)
        lane_call(team_nest_count_in_group, &g);
    int most = start_sharing ? start_extras - team_extra_idle() : INT_MAX;
    int got = team_nest_count_here(g.more, most);
    team_nest_leave_group(r, g.more - got);
    return got + 1;
}

static void team_nest_release(struct team_region *r, int more)
{
    atomic_fetch_sub(&extra, more);
    team_nest_leave_group(r, more);
}

static bool team_nest_crowds(void)
{
    bool crowded = team_lanes() + atomic_load(&extra) > places_processors();
    if (crowded && !start_crowded)
        start_crowded = start_fences = true;
    return crowded;
}

static void team_nest_serve(struct team_nest *n, int number)
{
    struct team_place before = team_place;
    team_place = (struct team_place){ .nest = n, .number = number };
    team_run_inside(n->work, n->outer, number, n->threads);
    team_place = before;
}

static void *team_nest_body(void *arg)
{
    const struct team_nest_member *m = arg;
    places_inherit(m->nest->lane_place);
    team_nest_serve(m->nest, m->number);
    return NULL;
}

static int team_nest_start_private(struct team_nest_member *m)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    int rc = pthread_attr_setstacksize(&attr, lane_private_bytes(start_image.tls_room));
    if (rc == 0)
        rc = pthread_create(&m->thread, &attr, team_nest_body, m);
    pthread_attr_destroy(&attr);
    return -rc;
}

int team_nest_most(void)
{
    return start_extras + 1;
}

static void team_nest_serve_extra(void *arg)
{
    const struct team_nest_member *m = arg;
    team_nest_serve(m->nest, m->number);
}

/* On the private stack. */
static void team_nest_start(void *arg)
{
    struct team_nest_member *m = arg;
    int rc = 0;
    if (start_sharing)
        m->extra = team_extra_run(m->number, m->nest->stays, m->nest->lane_place,
                                  team_nest_serve_extra, m);
    else
        rc = team_nest_start_private(m);
    if (rc)
        start_thread_fail(m->number, rc);
}

static void team_nest_join(void *arg)
{
    struct team_nest_member *m = arg;
    if (m->extra)
        team_extra_await(m->extra);
    else
        pthread_join(m->thread, NULL);
}

static struct team_nest *team_nest_make(const struct team_work *w, struct team_region *outer,
                                        int threads)
{
    struct team_nest *n = calloc(1, sizeof *n + (size_t)threads * sizeof *n->member);
    if (!n)
        start_fail("OpenMP: no memory for a team of %d threads", threads);
    n->work = w;
    n->outer = outer;
    n->threads = threads;
    n->lane_place = places_mine();
    team_collect_prepare(&n->meeting, threads, team_nest_crowds());
    for (int k = 0; k < threads; k++) {
        n->member[k].nest = n;
        n->member[k].number = k;
    }
    return n;
}

static void team_nest_run_with(const struct team_work *w, struct team_region *outer, int threads,
                               bool stays)
{
    struct team_nest *n = team_nest_make(w, outer, threads);
    n->stays = stays;
    for (int k = 1; k < threads; k++)
        lane_call(team_nest_start, &n->member[k]);
    team_nest_serve(n, 0);
    for (int k = 1; k < threads; k++)
        lane_call(team_nest_join, &n->member[k]);
    free(n);
}

void team_nest_run(const struct team_work *w, struct team_region *outer, int threads)
{
    int got = team_nest_reserve(outer, threads);
    if (got == 1)
        team_run_inside(w, outer, 0, 1);
    else
        team_nest_run_with(w, outer, got, false);
    team_nest_release(outer, got - 1);
}

void team_nest_run_large(const struct team_work *w, struct team_region *outer, int threads)
{
    int held = team_extra_hold(threads - 1);
    atomic_fetch_add(&extra, held);
    team_nest_run_with(w, outer, threads, true);
    atomic_fetch_sub(&extra, held);
    team_extra_release();
}
