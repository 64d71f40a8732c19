/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team.c - see team.h for the invariants. */
#include "compat/openmp/team.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compat/openmp/gather.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/places.h"
#include "compat/openmp/retained.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/taskgroup.h"
#include "compat/openmp/team_collect.h"
#include "compat/openmp/team_extra.h"
#include "compat/openmp/team_grow.h"
#include "compat/openmp/team_modes.h"
#include "compat/openmp/team_nest.h"
#include "compat/openmp/team_place.h"
#include "compat/openmp/team_plan.h"
#include "compat/openmp/team_run.h"
#include "compat/openmp/team_watch.h"
#include "compat/process/inherit.h"
#include "compat/process/streams.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "compat/start/tls.h"

enum team_fork_kind {
    FORK_END,
    FORK_REGION,
    FORK_SHOW, /* threads show their thread-local variables, before some move to hosts */
    FORK_PARK, /* guests return to the gate (gather.h) */
};

/* Tells threads what to do. Written by thread 0; each node has its copy after the collective. */
struct team_fork {
    enum team_fork_kind kind;
    bool moved; /* between nodes, since the last region */
    int before; /* the span that thread 0 has left: threads return to their nodes */
    int span;   /* of FORK_SHOW: the next one */
    /* thread 0's, before this collective: the others may have missed some */
    uint64_t collectives;
    unsigned set;
    void (*fn)(void *);
    void (*code)(void *);
    void *data;
    int threads;
    int around; /* one-thread regions that thread 0 is in */
    bool has_loop;
    struct loop loop;
    uintptr_t *reductions;
    struct settings settings;
    struct modes modes; /* thread 0's */
};

#define MOVES 8 /* joins; homes may migrate in one of these */

static struct team_fork now; /* this node's copy */
static int lanes = 1;
static bool moved;          /* some of them to or from this node, since the last region */
static int span_before = 1; /* that thread 0 has left, and has not announced */
static _Atomic bool amid;   /* threads besides thread 0 run the program */

/* Per compute thread. */
static _Thread_local struct team_region outermost;
_Thread_local struct team_region *team_innermost;

static const struct team_scheduler *scheduler;
static bool has_tasks; /* of the program */
static bool has_phases;

void team_use_scheduler(const struct team_scheduler *c)
{
    scheduler = c;
}

static void team_end_phase(struct team_region *r)
{
    if (!r->of_job)
        scheduler->finish(r);
    else if (has_phases && !r->cancelled)
        scheduler->end_phase(r);
}

bool team_is_first(void)
{
    return lane_current && lane_current->index == 0;
}

struct team_region *team_outermost(void)
{
    outermost = (struct team_region){ .threads = 1, .settings = settings_initial };
    team_innermost = &outermost;
    return team_innermost;
}

int team_lanes(void)
{
    return lanes;
}

/* ---- collectives; team_place.h ---- */

/* By thread 0. */
static void team_fork(struct team_region *r, const struct team_fork *what)
{
    now = *what;
    now.collectives = team_place.collectives;
    now.set = team_place.set;
    team_collect(&now, sizeof now);
    team_place_met(r);
}

static struct team_fork team_await_fork(void)
{
    struct team_region idle = { .shared = true };
    team_collect(&now, sizeof now);
    team_place.collectives = now.collectives;
    team_place.set = now.set;
    team_place_met(&idle);
    return now;
}

void team_barrier(void)
{
    struct team_region *r = team_region();
    if (!r->shared) {
        r->cancelled &= CANCELLED_REGION;
        scheduler->finish(r);
    } else if (!r->cancelled) {
        team_end_phase(r);
        lane_call(team_place_barrier, r);
    }
}

/* ---- regions ---- */

static void team_begin(struct team_region *r, struct team_region *outer, int thread, int threads,
                       const struct settings *inherited)
{
    *r = (struct team_region){ .outer = outer,
                               .thread = thread,
                               .threads = threads,
                               .shared = threads > 1,
                               .top_lane = -1,
                               .task = team_next_task(),
                               .settings = *inherited };
    team_innermost = r;
}

