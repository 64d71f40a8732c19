/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* law_run.c - see law.h: executes a law for one node. */
#include <stdlib.h>

#include "sim/fail.h"
#include "sim/law.h"

#define STEPS_MOST UINT64_C(20000000000) /* statements of a node; stops a runaway loop */

struct run {
    struct law *l;
    const struct law_job *job;
    const struct law_sink *sink;
    void *self;
    struct law_values v;
    int64_t below[LAW_STATEMENTS];
    uint64_t array[LAW_ARRAYS], bytes[LAW_ARRAYS], next_page;
    uint64_t work;
    uint32_t part;
    uint8_t *mark;
    bool stopped;
    const char *what;
};

static int64_t value(struct run *r, const struct law_statement *s, int i)
{
    return law_value(&r->l->e, s->expr[i], &r->v);
}

static void place_array(struct run *r, const struct law_statement *s)
{
    int64_t bytes = value(r, s, 0);
    uint64_t page = r->job->page_bytes, most = UINT64_C(1) << 44;

    if (bytes <= 0 || (uint64_t)bytes > most) {
        r->what = "an array has no bytes, or more than 16 TB";
        return;
    }
    r->array[s->name] = r->next_page * page;
    r->bytes[s->name] = (uint64_t)bytes;
    r->next_page += ((uint64_t)bytes + page - 1) / page;
    if (r->next_page > UINT32_MAX)
        r->what = "its arrays have more pages than a trace can have";
}

/* LW2 */
static void do_access(struct run *r, const struct law_statement *s)
{
    int64_t begin = value(r, s, 0), end = value(r, s, 1);

    if (begin >= end || r->v.wrong)
        return;
    if (begin < 0 || (uint64_t)end > r->bytes[s->name]) {
        r->what = "a range lies outside of its array";
        return;
    }
    r->sink->access(r->self, &(struct law_access){ s->kind, (uint32_t)(s - r->l->at),
                                                   r->array[s->name] + (uint64_t)begin,
                                                   r->array[s->name] + (uint64_t)end });
}

static void do_sync(struct run *r, const struct law_statement *s)
{
    int64_t arg = s->kind == LAW_LOCK || s->kind == LAW_UNLOCK ? value(r, s, 0) : 0;

    if (r->v.wrong)
        return;
    r->stopped = !r->sink->sync(r->self, s->kind, (uint64_t)arg, (uint32_t)(s - r->l->at), r->work);
    r->work = 0;
    r->part++;
}

static void assign(struct run *r, const struct law_statement *s)
{
    int64_t to = value(r, s, 0);

    if (s->kind == LAW_PARAM && r->l->is_given[s->name])
        to = r->l->given[s->name];
    if (s->kind != LAW_WEAK || r->job->weak)
        r->v.name[s->name] = to;
}

/* Assigns the first page loaded in this part that lies in the array, if any. */
static void see(struct run *r, const struct law_statement *s)
{
    const struct law_job *j = r->job;
    uint64_t page = j->page_bytes, first = r->array[s->array] / page,
             end = first + (r->bytes[s->array] + page - 1) / page;
    uint32_t low = 0, high = j->seen_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct law_seen *at = &j->seen[middle];
        if (at->part < r->part || (at->part == r->part && at->page < first))
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < j->seen_count && j->seen[low].part == r->part && j->seen[low].page < end;
    r->v.name[s->name] = is_there ? (int64_t)((j->seen[low].page - first) * page) : -1;
}

static void mark(struct run *r, const struct law_statement *s)
{
    int64_t number = value(r, s, 0);

    if (number < 0 || number >= LAW_MARKS) {
        r->what = "only numbers from 0 to 1048575 can be marked";
        return;
    }
    if (r->mark == NULL)
        r->v.mark = r->mark = sim_new(LAW_MARKS / 8, 1);
    r->mark[number / 8] |= (uint8_t)(1 << number % 8);
}

static void add_work(struct run *r, const struct law_statement *s)
{
    int64_t units = value(r, s, 0);

    r->work += units > 0 ? (uint64_t)units : 0;
}

/* Returns the next statement. */
static uint32_t end_block(struct run *r, uint32_t at)
{
    const struct law_statement *s = &r->l->at[at], *begin = &r->l->at[s->begin];

    if (begin->kind != LAW_FOR || ++r->v.name[begin->name] >= r->below[s->begin])
        return at + 1;
    return s->begin + 1;
}

static uint32_t begin_loop(struct run *r, uint32_t at)
{
    const struct law_statement *s = &r->l->at[at];

    r->v.name[s->name] = value(r, s, 0);
    r->below[at] = value(r, s, 1);
    return r->v.name[s->name] < r->below[at] ? at + 1 : s->end + 1;
}

static uint32_t step(struct run *r, uint32_t at)
{
    const struct law_statement *s = &r->l->at[at];

    switch (s->kind) {
    case LAW_PARAM:
    case LAW_LET:
    case LAW_WEAK:
        assign(r, s);
        return at + 1;
    case LAW_ARRAY:
        place_array(r, s);
        return at + 1;
    case LAW_SEEN:
        see(r, s);
        return at + 1;
    case LAW_MARK:
        mark(r, s);
        return at + 1;
    case LAW_WORK:
        add_work(r, s);
        return at + 1;
    case LAW_BARRIER:
    case LAW_LOCK:
    case LAW_UNLOCK:
        do_sync(r, s);
        return at + 1;
    case LAW_FOR:
        return begin_loop(r, at);
    case LAW_IF:
        return value(r, s, 0) != 0 ? at + 1 : s->end + 1;
    case LAW_ELSE: /* reached from the if's first part */
        return s->end + 1;
    case LAW_END:
        return end_block(r, at);
    default:
        do_access(r, s);
        return at + 1;
    }
}

static const char *run_all(struct run *r)
{
    const struct law *l = r->l;
    uint64_t steps = 0;

    for (uint32_t at = 0; at < l->count && !r->stopped;) {
        uint32_t line = l->at[at].line;
        at = step(r, at);
        if (r->v.wrong)
            r->what = "there is a division by 0";
        if (++steps == STEPS_MOST)
            r->what = "its loops do not end";
        if (r->what != NULL)
            return law_say(r->l, line, r->what);
    }
    return NULL;
}

const char *law_run(struct law *l, const struct law_job *job, const struct law_sink *sink,
                    void *self)
{
    struct run r = { .l = l, .job = job, .sink = sink, .self = self, .next_page = job->first_page };
    const char *what;

    r.v.name[NAME_N] = job->nodes;
    r.v.name[NAME_NODE] = job->node;
    r.v.name[NAME_M] = job->traced;
    r.v.name[NAME_PAGE] = (int64_t)job->page_bytes;
    what = run_all(&r);
    free(r.mark);
    if (what == NULL && !r.stopped)
        (void)sink->sync(self, LAW_END, 0, l->count, r.work);
    return what;
}
