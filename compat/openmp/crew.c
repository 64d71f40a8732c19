/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crew.c - see crew.h for the invariants. accounts.c has a thread's task records, exchange.c sends
 * and receives tasks. */
#include "compat/openmp/crew.h"

#include <assert.h>
#include <stdlib.h>

#include "compat/openmp/box.h"
#include "compat/openmp/depend.h"
#include "compat/openmp/exchange.h"
#include "compat/openmp/group.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/settings.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define QUEUE_FULL 32  /* tasks in a queue; beyond, a task runs at once */
#define QUEUE_LONG 4   /* beyond, one is deferred only after a sibling */
#define HELD_MOST  256 /* tasks that are not ready; beyond, the creator waits */

/* TK2: received tasks first, the oldest of them. */
static struct task *take(struct wait *w)
{
    if (w->depend)
        depend_mark(w->family->depends, w->depend);
    for (unsigned k = 0; w->unstarted && k < crew.queued; k++)
        if (crew.queue[k]->origin >= 0 && wait_is_for(w, crew.queue[k])) {
            w->unstarted--;
            return crew_remove(k);
        }
    for (unsigned k = crew.queued; k > 0; k--)
        if (wait_is_for(w, crew.queue[k - 1]))
            return crew_remove(k - 1);
    return NULL;
}

static struct family *family_of(struct region *r)
{
    if (!r->family) {
        r->family = calloc(1, sizeof *r->family);
        if (!r->family)
            start_fail("omp task: no memory");
    }
    return r->family;
}

static void put_off(struct region *r, const struct met *m, void **depend)
{
    struct task *t = task_make(m, r);
    bool waits = false;
    t->family = family_of(r);
    t->family->children++;
    crew.open++;
    crew.has_made = true;
    if (t->group)
        t->group->pending++;
    if (depend)
        t->dependence = depend_add(&t->family->depends, depend, t, &waits);
    t->alone = depend != NULL;
    if (waits)
        crew.held++;
    else
        crew_push(t);
}

/* ---- running ---- */

static void leave_family(struct region *r)
{
    struct family *f = r->family;
    if (!f)
        return;
    depends_free(f->depends);
    f->depends = NULL;
    f->over = true;
    r->family = NULL;
    family_free(f);
}

/* The thread's state around a task. */
struct around {
    struct settings settings;
    struct family *family;
    struct group *group;
    bool final;
    int top_lane;
    uint64_t top_ref;
};

static struct around begin(struct region *r, bool final)
{
    struct around before = { r->settings, r->family, r->group, r->final, r->top_lane, r->top_ref };
    r->family = NULL;
    r->final = final;
    return before;
}

/* The task's groups end with it, however it is left. */
static void end(struct region *r, const struct around *before)
{
    leave_family(r);
    r->settings = before->settings;
    r->family = before->family;
    r->group = before->group;
    r->final = before->final;
    r->top_lane = before->top_lane;
    r->top_ref = before->top_ref;
}

static bool is_cancelled(const struct region *r)
{
    return settings_cancellation() &&
           (group_is_cancelled(r) || (team_cancelled() & CANCELLED_REGION));
}

static void run_met(const struct met *m)
{
    struct region *r = team_region();
    struct group *group = r->group;
    if (is_cancelled(r))
        return;
    struct around before = begin(r, r->final || m->final);
    task_call_met(m);
    crew_end_groups(r, group);
    end(r, &before);
}

static void run_task(struct task *t)
{
    struct region *r = team_region();
    struct around before = begin(r, t->final);
    r->settings = t->settings;
    r->group = t->group;
    if (t->origin >= 0) {
        r->top_lane = t->origin;
        r->top_ref = t->ref;
    } else {
        r->top_lane = t->top_lane;
        r->top_ref = t->top_ref;
    }
    if (!is_cancelled(r))
        task_call(t);
    crew_end_groups(r, t->group);
    end(r, &before);
}

static void run(struct task *t)
{
    run_task(t);
    if (t->origin >= 0) {
        report_done(t);
    } else {
        crew_done(t);
        crew_gone(t);
    }
    task_free(t);
}

/* ---- waiting ---- */

static void await(struct wait *w)
{
    for (;;) {
        struct task *t = take(w);
        if (t) {
            if (!exchange_take_back(w)) {
                crew_push(t);
                continue;
            }
            if (t->origin < 0)
                reports_send(); /* TK2 */
            run(t);
            crew_look();
            w->since = 0;
            continue;
        }
        exchange_step(w);
        if (w->is_over && w->parcels == 0)
            return;
    }
}

