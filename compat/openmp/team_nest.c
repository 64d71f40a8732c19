/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_nest.c - see team_nest.h for the invariants. */
#include "compat/openmp/team_nest.h"

#include <limits.h>
#include <stdlib.h>

#include "compat/openmp/places.h"
#include "compat/openmp/team.h"
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

/* Counts up to `threads` - 1 further threads within the limit, which is on all of them. */
static int team_nest_reserve(const struct team_region *r, int threads)
{
    int seen = atomic_load(&extra), more, room;
    do {
        room = r->settings.limit == INT_MAX ? INT_MAX
                                            : r->settings.limit - team_nest_outermost(r) - seen;
        more = threads - 1 < room ? threads - 1 : room > 0 ? room : 0;
    } while (!atomic_compare_exchange_weak(&extra, &seen, seen + more));
    return more + 1;
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

static void team_nest_start(struct team_nest_member *m)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    int rc = pthread_attr_setstacksize(&attr, lane_private_bytes(start_image.tls_room));
    if (rc == 0)
        rc = pthread_create(&m->thread, &attr, team_nest_body, m);
    pthread_attr_destroy(&attr);
    if (rc)
        start_thread_fail(m->number, -rc);
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

void team_nest_run(const struct team_work *w, struct team_region *outer, int threads)
{
    int got = team_nest_reserve(outer, threads);
    if (got == 1) {
        team_run_inside(w, outer, 0, 1);
        return;
    }
    struct team_nest *n = team_nest_make(w, outer, got);
    for (int k = 1; k < got; k++)
        team_nest_start(&n->member[k]);
    team_nest_serve(n, 0);
    for (int k = 1; k < got; k++)
        pthread_join(n->member[k].thread, NULL);
    atomic_fetch_sub(&extra, got - 1);
    free(n);
}
