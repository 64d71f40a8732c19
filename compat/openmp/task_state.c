/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_state.c - see task_state.h. */
#include "compat/openmp/task_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compat/openmp/depend.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

_Thread_local struct task_state task_state = { .request = REQUEST_NONE };

/* ---- the queue ---- */

void task_state_push(struct task *t)
{
    if (t->stays) {
        t->next = task_state.staying;
        task_state.staying = t;
        return;
    }
    if (task_state.queued == task_state.room) {
        task_state.room = task_state.room ? 2 * task_state.room : 64;
        task_state.queue = realloc(task_state.queue, task_state.room * sizeof *task_state.queue);
        if (!task_state.queue)
            start_fail("omp task: no memory");
    }
    task_state.queue[task_state.queued++] = t;
}

struct task *task_state_remove(unsigned k)
{
    struct task *t = task_state.queue[k];
    task_state.queued--;
    memmove(&task_state.queue[k], &task_state.queue[k + 1],
            (task_state.queued - k) * sizeof *task_state.queue);
    return t;
}

bool task_wait_is_for(const struct task_wait *w, const struct task *t)
{
    if (w->region)
        return t->region == w->region;
    if (t->origin >= 0 || w->batches)
        return t->group && t->group->batch && t->group->batch->wait == w;
    if (w->depend)
        return t->family == w->family && t->dependence && depend_leads(t->dependence);
    return w->all || (t->family && t->family == w->family) || (t->group && t->group == w->group);
}

struct task *task_state_take_staying(const struct task_wait *w)
{
    struct task **at = &task_state.staying, *t;
    while (*at && !task_wait_is_for(w, *at))
        at = &(*at)->next;
    t = *at;
    if (t)
        *at = t->next;
    return t;
}

/* ---- reports ---- */

static void task_report_flush(void *arg)
{
    (void)arg;
    mailbox_put_reports(task_state.report_to, task_state.report, task_state.reports);
    task_state.reports = 0;
}

void task_report_send(void)
{
    if (task_state.reports)
        lane_call(task_report_flush, NULL);
}

void task_report_queue(int origin, uint64_t what)
{
    if (task_state.reports &&
        (task_state.report_to != origin || task_state.reports == BATCH_MOST * 2))
        task_report_send();
    task_state.report_to = origin;
    task_state.report[task_state.reports++] = what;
}

void task_batch_close(struct task_batch *p)
{
    if (p->unstarted > 0 || p->group.pending > 0)
        return;
    for (unsigned k = 0; k < p->owed; k++)
        task_report_queue(p->owes[k].origin, p->owes[k].ref | REPORT_GONE);
    p->wait->batches--;
    free(p);
}

void task_report_done(struct task *t)
{
    struct task_batch *p = t->group->batch;
    uint64_t what = t->ref | REPORT_DONE | (p->group.cancelled ? REPORT_CANCELLED : 0);
    if (p->group.pending == 0) {
        what |= REPORT_GONE;
    } else {
        p->owes[p->owed].origin = t->origin;
        p->owes[p->owed++].ref = t->ref;
    }
    task_report_queue(t->origin, what);
    if (t->alone || p->group.cancelled)
        task_report_send();
    p->unstarted--;
    task_batch_close(p);
}

/* ---- task states ---- */

void task_family_free(struct task_family *f)
{
    if (f->over && f->children == 0)
        free(f);
}

static void task_state_become_ready(void *task)
{
    task_state.held--;
    task_state_push(task);
}

void task_state_done(struct task *t)
{
    assert(t->origin < 0 && !t->done && t->family->children > 0);
    t->done = true;
    if (t->dependence)
        depend_done(t->dependence, task_state_become_ready);
    t->dependence = NULL;
    t->family->children--;
    task_family_free(t->family);
    t->family = NULL;
}

void task_state_complete(struct task *t)
{
    assert(t->done && task_state.open > 0);
    task_state.open--;
    if (t->region)
        t->region->open--;
    if (t->group) {
        t->group->pending--;
        if (t->group->batch)
            task_batch_close(t->group->batch);
    }
}
