/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* law.c - see law.h. */
#include "sim/law.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

#define ARRAY_MOST    (INT64_C(1) << 44)
#define ACCESSES_MOST (UINT32_C(1) << 25) /* between two synchronization points */

/* ---- parameters ---- */

void law_defaults(const struct law *l, int64_t *param)
{
    for (int i = 0; l->param[i].name != NULL; i++)
        param[i] = l->param[i].usual;
}

int law_param(const struct law *l, const char *name, size_t length)
{
    for (int i = 0; l->param[i].name != NULL; i++)
        if (strlen(l->param[i].name) == length && strncmp(l->param[i].name, name, length) == 0)
            return i;
    return -1;
}

/* ---- a run ---- */

_Noreturn void law_fail(struct law_run *r, uint32_t line, const char *what)
{
    static char wrong[160];

    snprintf(wrong, sizeof wrong, "line %" PRIu32 " of sim/law_%s.c: %s", line, r->job->law->name,
             what);
    r->wrong = wrong;
    longjmp(r->stop, 1);
}

void *law_alloc(struct law_run *r, size_t count, size_t size)
{
    assert(r->owned_count < LAW_ALLOCS);
    return r->owned[r->owned_count++] = fail_alloc(count, size);
}

struct law_array law_array_add(struct law_run *r, uint32_t line, int64_t bytes)
{
    struct law_array a = { r->next_page * (uint64_t)r->page, (uint64_t)bytes };

    if (bytes <= 0 || bytes > ARRAY_MOST)
        law_fail(r, line, "an array has no bytes, or more than 16 TB");
    r->next_page += (uint64_t)(law_whole(bytes, r->page) / r->page);
    if (r->job->pages != 0 && r->next_page > r->job->pages)
        law_fail(r, line, "its arrays have more pages than the space of the run");
    if (r->next_page > UINT32_MAX)
        law_fail(r, line, "its arrays have more pages than a trace can have");
    return a;
}

void law_access(struct law_run *r, enum law_kind kind, uint32_t line, struct law_array a,
                int64_t from, int64_t to)
{
    if (from >= to)
        return;
    if (from < 0 || (uint64_t)to > a.bytes)
        law_fail(r, line, "a range lies outside of its array");
    if (++r->accesses > ACCESSES_MOST)
        law_fail(r, line, "more accesses than 33,554,432 without synchronization");
    r->sink->access(r->self, &(struct law_access){ kind, line, a.begin + (uint64_t)from,
                                                   a.begin + (uint64_t)to });
}

void law_sync(struct law_run *r, enum law_kind kind, uint32_t line, int64_t arg)
{
    if (r->sink->sync != NULL && !r->sink->sync(r->self, kind, (uint64_t)arg, line, r->work))
        longjmp(r->stop, 1);
    r->work = r->accesses = 0;
    r->part++;
}

struct law_array law_array_all_add(struct law_run *r, uint32_t line, int64_t bytes)
{
    struct law_array a = law_array_add(r, line, bytes);

    law_sync(r, LAW_BARRIER, line, 0);
    return a;
}

void law_work(struct law_run *r, int64_t units)
{
    r->work += units > 0 ? (uint64_t)units : 0;
}

int64_t law_seen_first(const struct law_run *r, struct law_array a)
{
    const struct law_job *j = r->job;
    uint64_t page = j->page_bytes, first = a.begin / page;
    uint32_t low = 0, high = j->seen_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct law_seen *at = &j->seen[middle];
        if (at->part < r->part || (at->part == r->part && at->page < first))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == j->seen_count || j->seen[low].part != r->part ||
        (j->seen[low].page - first) * page >= a.bytes)
        return -1;
    return (int64_t)((j->seen[low].page - first) * page);
}

const char *law_run_node(const struct law_job *job, const struct law_sink *sink, void *self)
{
    static struct law_run r; /* the jump out of the law must not change it */

    r = (struct law_run){ .nodes = job->nodes,
                          .node = job->node,
                          .traced = job->traced,
                          .page = (int64_t)job->page_bytes,
                          .param = job->param,
                          .weak = job->weak,
                          .job = job,
                          .sink = sink,
                          .self = self,
                          .next_page = job->first_page };
    if (setjmp(r.stop) == 0) {
        job->law->run(&r);
        law_sync(&r, LAW_END, 0, 0);
    }
    while (r.owned_count > 0)
        free(r.owned[--r.owned_count]);
    return r.wrong;
}

/* ---- numbers ---- */

/* LW3 */
int64_t law_divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t law_rest(int64_t a, int64_t b)
{
    return a - law_divide(a, b) * b;
}

int64_t law_root(int64_t of)
{
    int64_t low = 0, high = INT64_C(3037000499);

    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (middle * middle <= of)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t law_log2(int64_t of)
{
    return of < 1 ? 0 : 63 - __builtin_clzll((uint64_t)of);
}
