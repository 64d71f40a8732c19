/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* accounts.c - see accounts.h. */
#include "compat/openmp/accounts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compat/openmp/depend.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

_Thread_local struct crew crew = { .asked = ASKED_NONE };

/* ---- the queue ---- */

void crew_push(struct task *t)
{
    if (crew.queued == crew.room) {
        crew.room = crew.room ? 2 * crew.room : 64;
        crew.queue = realloc(crew.queue, crew.room * sizeof *crew.queue);
        if (!crew.queue)
            start_fail("omp task: no memory");
    }
    crew.queue[crew.queued++] = t;
}

struct task *crew_remove(unsigned k)
{
    struct task *t = crew.queue[k];
    crew.queued--;
    memmove(&crew.queue[k], &crew.queue[k + 1], (crew.queued - k) * sizeof *crew.queue);
    return t;
}

/* TK1, TK4. */
bool wait_is_for(const struct wait *w, const struct task *t)
{
    if (t->origin >= 0 || w->parcels)
        return t->group && t->group->parcel && t->group->parcel->wait == w;
    if (w->depend)
        return t->family == w->family && t->dependence && depend_leads(t->dependence);
    return w->all || (t->family && t->family == w->family) || (t->group && t->group == w->group);
}

/* ---- reports ---- */

static void send(void *arg)
{
    (void)arg;
    box_report(crew.tell, crew.report, crew.told);
    crew.told = 0;
}

void reports_send(void)
{
    if (crew.told)
        lane_call(send, NULL);
}

void report(int origin, uint64_t what)
{
    if (crew.told && (crew.tell != origin || crew.told == PARCEL * 2))
        reports_send();
    crew.tell = origin;
    crew.report[crew.told++] = what;
}

void parcel_close(struct parcel *p)
{
    if (p->unstarted > 0 || p->group.pending > 0)
        return;
    for (unsigned k = 0; k < p->owed; k++)
        report(p->owes[k].origin, p->owes[k].ref | REPORT_GONE);
    p->wait->parcels--;
    free(p);
}

/* TK4. */
void report_done(struct task *t)
{
    struct parcel *p = t->group->parcel;
    uint64_t what = t->ref | REPORT_DONE | (p->group.cancelled ? REPORT_CANCELLED : 0);
    if (p->group.pending == 0) {
        what |= REPORT_GONE;
    } else {
        p->owes[p->owed].origin = t->origin;
        p->owes[p->owed++].ref = t->ref;
    }
    report(t->origin, what);
    if (t->alone || p->group.cancelled)
        reports_send();
    p->unstarted--;
    parcel_close(p);
}

/* ---- task states: TK4 ---- */

void family_free(struct family *f)
{
    if (f->over && f->children == 0)
        free(f);
}

static void become_ready(void *task)
{
    crew.held--;
    crew_push(task);
}

void crew_done(struct task *t)
{
    assert(t->origin < 0 && !t->done && t->family->children > 0);
    t->done = true;
    if (t->dependence)
        depend_done(t->dependence, become_ready);
    t->dependence = NULL;
    t->family->children--;
    family_free(t->family);
    t->family = NULL;
}

void crew_gone(struct task *t)
{
    assert(t->done && crew.open > 0);
    crew.open--;
    if (t->group) {
        t->group->pending--;
        if (t->group->parcel)
            parcel_close(t->group->parcel);
    }
}
