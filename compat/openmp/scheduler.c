/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scheduler.c - see scheduler.h for the invariants. task_state.c has the state of a thread's
 * tasks, steal.c sends and receives tasks. */
#include "compat/openmp/scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "compat/openmp/depend.h"
#include "compat/openmp/detach.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/mailbox.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/steal.h"
#include "compat/openmp/taskgroup.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define QUEUE_FULL 32  /* tasks in a queue; beyond, a task runs at once */
#define QUEUE_LONG 4   /* beyond, one is deferred only after a sibling */
#define HELD_MOST  256 /* tasks that are not ready; beyond, the creator waits */

/* Received tasks first, the oldest of them. */
static struct task *scheduler_take(struct task_wait *w)
{
    if (w->depend)
        depend_mark(w->family->depends, w->depend);
    for (unsigned k = 0; w->unstarted && k < task_state.queued; k++)
        if (task_state.queue[k]->origin >= 0 && task_wait_is_for(w, task_state.queue[k])) {
            w->unstarted--;
            return task_state_remove(k);
        }
    for (unsigned k = task_state.queued; k > 0; k--)
        if (task_wait_is_for(w, task_state.queue[k - 1]))
            return task_state_remove(k - 1);
    return task_state_take_staying(w);
}

static struct task_family *scheduler_family(struct team_region *r)
{
    if (!r->family) {
        r->family = calloc(1, sizeof *r->family);
        if (!r->family)
            start_fail("omp task: no memory");
    }
    return r->family;
}

static void scheduler_run(struct task *t);

static void scheduler_defer(struct team_region *r, const struct task_new *m, void **depend)
{
    struct task *t = task_make(m, r);
    bool waits = false;
    t->family = scheduler_family(r);
    t->family->children++;
    task_state.open++;
    task_state.has_created = true;
    if (t->region)
        r->open++;
    if (t->group)
        t->group->pending++;
    if (depend)
        t->dependence = depend_add(&t->family->depends, depend, t, &waits);
    t->alone = depend != NULL;
    if (waits)
        task_state.held++;
    else if (t->stays && locks_held == 0)
        scheduler_run(t);
    else
        task_state_push(t);
}

/* ---- running ---- */

static void scheduler_leave_family(struct team_region *r)
{
    struct task_family *f = r->family;
    if (!f)
        return;
    depend_free(f->depends);
    f->depends = NULL;
    f->over = true;
    r->family = NULL;
    task_family_free(f);
}

struct scheduler_frame scheduler_begin_task(struct team_region *r, bool final)
{
    struct scheduler_frame before = { r->settings, r->family,  r->group, r->final,
                                      r->top_lane, r->top_ref, r->task };
    r->family = NULL;
    r->final = final;
    r->task = team_next_task();
    return before;
}

/* The task's groups end with it, however it is left. */
void scheduler_end_task(struct team_region *r, const struct scheduler_frame *before)
{
    scheduler_leave_family(r);
    r->settings = before->settings;
    r->family = before->family;
    r->group = before->group;
    r->final = before->final;
    r->top_lane = before->top_lane;
    r->top_ref = before->top_ref;
    r->task = before->task;
}

bool scheduler_is_cancelled(const struct team_region *r)
{
    return settings_cancellation &&
           (taskgroup_is_cancelled(r) || (team_cancelled() & CANCELLED_REGION));
}

/* False: it was cancelled before. */
static bool scheduler_run_new(const struct task_new *m)
{
    struct team_region *r = team_region();
    if (settings_cancellation && !m->in_place && scheduler_is_cancelled(r))
        return false;
    struct scheduler_frame before = scheduler_begin_task(r, r->final || m->final);
    task_call_new(m);
    scheduler_end_groups(r, before.group);
    scheduler_end_task(r, &before);
    return true;
}

/* False: it was cancelled before. One that has objects runs nevertheless, as in libgomp. */
static bool scheduler_run_deferred(struct task *t)
{
    struct team_region *r = team_region();
    struct scheduler_frame before = scheduler_begin_task(r, t->final);
    r->settings = t->settings;
    r->group = t->group;
    if (t->origin >= 0) {
        r->top_lane = t->origin;
        r->top_ref = t->ref;
    } else {
        r->top_lane = t->top_lane;
        r->top_ref = t->top_ref;
    }
    bool runs = t->copied || !settings_cancellation || !scheduler_is_cancelled(r);
    if (runs)
        task_call(t);
    scheduler_end_groups(r, t->group);
    scheduler_end_task(r, &before);
    return runs;
}

static void scheduler_complete(struct task *t)
{
    task_state_done(t);
    task_state_complete(t);
    task_free(t);
}

static void scheduler_run(struct task *t)
{
    bool ran = scheduler_run_deferred(t);
    if (t->origin >= 0) {
        task_report_done(t);
        task_free(t);
    } else if (t->event && ran) {
        detach_keep(t);
    } else {
        scheduler_complete(t);
    }
}

/* ---- waiting ---- */

static void scheduler_await(struct task_wait *w)
{
    for (;;) {
        detach_poll(scheduler_complete);
        struct task *t = scheduler_take(w);
        if (t) {
            if (!steal_withdraw(w)) {
                task_state_push(t);
                continue;
            }
            if (t->origin < 0)
                task_report_send();
            scheduler_run(t);
            scheduler_poll();
            w->since = 0;
            continue;
        }
        steal_step(w);
        if (w->is_over && w->batches == 0)
            return;
    }
}

static bool scheduler_children_done(struct task_wait *w)
{
    return w->family->children == 0;
}

void scheduler_await_children(void)
{
    struct task_wait w = { .family = team_region()->family, .over = scheduler_children_done };
    if (w.family && w.family->children > 0)
        scheduler_await(&w);
}

