/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_team.c - regions, sections, single and barriers, by the names of gomp.h. */
#include <stdio.h>
#include <stdlib.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/loop.h"
#include "compat/openmp/retained.h"
#include "compat/openmp/share.h"
#include "compat/openmp/team.h"
#include "compat/openmp/team_place.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "compat/start/tls.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

void GOMP_parallel(gomp_fn *fn, void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    team_parallel(fn, data, threads, NULL);
}

/* ---- teams: one after the other, each with all threads for its regions ---- */

void GOMP_teams_reg(gomp_fn *fn, void *data, unsigned teams, unsigned limit, unsigned flags)
{
    struct settings *s = &team_region()->settings, before = *s;
    unsigned n = teams ? teams : s->teams ? (unsigned)s->teams : 1;
    (void)flags;
    if (!limit)
        limit = (unsigned)s->teams_limit;
    if (limit)
        s->limit = limit < (unsigned)s->limit ? (int)limit : s->limit;
    s->league = (int)n;
    for (unsigned k = 0; k < n; k++) {
        s->team = (int)k;
        fn(data);
    }
    s->limit = before.limit;
    s->league = before.league;
    s->team = before.team;
}

/* ---- sections: a loop over their numbers; 0 means none left ---- */

static void gomp_team_make_sections(struct loop *l, unsigned count)
{
    loop_init(l, SCHEDULE_DYNAMIC, false, 1, (ull)count + 1, 1, false, false, 1);
}

unsigned GOMP_sections_next(void)
{
    ull first, beyond;
    return loop_next(&first, &beyond) ? (unsigned)first : 0;
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
    share_begin(reductions, memory);
    return GOMP_sections_start(count);
}

unsigned GOMP_sections_start(unsigned count)
{
    struct loop l;
    gomp_team_make_sections(&l, count);
    loop_begin(&l);
    return GOMP_sections_next();
}

void GOMP_parallel_sections(gomp_fn *fn, void *data, unsigned threads, unsigned count,
                            unsigned flags)
{
    struct loop l;
    (void)flags;
    gomp_team_make_sections(&l, count);
    team_parallel(fn, data, threads, &l);
}

void GOMP_sections_end(void)
{
    retained_leave(team_region());
    team_barrier();
}

void GOMP_sections_end_nowait(void)
{
    retained_leave(team_region());
}

/* ---- single ---- */

/* An address that one thread shows to its team, and its thread-local variables: valid from the
 * next barrier to the one after it. */
static void gomp_team_show(void *what)
{
    *team_shown() = (struct team_plan_shown){ what, lane_is_numbered() ? lane_current->index : 0 };
    if (!team_place.nest) /* whose threads are on one node */
        tls_show();
}

void gomp_team_see(void *out)
{
    const struct team_plan_shown *shown = team_shown();
    if (!team_place.nest)
        tls_see(shown->by);
    *(void **)out = shown->what;
}

struct gomp_team_first {
    unsigned pair;
    bool is;
};

static void gomp_team_come(void *arg)
{
    struct gomp_team_first *f = arg;
    f->is = team_word_add(team_count(f->pair), 1) == 0;
}

/* True in the first thread that arrives. */
bool GOMP_single_start(void)
{
    struct gomp_team_first f = { 0, true };
    if (team_region()->shared) {
        f.pair = team_construct();
        team_with_words(gomp_team_come, &f);
    }
    return f.is;
}

void *GOMP_single_copy_start(void)
{
    if (team_is_over() || GOMP_single_start())
        return NULL;
    void *what;
    team_barrier(); /* matches that of GOMP_single_copy_end */
    lane_call(gomp_team_see, &what);
    return what;
}

void GOMP_single_copy_end(void *data)
{
    if (!team_region()->shared || team_is_over())
        return;
    lane_call(gomp_team_show, data);
    team_barrier();
}

void GOMP_barrier(void)
{
    team_barrier();
}

/* ---- omp error ---- */

static int gomp_team_length(size_t len)
{
    return len > 1000 ? 1000 : (int)len;
}

void GOMP_warning(const char *message, size_t len)
{
    if (message)
        fprintf(stderr, "omp error: %.*s\n", len == (size_t)-1 ? 1000 : gomp_team_length(len),
                message);
}

void GOMP_error(const char *message, size_t len)
{
    GOMP_warning(message, len);
    start_fail("omp error directive");
}
