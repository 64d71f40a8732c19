/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* growth_fit.c - see growth.h: compares a law with traces. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/growth.h"
#include "sim/spans.h"

#define SLOPE_SHIFT 20
#define MANY        UINT32_MAX

/* The use of a page since the last release. */
struct growth_fit_used {
    uint64_t page;
    uint32_t writer;  /* site; MANY */
    uint32_t written; /* bytes */
    bool stated, is_read, wrote;
};

/* A node of a trace, walked in parallel with the law. */
struct growth_fit_walk {
    struct growth *g;
    struct growth_seen *seen;
    const struct trace *trace;
    struct script script;
    struct map pages;
    const char *wrong;
    uint32_t line;
    bool is_check;
};

static struct growth_fit_used *growth_fit_use(struct growth_fit_walk *w, uint64_t page)
{
    struct growth_fit_used *u = map_at(&w->pages, (uint32_t)page, sizeof *u);

    u->page = page;
    return u;
}

/* ---- the law ---- */

static void growth_fit_note_access(void *self, const struct law_access *a)
{
    struct growth_fit_walk *w = self;
    uint64_t bytes = w->trace->set[RECORD_SET_page_bytes];
    bool writes = a->kind == LAW_WRITE || a->kind == LAW_UPDATE || a->kind == LAW_TOUCH;

    for (uint64_t p = a->begin / bytes; p * bytes < a->end; p++) {
        struct growth_fit_used *u = growth_fit_use(w, p);
        uint64_t from = p * bytes > a->begin ? p * bytes : a->begin;
        uint64_t to = (p + 1) * bytes < a->end ? (p + 1) * bytes : a->end;
        u->stated = true;
        if (!writes)
            continue;
        u->writer = u->writer == 0 || u->writer == a->site ? a->site : MANY;
        u->written += (uint32_t)(to - from);
    }
}

/* ---- the trace ---- */

static void growth_fit_note_wrote(struct growth_fit_walk *w, const struct script_op *op)
{
    struct growth_fit_used *u = growth_fit_use(w, op->arg[0]);

    u->wrote = true;
    if (op->arg[2] == 0 || u->writer == 0 || u->writer == MANY || w->is_check)
        return;
    struct growth_change *c = &w->g->change[u->writer];
    c->bytes += op->arg[2];
    c->length += op->arg[1];
    c->written += u->written < 4096 ? u->written : 4096;
}

/* Notes an item between two synchronization points; the caller adds its time. */
static void growth_fit_note_item(struct growth_fit_walk *w, const struct script_op *op)
{
    static const enum record_kind unstated[] = { RECORD_WAIT, RECORD_SIGNAL, RECORD_ATOMIC,
                                                 RECORD_WORD, RECORD_MEMBER, RECORD_GROUP,
                                                 RECORD_PUT,  RECORD_GET,    RECORD_ACC,
                                                 RECORD_RMW,  RECORD_PART,   RECORD_MUTEX,
                                                 RECORD_RESET };

    if (op->kind == RECORD_READ || op->kind == RECORD_LOOK)
        growth_fit_use(w, op->arg[0])->is_read = true;
    if (op->kind == SCRIPT_WROTE)
        growth_fit_note_wrote(w, op);
    for (size_t i = 0; i < sizeof unstated / sizeof *unstated; i++)
        if (op->kind == unstated[i])
            w->wrong = "the trace contains operations that no law can state: conditions, atomics, "
                       "groups, put and get, or reuse of memory";
}

static bool growth_fit_is_sync(unsigned kind)
{
    return kind == RECORD_ARRIVE || kind == RECORD_DEPART || kind == RECORD_LOCK ||
           kind == RECORD_UNLOCK || kind == RECORD_END;
}

/* Reads up to the next synchronization point, which is returned; RECORD_END at the end. */
static unsigned growth_fit_next_sync(struct growth_fit_walk *w, uint64_t *arg, uint64_t *units)
{
    const struct script_op *op;
    uint64_t fault = w->trace->set[RECORD_SET_fault_units];

    while ((op = script_next(&w->script)) != NULL && w->wrong == NULL) {
        uint64_t outside = spans_faults(op->kind) ? fault : 0;
        *units += op->time > outside ? op->time - outside : 0;
        if (growth_fit_is_sync(op->kind)) {
            *arg = op->arg[0];
            return op->kind;
        }
        growth_fit_note_item(w, op);
    }
    if (w->script.wrong != NULL)
        w->wrong = w->script.wrong;
    return RECORD_END;
}

/* ---- comparison ---- */