static bool scheduler_depend_done(struct task_wait *w)
{
    return !depend_waits(w->family->depends, w->depend);
}

void scheduler_await_depend(void **depend)
{
    struct task_wait w = { .family = team_region()->family,
                           .depend = depend,
                           .over = scheduler_depend_done };
    if (w.family && !scheduler_depend_done(&w))
        scheduler_await(&w);
}

static bool scheduler_region_complete(struct task_wait *w)
{
    return w->region->open == 0;
}

static void scheduler_finish_region(struct team_region *r)
{
    struct task_wait w = { .region = r, .over = scheduler_region_complete };
    if (r->open > 0)
        scheduler_await(&w);
}

static bool scheduler_has_room(struct task_wait *w)
{
    return task_state.held < HELD_MOST || w->family->children == 0;
}

static bool scheduler_await_room(void)
{
    struct task_wait w = { .family = team_region()->family, .over = scheduler_has_room };
    scheduler_await(&w);
    return true;
}

static bool scheduler_group_complete(struct task_wait *w)
{
    return w->group->pending == 0;
}

void scheduler_end_group(struct team_region *r)
{
    struct task_wait w = { .group = r->group, .over = scheduler_group_complete };
    if (!w.group)
        return;
    if (w.group->pending > 0)
        scheduler_await(&w);
    taskgroup_drop(r);
}

void scheduler_end_groups(struct team_region *r, const struct taskgroup *outer)
{
    while (r->group && r->group != outer)
        scheduler_end_group(r);
}

static bool scheduler_phase_is_over(struct task_wait *w)
{
    if (!w->arrived && task_state.open == 0) {
        w->arrived = true;
        mailbox_arrive(task_state.has_created);
        task_state.has_created = false;
    }
    return w->arrived && mailbox_phase_is_over();
}

static bool scheduler_all_complete(struct task_wait *w)
{
    (void)w;
    return task_state.open == 0;
}

static void scheduler_choose_phase(void *arg)
{
    struct team_region *r = arg;
    r->has_phase = mailbox_has_phase(r->code, r->threads);
}

static void scheduler_end_phase(struct team_region *r)
{
    struct task_wait w = { .all = true, .over = scheduler_phase_is_over };
    lane_call(scheduler_choose_phase, r);
    if (!r->has_phase)
        w.over = scheduler_all_complete;
    if (r->has_phase || task_state.open > 0)
        scheduler_await(&w);
    assert(task_state.open == 0 && task_state.queued == 0 && task_state.held == 0);
}

static void scheduler_pass_phase(struct team_region *r)
{
    scheduler_choose_phase(r);
}

void scheduler_poll(void)
{
    if (mailbox_exists() && team_region()->of_job)
        steal_poll();
}

/* A recursion's tasks are smaller the deeper they are: a few from the top suffice, and with k of
 * them some n^k tasks are deferred at depth n. Tasks that one task creates in a row are alike. A
 * task created under a lock may need the lock. */
static bool scheduler_is_full(const struct team_region *r)
{
    if (task_state.queued < QUEUE_LONG || locks_held > 0)
        return false;
    return task_state.queued >= QUEUE_FULL ||
           task_state.queue[task_state.queued - 1]->family != r->family;
}

static void scheduler_run_at_once(const struct task_new *m, bool waits, void **depend)
{
    if (waits)
        scheduler_await_depend(depend);
    if (scheduler_run_new(m) && m->event)
        detach_await(m->event);
}

/* A thread of its own runs its tasks at once, but for those that something on it may wait for
 * before it could: after a detached one, or for a lock. */
static bool scheduler_may_defer(const struct team_region *r, const struct task_new *m, bool waits)
{
    if (r->final || r->cancelled)
        return false;
    return (r->of_job && mailbox_exists()) || (r->outer && (m->event || waits || locks_held > 0));
}

/* All its dependences are done before it runs at once. */
void scheduler_submit(const struct task_new *m, bool may_wait, void **depend)
{
    struct team_region *r = team_region();
    bool waits = depend && r->family && depend_waits(r->family->depends, depend);
    if (settings_cancellation && !m->copy && !m->in_place && scheduler_is_cancelled(r))
        return;
    if (!may_wait || !scheduler_may_defer(r, m, waits)) {
        scheduler_run_at_once(m, waits, depend);
        return;
    }
    scheduler_poll();
    if (waits && task_state.held >= HELD_MOST && locks_held == 0 && !detach_has_kept())
        waits = scheduler_await_room() && depend_waits(r->family->depends, depend);
    if (!waits && !m->event && r->of_job && scheduler_is_full(r))
        scheduler_run_new(m);
    else
        scheduler_defer(r, m, depend);
}

/* ---- callbacks ---- */

static bool scheduler_begin_job(int lanes)
{
    static const struct locks_watcher of_locks = { scheduler_poll, steal_may_return, steal_return };
    if (lanes <= 1 || lanes > LANES_MOST) /* all run at once */
        return false;
    mailbox_begin(lanes);
    locks_watcher = &of_locks;
    return true;
}

static bool scheduler_grow_job(int lanes)
{
    if (mailbox_exists())
        mailbox_grow(lanes);
    else
        (void)scheduler_begin_job(lanes);
    return mailbox_exists();
}

static void scheduler_leave_region(struct team_region *r)
{
    scheduler_end_groups(r, NULL);
    scheduler_leave_family(r);
}

__attribute__((constructor)) static void scheduler_register(void)
{
    static const struct team_scheduler of_team = { scheduler_begin_job,     scheduler_end_phase,
                                                   scheduler_pass_phase,    scheduler_leave_region,
                                                   scheduler_finish_region, mailbox_resume,
                                                   scheduler_grow_job };
    team_use_scheduler(&of_team);
}