static void team_begin_reducing(struct team_region *r, uintptr_t *reductions)
{
    if (!reductions)
        return;
    taskgroup_begin(r);
    r->group->reductions = reductions;
}

static void team_leave(struct team_region *r)
{
    scheduler->finish(r);
    if (r->group || r->family)
        scheduler->leave(r);
    if (r->retained)
        retained_leave(r);
    free(r->nest_counts);
    free(r->nest_ranges);
}

static void team_begin_loop(struct team_region *r, const struct loop *first)
{
    r->loop = *first;
    r->loop.thread = r->thread;
    r->loop.threads = r->threads;
    r->loop.untouched = true;
    if (r->shared)
        r->loop.pair = r->pair++;
}

/* Thread 0 reaches the end of a region. */
static void team_announce_end(const struct team_region *r)
{
    static unsigned joins;
    bool gathered = start_sharing && start_span == hlrc_node_count();
    if (r->threads < lanes || (start_span > 1 && !gathered))
        (void)team_word_exchange(team_last(), team_place.collectives + 1);
    if (++joins % MOVES != 0 && !settings_cancellation && !gathered)
        hlrc_defer_release();
}

/* At the end of a region. One more collective if the first showed a cancellation. */
static void team_end_region(struct team_region *r)
{
    bool was_over;
    do {
        was_over = r->cancelled;
        if (r->of_job && team_is_first())
            team_announce_end(r);
        team_place_barrier(r);
    } while (r->cancelled && !was_over);
}

void team_run_inside(const struct team_work *w, struct team_region *outer, int thread, int threads)
{
    struct team_region r, *before = team_region();
    team_begin(&r, outer, thread, threads, &outer->settings);
    settings_enter(&r.settings, team_level_of(&r, false));
    if (r.shared)
        team_watch_region();
    if (w->first)
        team_begin_loop(&r, w->first);
    team_begin_reducing(&r, w->reductions);
    w->fn(w->data);
    team_leave(&r);
    if (r.shared)
        team_end_region(&r);
    team_innermost = before;
}

void team_begin_alone(void)
{
    struct team_region *outer = team_region(), *r = malloc(sizeof *r);
    if (!r)
        start_fail("OpenMP: no memory for a region");
    team_begin(r, outer, 0, 1, &outer->settings);
    settings_enter(&r->settings, team_level_of(r, false));
}

void team_end_alone(void)
{
    struct team_region *r = team_region();
    team_leave(r);
    team_innermost = r->outer;
    free(r);
}

void team_run_target(void (*fn)(void *), void *data, int limit)
{
    struct team_region r, *around = team_region();
    team_begin(&r, NULL, 0, 1, &settings_initial);
    r.around_target = around;
    if (limit > 0 && limit < r.settings.limit)
        r.settings.limit = limit;
    fn(data);
    team_leave(&r);
    team_innermost = around;
}

/* ---- placement: gather.h ---- */

static void team_serve_forks(struct lane *lane);

/* From span 1. */
static void team_gather(struct team_region *r, int span)
{
    if (team_place.collectives > 0) {
        struct team_fork show = { .kind = FORK_SHOW, .before = span_before, .span = span };
        team_fork(r, &show);
        team_place_barrier(r);
    }
    span_before = 1;
    moved = true;
    gather_enter(span, team_serve_forks);
}

static void team_spread(struct team_region *r)
{
    team_fork(r, &(struct team_fork){ .kind = FORK_PARK });
    team_place_barrier(r);
    span_before = start_span;
    moved = true;
    gather_leave();
}

static void team_choose_nodes(struct team_region *r, const void *code)
{
    int span = gather_choose_span(code);
    if (span == start_span)
        return;
    if (start_span > 1)
        team_spread(r);
    if (span > 1)
        team_gather(r, span);
}

/* Before the first region after a move, or with more threads, all threads. */
static void team_resume(int before)
{
    struct team_region idle = { .shared = true };
    if (start_sharing)
        gather_come_back(before);
    else
        places_bind(lane_current->index); /* of more threads */
    if (has_phases)
        scheduler->resume();
    team_place_barrier(&idle);
}

struct team_forking {
    const struct team_work *work;
    int threads;
    struct team_region *region;
};