/* Skips pages before the law's first array: they belong to the runtime. */
static void growth_fit_compare(struct growth_fit_walk *w)
{
    struct growth_seen *s = w->seen;

    for (uint32_t i = 0; i < w->pages.count; i++) {
        const struct growth_fit_used *u = w->pages.value[i];
        bool writes = u->writer != 0;
        if (u->page < w->g->first_page)
            continue;
        s->stated += writes;
        s->reads += u->is_read;
        s->reads_stated += u->is_read && u->stated;
        s->writes += u->wrote;
        s->writes_stated += u->wrote && writes;
    }
}

static void growth_fit_add_times(struct growth_times *all, const struct growth_times *t)
{
    all->count += t->count;
    all->work += t->work;
    all->time += t->time;
    all->work_work += t->work_work;
    all->work_time += t->work_time;
}

/* What a trace has where the law synchronizes; else the error. */
static const struct {
    unsigned got;
    bool has_arg;
    const char *mismatch;
} syncs[] = {
    [LAW_BARRIER] = { RECORD_ARRIVE, false, "the law has a barrier here, and the trace has none" },
    [LAW_LOCK] = { RECORD_LOCK, true,
                   "the law acquires a lock here, and the trace does not acquire it" },
    [LAW_UNLOCK] = { RECORD_UNLOCK, true,
                     "the law releases a lock here, and the trace does not release it" },
    [LAW_END] = { RECORD_END, false, "the law ends here, and the trace continues" },
};

static bool growth_fit_note_sync(void *self, enum law_kind kind, uint64_t arg, uint32_t site,
                                 uint64_t work)
{
    struct growth_fit_walk *w = self;
    uint64_t units = 0, more = 0, got_arg = 0, second = w->trace->set[RECORD_SET_units_s];
    unsigned got = growth_fit_next_sync(w, &got_arg, &units);

    if (w->wrong == NULL && (got != syncs[kind].got || (syncs[kind].has_arg && got_arg != arg)))
        w->wrong = syncs[kind].mismatch;
    if (w->wrong == NULL && kind == LAW_BARRIER &&
        growth_fit_next_sync(w, &got_arg, &more) != RECORD_DEPART)
        w->wrong = "the trace contains a barrier without its end";
    w->line = site;
    if (w->wrong != NULL)
        return false;
    uint64_t ns = (uint64_t)((__uint128_t)(units + more) * 1000000000 / second);
    growth_fit_add_times(&w->seen->at[site],
                         &(struct growth_times){ 1, work, ns, (__uint128_t)work * work,
                                                 (__uint128_t)work * ns });
    if (kind != LAW_LOCK) {
        growth_fit_compare(w);
        map_clear(&w->pages);
    }
    return true;
}

struct law_job growth_job(const struct growth *g, uint32_t nodes)
{
    return (struct law_job){ .law = g->law,
                             .param = g->param,
                             .nodes = nodes,
                             .traced = (uint32_t)g->largest->set[RECORD_SET_nodes],
                             .page_bytes = g->largest->set[RECORD_SET_page_bytes],
                             .first_page = g->first_page,
                             .seen = g->loaded,
                             .seen_count = g->loaded_count };
}

static const char *growth_fit_walk_node(struct growth *g, uint32_t i, uint32_t node)
{
    static const struct law_sink sink = { growth_fit_note_access, growth_fit_note_sync };
    const struct trace *t = g->trace[i];
    struct law_job job = growth_job(g, (uint32_t)t->set[RECORD_SET_nodes]);
    struct growth_fit_walk w = {
        .g = g, .seen = &g->seen[i], .trace = t, .is_check = g->is_check[i]
    };
    const char *wrong;

    job.node = node;
    job.pages = t->set[RECORD_SET_pages];
    if (t->part[node].streams != 1)
        return "it has several threads";
    script_open(&w.script, t, node);
    wrong = law_run_node(&job, &sink, &w);
    if (wrong == NULL && w.wrong != NULL) {
        snprintf(g->wrong, sizeof g->wrong, "line %" PRIu32 " of sim/law_%s.c: %s", w.line,
                 g->law->name, w.wrong);
        wrong = g->wrong;
    }
    script_close(&w.script);
    map_free(&w.pages);
    return wrong;
}

/* The law's first array begins at the first used page of the heap: the lowest of its near part. */
static uint64_t growth_fit_lowest_page(const struct trace *t)
{
    uint64_t lowest = UINT64_MAX, near = t->set[RECORD_SET_home_near];
    const struct script_op *op;
    struct script s;

    for (uint32_t n = 0; n < t->set[RECORD_SET_nodes]; n++) {
        script_open(&s, t, n);
        while ((op = script_next(&s)) != NULL) {
            bool is_page = op->kind == SCRIPT_STORE || op->kind == SCRIPT_WROTE ||
                           (op->kind < RECORD_KIND_COUNT && record_args[op->kind][0] == 'p');
            if (is_page && op->arg[0] >= near && op->arg[0] < lowest)
                lowest = op->arg[0];
        }
        script_close(&s);
    }
    return lowest;
}