static bool children_are_done(struct wait *w)
{
    return w->family->children == 0;
}

void crew_await_children(void)
{
    struct wait w = { .family = team_region()->family, .over = children_are_done };
    if (w.family && w.family->children > 0)
        await(&w);
}

static bool dependences_are_done(struct wait *w)
{
    return !depend_waits(w->family->depends, w->depend);
}

void crew_await_depend(void **depend)
{
    struct wait w = { .family = team_region()->family,
                      .depend = depend,
                      .over = dependences_are_done };
    if (w.family && !dependences_are_done(&w))
        await(&w);
}

static bool is_room(struct wait *w)
{
    return crew.held < HELD_MOST || w->family->children == 0;
}

static bool await_room(void)
{
    struct wait w = { .family = team_region()->family, .over = is_room };
    await(&w);
    return true;
}

static bool group_is_gone(struct wait *w)
{
    return w->group->pending == 0;
}

void crew_end_group(struct region *r)
{
    struct wait w = { .group = r->group, .over = group_is_gone };
    if (!w.group)
        return;
    if (w.group->pending > 0)
        await(&w);
    group_drop(r);
}

void crew_end_groups(struct region *r, const struct group *outer)
{
    while (r->group && r->group != outer)
        crew_end_group(r);
}

/* TK5. */
static bool phase_is_over(struct wait *w)
{
    if (!w->arrived && crew.open == 0) {
        w->arrived = true;
        box_arrive(crew.has_made);
        crew.has_made = false;
    }
    return w->arrived && box_phase_is_over();
}

static bool all_are_gone(struct wait *w)
{
    (void)w;
    return crew.open == 0;
}

static bool has_phases(const struct region *r)
{
    return boxes_are_there() && !r->cancelled;
}

static void choose(void *arg)
{
    struct region *r = arg;
    r->has_phase = box_has_phase(r->code, r->threads);
}

static void end_phase(struct region *r)
{
    struct wait w = { .all = true, .over = phase_is_over };
    if (!r->shared || !has_phases(r))
        return;
    lane_call(choose, r);
    if (!r->has_phase)
        w.over = all_are_gone;
    if (r->has_phase || crew.open > 0)
        await(&w);
    assert(crew.open == 0 && crew.queued == 0 && crew.held == 0);
}

static void pass_phase(struct region *r)
{
    if (has_phases(r))
        choose(r);
}

void crew_look(void)
{
    if (boxes_are_there() && team_region()->shared)
        exchange_look();
}

/* A recursion's tasks are smaller the deeper they are: a few from the top suffice, and with k of
 * them some n^k tasks are deferred at depth n. Tasks that one task creates in a row are alike. A
 * task created under a lock may need the lock. */
static bool is_full(const struct region *r)
{
    if (crew.queued < QUEUE_LONG || locks_held() > 0)
        return false;
    return crew.queued >= QUEUE_FULL || crew.queue[crew.queued - 1]->family != r->family;
}

/* All its dependences are done before it runs at once. */
void crew_meet(const struct met *m, bool may_wait, void **depend)
{
    struct region *r = team_region();
    bool waits = depend && r->family && depend_waits(r->family->depends, depend);
    if (!r->shared || !may_wait || r->final || r->cancelled || !boxes_are_there()) {
        if (waits)
            crew_await_depend(depend);
        run_met(m);
        return;
    }
    crew_look();
    if (waits && crew.held >= HELD_MOST && locks_held() == 0)
        waits = await_room() && depend_waits(r->family->depends, depend);
    if (!waits && is_full(r))
        run_met(m);
    else
        put_off(r, m, depend);
}

/* ---- callbacks ---- */

static void begin_job(int lanes)
{
    if (lanes > 1 && lanes <= LANES_MOST) /* else all run at once */
        boxes_begin(lanes);
}

static void leave(struct region *r)
{
    crew_end_groups(r, NULL);
    leave_family(r);
}

__attribute__((constructor)) static void at_start(void)
{
    static const struct team_crew of_team = { begin_job, end_phase, pass_phase, leave };
    static const struct locks_watcher of_locks = { crew_look, exchange_may_give_back,
                                                   exchange_give_back };
    team_use(&of_team);
    locks_watch(&of_locks);
}