static void team_fork_all(void *arg)
{
    struct team_forking *f = arg;
    const struct team_work *w = f->work;
    if (f->threads > lanes) {
        has_phases =
            team_grow(lanes, f->threads, has_tasks ? scheduler->grow : NULL, team_serve_forks);
        lanes = f->threads;
        moved = true;
    }
    team_choose_nodes(f->region, (const void *)(uintptr_t)w->code);
    struct team_fork what = { .kind = FORK_REGION,
                              .moved = moved,
                              .before = span_before,
                              .fn = w->fn,
                              .code = w->code,
                              .data = w->data,
                              .threads = f->threads,
                              .around = team_level(false) - 1,
                              .has_loop = w->first != NULL,
                              .reductions = w->reductions,
                              .settings = f->region->settings,
                              .modes = modes_get() };
    if (w->first)
        what.loop = *w->first;
    if (team_plan.tls)
        tls_show_fork();
    if (start_sharing) {
        inherit_show();
        streams_show();
    }
    atomic_store(&amid, true);
    team_fork(f->region, &what);
    if (moved)
        team_resume(span_before);
    moved = false;
    span_before = 1;
}

static void team_join_all(void *arg)
{
    team_end_region(arg);
    streams_take();
    inherit_joined();
    atomic_store(&amid, false);
}

static void team_run_in_team(const struct team_work *w, int threads)
{
    struct team_region r, *outer = team_region();
    team_begin(&r, outer, 0, threads, &outer->settings);
    settings_enter(&r.settings, team_level_of(&r, false));
    r.of_job = true;
    r.code = w->code;
    struct team_forking f = { w, threads, &r };
    lane_call(team_fork_all, &f);
    team_watch_region();
    if (w->first)
        team_begin_loop(&r, w->first);
    team_begin_reducing(&r, w->reductions);
    w->fn(w->data);
    team_end_phase(&r);
    team_leave(&r);
    lane_call(team_join_all, &r);
    team_innermost = outer;
}

unsigned team_size(void (*fn)(void *), unsigned threads)
{
    return team_size_for(team_region(), fn, threads, lanes);
}

static void team_run_work(const struct team_work *w, unsigned threads)
{
    struct team_region *r = team_region();
    unsigned n = team_size_for(r, w->code, threads, lanes);
    if (n == 1)
        team_run_inside(w, r, 0, 1);
    else if (team_nest_is_for(r))
        team_nest_run(w, r, (int)n);
    else if (start_sharing && n > (unsigned)lanes)
        team_nest_run_large(w, r, (int)n);
    else
        team_run_in_team(w, (int)n);
}

void team_parallel(void (*fn)(void *), void *data, unsigned threads, const struct loop *first)
{
    struct team_work w = { fn, data, first, NULL, fn };
    team_run_work(&w, threads);
}

void team_parallel_of(void (*code)(void *), void (*fn)(void *), void *data, unsigned threads)
{
    struct team_work w = { fn, data, NULL, NULL, code };
    team_run_work(&w, threads);
}

void team_parallel_reducing(void (*fn)(void *), void *data, unsigned threads, uintptr_t *reductions)
{
    struct team_work w = { fn, data, NULL, reductions, fn };
    team_run_work(&w, threads);
}

/* ---- waiting threads ---- */

struct team_call {
    void (*fn)(void *);
    void *data;
};

static void team_call(void *arg)
{
    const struct team_call *c = arg;
    c->fn(c->data);
    team_end_phase(team_region());
}

/* The value may already be the one for the next collective, not for an earlier one. */
static void team_sit_out(struct team_region *r)
{
    bool was_over;
    do {
        was_over = r->cancelled;
        if (has_phases && !r->cancelled)
            scheduler->pass_phase(r);
        team_place_barrier(r);
    } while (team_word_load(team_last()) != team_place.collectives || (r->cancelled && !was_over));
}

static void team_enter(void)
{
    places_bind(0);
}