/* ---- a + b work ---- */

static uint64_t growth_fit_rounded(__uint128_t a, __uint128_t b)
{
    return b == 0 ? 0 : (uint64_t)((a + b / 2) / b);
}

/* Sums are exact, and one quotient is rounded, the same everywhere by IEEE 754. */
static struct growth_line growth_fit_line(const struct growth_times *t)
{
    struct growth_line through = { 0,
                                   growth_fit_rounded(t->work_time << SLOPE_SHIFT, t->work_work) };
    struct growth_line flat = { growth_fit_rounded(t->time, t->count), 0 };
    __int128_t n = (__int128_t)t->count, w = (__int128_t)t->work, y = (__int128_t)t->time;
    __int128_t spread = n * (__int128_t)t->work_work - w * w;
    __int128_t rise = n * (__int128_t)t->work_time - w * y;

    if (spread == 0 && t->work > 0)
        return through; /* the law defines the work, and it is the same in all samples */
    if (spread <= 0 || rise <= 0)
        return flat;
    uint64_t slope = (uint64_t)((double)rise / (double)spread * (1 << SLOPE_SHIFT));
    __int128_t rest = y - (__int128_t)(((__uint128_t)slope * t->work) >> SLOPE_SHIFT);

    if (rest <= 0)
        return through;
    return (struct growth_line){ growth_fit_rounded((__uint128_t)rest, t->count), slope };
}

uint64_t growth_ns(const struct growth *g, uint32_t site, uint64_t work)
{
    const struct growth_line *l = &g->line[site];

    return l->constant + (uint64_t)(((__uint128_t)l->slope * work) >> SLOPE_SHIFT);
}

static void growth_fit_all(struct growth *g)
{
    for (uint32_t s = 0; s < LAW_LINES; s++) {
        struct growth_times all = { 0 };
        for (uint32_t i = 0; i < g->traces; i++)
            if (!g->is_check[i])
                growth_fit_add_times(&all, &g->seen[i].at[s]);
        g->line[s] = growth_fit_line(&all);
    }
}

/* ---- preparation ---- */

static int growth_fit_by_part(const void *a, const void *b)
{
    const struct law_seen *x = a, *y = b;

    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static void growth_fit_collect_loaded(struct growth *g)
{
    const struct script_op *op;
    struct script s;

    for (uint32_t n = 0; n < g->largest->set[RECORD_SET_nodes]; n++) {
        uint32_t part = 0;
        script_open(&s, g->largest, n);
        while ((op = script_next(&s)) != NULL) {
            if (op->kind == RECORD_READ && op->arg[0] >= g->first_page)
                *MAP_PUSH(g->loaded, g->loaded_count, g->loaded_room) =
                    (struct law_seen){ part, (uint32_t)op->arg[0] };
            part += growth_fit_is_sync(op->kind) && op->kind != RECORD_DEPART;
        }
        script_close(&s);
    }
    if (g->loaded_count > 0)
        qsort(g->loaded, g->loaded_count, sizeof *g->loaded, growth_fit_by_part);
}

static void growth_fit_find_largest(struct growth *g)
{
    g->first_page = UINT64_MAX;
    for (uint32_t i = 0; i < g->traces; i++) {
        const struct trace *t = g->trace[i];
        uint64_t lowest = growth_fit_lowest_page(t);
        if (g->is_check[i])
            continue;
        g->first_page = lowest < g->first_page ? lowest : g->first_page;
        if (g->largest == NULL || t->set[RECORD_SET_nodes] > g->largest->set[RECORD_SET_nodes])
            g->largest = t;
    }
}

const char *growth_fit(struct growth *g)
{
    growth_fit_find_largest(g);
    growth_fit_collect_loaded(g);
    for (uint32_t i = 0; i < g->traces; i++)
        for (uint32_t n = 0; n < g->trace[i]->set[RECORD_SET_nodes]; n++) {
            const char *wrong = growth_fit_walk_node(g, i, n);
            g->wrong_trace = i;
            g->wrong_node = n;
            if (wrong != NULL)
                return wrong;
        }
    growth_fit_all(g);
    return NULL;
}

void growth_free(struct growth *g)
{
    free(g->loaded);
    g->loaded = NULL;
}