static void team_serve_region(struct lane *lane, const struct team_fork *what)
{
    struct team_region r;
    team_begin(&r, &outermost, lane->index, what->threads, &what->settings);
    r.of_job = true;
    r.code = what->code;
    r.around = what->around;
    bool runs = !start_sharing || start_node_of(lane->index) == hlrc_node_id();
    if (!runs || lane->index >= what->threads) {
        team_sit_out(&r);
        return;
    }
    if (what->has_loop)
        team_begin_loop(&r, &what->loop);
    team_begin_reducing(&r, what->reductions);
    team_watch_region();
    if (team_plan.tls)
        tls_see_fork();
    inherit_begin();
    streams_take();
    team_modes_begin(lane->index, &what->modes);
    lane_run(lane, team_call, &(struct team_call){ what->fn, what->data });
    team_modes_end(lane->index);
    streams_show();
    team_leave(&r);
    team_end_region(&r);
}

/* By a node's first thread, after the barrier that ends a move. No region has begun on nodes from
 * which all threads are gathered. */
static void team_move_node(const struct team_fork *what)
{
    if (what->kind == FORK_PARK)
        gather_leave();
    else if (what->span < hlrc_node_count())
        gather_enter(what->span, team_serve_forks);
}

/* A fork that is not for a region. Thread 0 overwrites this node's copy after the barrier. False:
 * the calling thread, a guest, returns to the gate. */
static bool team_serve_move(const struct lane *lane, const struct team_fork *what)
{
    struct team_region idle = { .shared = true };
    bool is_guest = gather_is_guest();
    if (what->kind == FORK_SHOW) {
        gather_come_back(what->before);
        if (team_plan.tls)
            tls_show();
    } else if (is_guest) {
        tls_give();
    }
    team_place_barrier(&idle);
    if (!is_guest && lane->index % start_lanes == 0)
        team_move_node(what);
    return !is_guest || what->kind != FORK_PARK;
}

/* Until the end, or of a guest until it is parked. */
static void team_serve_forks(struct lane *lane)
{
    for (;;) {
        (void)team_region(); /* the outermost */
        struct team_fork what = team_await_fork();
        if (what.kind == FORK_END)
            break;
        if (what.kind == FORK_REGION) {
            if (what.moved)
                team_resume(what.before);
            team_serve_region(lane, &what);
        } else if (!team_serve_move(lane, &what)) {
            break;
        }
    }
    team_innermost = NULL;
}

static void team_serve(struct lane *lane)
{
    places_bind(lane->index);
    team_serve_forks(lane);
    if (start_sharing && lane->index % start_lanes == 0)
        gather_end();
}

static void team_end(void)
{
    struct team_region idle = { .shared = true };
    if (lanes == 1)
        return;
    if (start_span > 1)
        team_spread(&idle);
    gather_report();
    gather_end();
    team_fork(&idle, &(struct team_fork){ .kind = FORK_END });
    team_grow_end();
    team_extra_end();
}

static bool team_is_amid(void)
{
    return atomic_load(&amid) || team_nest_is_amid() || (lanes > 1 && !team_is_first());
}

/* ---- start ---- */

static void team_begin_job(void)
{
    lanes = hlrc_node_count() * start_lanes;
    team_plan_begin(lanes);
    gather_begin(lanes, !has_tasks);
    settings_read(lanes);
    places_read(start_lanes);
    if (!start_sharing)
        places_bind(0); /* the calling thread is thread 0 */
    tls_begin(team_plan.tls, lanes);
    gather_run_here(start_lanes, start_sharing);
    has_phases = has_tasks && scheduler->begin(lanes);
    team_watch_begin();
}

static bool team_takes(const char *name)
{
    has_tasks |= strncmp(name, "GOMP_task", 9) == 0 || strncmp(name, "__kmpc_omp_task", 15) == 0;
    return strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "__kmpc_", 7) == 0;
}

static const char *team_refuse(const char *name, int nodes)
{
    (void)nodes;
    return settings_refuse(name);
}

__attribute__((constructor)) static void team_at_start(void)
{
    static const struct start_layer layer = { .name = "OpenMP",
                                              .takes = team_takes,
                                              .refuse = team_refuse,
                                              .begin = team_begin_job,
                                              .enter = team_enter,
                                              .serve = team_serve,
                                              .amid = team_is_amid,
                                              .end = team_end };
    start_register(&layer);
}
