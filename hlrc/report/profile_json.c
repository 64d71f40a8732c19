/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_json.c - writes a profile; doc/profile.md has the format. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "hlrc/core/engine.h"
#include "hlrc/report/profile_map.h"
#include "hlrc/report/profile_report.h"

#define FORMAT_VERSION 1

static const char *const verdicts[] = { [SHARED_NOT] = "not shared",
                                        [SHARED_SELDOM] = "seldom",
                                        [SHARED_OVERLAP] = "same bytes",
                                        [SHARED_READ] = "read",
                                        [SHARED_FALSE] = "false sharing" };
static const char *const kinds[] = { [BLOCK_HEAP] = "heap",
                                     [BLOCK_VARIABLE] = "variable",
                                     [BLOCK_TABLES] = "tables",
                                     [BLOCK_SHARED] = "unknown" };
static const char *const counters[] = {
#define X(name) #name,
    PROFILE_COUNTS(X)
#undef X
};
static const char *const maps[HEAT_KINDS] = {
    [HEAT_FAULTS] = "faults", [HEAT_FETCHES] = "fetches", [HEAT_DIFFS] = "diffs"
};

static void profile_json_put_address(struct json *j, const char *name, uintptr_t at)
{
    json_put(j, name, "\"0x%" PRIxPTR "\"", at);
}

static void profile_json_put_counters(struct json *j, const uint64_t *count)
{
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        json_put_count(j, counters[k], count[k]);
}

static void profile_json_put_part(struct json *j, const struct profile_report_block_part *part)
{
    json_put_seconds(j, "seconds", part->seconds);
    json_put_seconds(j, "shared_seconds", part->shared_s);
    profile_json_put_counters(j, part->count);
    json_put(j, "writes", part->writes ? "true" : "false");
}

/* The suggested remedy. */
static void profile_json_cure(const struct profile_report_block *b, char *text, size_t len)
{
    const struct profile_report_block_false *f = &b->shared;
    if (f->other.size)
        snprintf(text, len,
                 "allocate each block by hlrc_aligned_alloc(4096, size), with a size "
                 "that is a multiple of 4096");
    else if (f->pieces > f->writers)
        snprintf(text, len,
                 "data of different nodes is %" PRIu32 " bytes apart: pad elements to 4096 "
                 "bytes, or group the elements of each node in separate pages",
                 f->distance);
    else if (b->name.kind == BLOCK_VARIABLE)
        snprintf(text, len, "align the data of each node to separate pages: _Alignas(4096)");
    else if (b->lowest == b->highest)
        snprintf(text, len,
                 "align the data of each node to separate pages: hlrc_aligned_alloc(4096, 4096 for "
                 "each)");
    else
        snprintf(text, len,
                 "align the data of each node to a multiple of 4096 bytes: pad rows, and "
                 "allocate by hlrc_aligned_alloc(4096, size)");
}

static void profile_json_put_false(struct json *j, const struct profile_report *r,
                                   const struct profile_report_block *b)
{
    const struct profile_report_block_false *f = &b->shared;
    char cure[256];
    profile_json_cure(b, cure, sizeof cure);
    json_open(j, "false_sharing", '{');
    json_put_count(j, "pages", f->pages);
    json_put_count(j, "first", f->page);
    json_put_seconds(j, "saves_seconds", f->saves_s);
    json_put_string(j, "cure", cure);
    if (f->other.size) {
        profile_json_put_address(j, "other", f->other.at);
        json_put_count(j, "other_bytes", f->other.size);
    }
    json_open(j, "nodes", '[');
    for (int n = 0; n < r->nodes; n++)
        if (f->by_node[n] > 0)
            json_put_count(j, NULL, (uint64_t)n);
    json_close(j, ']');
    json_close(j, '}');
}

static void profile_json_put_block(struct json *j, const struct profile_report *r,
                                   const struct profile_report_block *b)
{
    json_open(j, NULL, '{');
    json_put_string(j, "kind", kinds[b->name.kind]);
    profile_json_put_address(j, "address", b->name.at);
    json_put_count(j, "bytes", b->name.size);
    json_put_string(j, "where", b->where);
    if (*b->at[0])
        json_put_string(j, "read_at", b->at[0]);
    if (*b->at[1])
        json_put_string(j, "written_at", b->at[1]);
    json_put_count(j, "pages", b->pages);
    profile_json_put_part(j, &b->all);
    json_open(j, "by_node", '[');
    for (int n = 0; n < r->nodes; n++) {
        json_open(j, NULL, '{');
        profile_json_put_part(j, &b->by_node[n]);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (b->shared.pages > 0)
        profile_json_put_false(j, r, b);
    json_close(j, '}');
}

static bool profile_json_has(const uint64_t *bits, uint32_t byte)
{
    return bits[byte / 64] >> byte % 64 & 1;
}

/* [[first byte, bytes], ...] */
static void profile_json_put_runs(struct json *j, const uint64_t *bits)
{
    json_open(j, "written", '[');
    for (uint32_t at = 0, end; at < PAGE_SIZE; at = end) {
        for (end = at + 1;
             end < PAGE_SIZE && profile_json_has(bits, end) == profile_json_has(bits, at); end++)
            ;
        if (profile_json_has(bits, at))
            json_put(j, NULL, "[%" PRIu32 ",%" PRIu32 "]", at, end - at);
    }
    json_close(j, ']');
}

/* [[byte, how often], ...] */
static void profile_json_put_touched(struct json *j, const struct profile_mask *m)
{
    json_open(j, "touched", '[');
    for (int i = 0; i < PROFILE_TOUCHED && m->touched[i]; i++)
        json_put(j, NULL, "[%" PRIu32 ",%" PRIu32 "]", m->touched[i] >> 16, m->touched[i] & 0xffff);
    json_close(j, ']');
}

static void profile_json_put_record(struct json *j, const struct profile_report *r,
                                    const struct report_record *rec)
{
    const struct profile_job_node *n = &r->node[rec->node];
    json_open(j, NULL, '{');
    json_put_count(j, "node", (uint64_t)rec->node);
    json_put_seconds(j, "seconds", (double)rec->of->ticks * n->head->tick_s);
    profile_json_put_counters(j, rec->of->count);
    json_put_count(j, "turns", rec->of->turns);
    json_put_count(j, "looks", rec->of->looks);
    if (rec->of->mask) {
        profile_json_put_runs(j, n->masks[rec->of->mask - 1].written);
        profile_json_put_touched(j, &n->masks[rec->of->mask - 1]);
    }
    json_close(j, '}');
}

static void profile_json_put_page(struct json *j, const struct profile_report *r,
                                  const struct report_page *p)
{
    uint32_t in_a_row;
    json_open(j, NULL, '{');
    json_put_count(j, "page", p->page);
    profile_json_put_address(j, "address", (uintptr_t)engine_app_run(p->page, &in_a_row));
    json_put_count(j, "block", p->block);
    json_put_string(j, "verdict", verdicts[p->verdict]);
    json_open(j, "by_node", '[');
    for (int i = 0; i < p->count; i++)
        profile_json_put_record(j, r, &p->record[i]);
    json_close(j, ']');
    json_close(j, '}');
}

/* Of one node. */
static void profile_json_put_locks(struct json *j, const struct profile_job_node *n)
{
    char where[PROFILE_WHERE];
    json_open(j, "locks", '[');
    for (uint32_t i = 0; i < n->head->locks; i++) {
        const struct profile_lock *l = &n->locks[i];
        json_open(j, NULL, '{');
        json_put(j, "lock", "%" PRId64, l->lock == UINT32_MAX ? -1 : (int64_t)l->lock - 1);
        json_put_count(j, "waits", l->waits);
        json_put_count(j, "from_others", l->hands);
        json_put_seconds(j, "seconds", (double)l->ticks * n->head->tick_s);
        profile_report_say_call(l->code, where, sizeof where);
        if (*where)
            json_put_string(j, "at", where);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Of all threads of a node. */
static void profile_json_put_time(struct json *j, const struct profile_time *t)
{
    static const char *const names[STATS_CATEGORIES] = {
        [STATS_COMPUTE] = "compute", [STATS_FAULT] = "faults",     [STATS_PAGE] = "fetches",
        [STATS_LOCK] = "locks",      [STATS_BARRIER] = "barriers", [STATS_DIFF] = "diffs"
    };
    json_put_count(j, "threads", t->threads);
    json_put_seconds(j, "most_computed_seconds", t->most);
    json_open(j, "time", '{');
    for (int k = 0; k < STATS_CATEGORIES; k++)
        json_put_seconds(j, names[k], t->spent[k]);
    json_close(j, '}');
}

static void profile_json_put_node(struct json *j, const struct profile_report *r, int n)
{
    const struct profile_job_head *h = r->node[n].head;
    const struct profile_sums *s = &h->sums;
    uint32_t nodes = (uint32_t)r->nodes;
    json_open(j, NULL, '{');
    json_put_count(j, "node", (uint64_t)n);
    profile_json_put_time(j, &h->time);
    json_put_count(j, "barriers", s->barriers);
    json_put_seconds(j, "barrier_seconds", (double)s->barrier_ticks * h->tick_s);
    json_put_seconds(j, "longest_barrier_seconds", (double)s->barrier_most * h->tick_s);
    json_put_counts(j, "pages_from", s->fetched, nodes);
    json_put_counts(j, "diff_bytes_to", s->sent, nodes);
    json_put_counts(j, "got_bytes_from", s->got, nodes);
    json_put_counts(j, "put_bytes_to", s->put, nodes);
    profile_json_put_locks(j, &r->node[n]);
    json_close(j, '}');
}

static void profile_json_put_row(struct json *j, const struct profile_map *m,
                                 const struct heat_row *row)
{
    uint64_t count[HEAT_COLUMNS];
    json_open(j, NULL, '{');
    json_put_count(j, "page", row->group << m->heat.page_shift);
    for (int k = 0; k < HEAT_KINDS; k++) {
        for (uint32_t c = 0; c < m->columns; c++)
            count[c] = row->count[k][c];
        json_put_counts(j, maps[k], count, m->columns);
    }
    json_close(j, '}');
}

static void profile_json_put_map(struct json *j, const struct profile_map *m)
{
    uint64_t ns = (uint64_t)(m->column_s * 1e9 + 0.5), one = 1000000000;
    json_open(j, "map", '{');
    json_put_count(j, "pages_each", 1u << m->heat.page_shift);
    json_put_count(j, "columns", m->columns);
    json_put(j, "seconds_each", "%" PRIu64 ".%09" PRIu64, ns / one, ns % one);
    json_open(j, "rows", '[');
    for (uint32_t i = 0; i < m->heat.rows; i++) {
        json_line(j);
        profile_json_put_row(j, m, &m->heat.row[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Puts a list with a line for each `i` below `count`. */
#define PUT_LINES(j, name, count, put)      \
    do {                                    \
        json_open(j, name, '[');            \
        for (int i = 0; i < (count); i++) { \
            json_line(j);                   \
            put;                            \
        }                                   \
        json_close(j, ']');                 \
        json_line(j);                       \
    } while (0)

/* Of the host of node 0, for all of its nodes. */
static uint64_t profile_json_processors(const struct profile_report *r)
{
    const struct profile_host *first = &r->node[0].head->host;
    cpu_set_t all = first->processors;
    for (int n = 1; n < r->nodes; n++)
        if (*first->id && strcmp(first->id, r->node[n].head->host.id) == 0)
            CPU_OR(&all, &all, &r->node[n].head->host.processors);
    return (uint64_t)CPU_COUNT(&all);
}

void profile_json(FILE *out, const void *report)
{
    const struct profile_report *r = report;
    struct json j = { out, false };
    char protocol[32];
    json_open(&j, NULL, '{');
    json_put_string(&j, "format", "hlrc-profile");
    json_put_count(&j, "version", FORMAT_VERSION);
    json_put_string(&j, "protocol",
                    config_value(&engine.config, CONFIG_ID_protocol, protocol, sizeof protocol));
    json_put_count(&j, "nodes", (uint64_t)r->nodes);
    json_put_count(&j, "page_bytes", PAGE_SIZE);
    json_put_seconds(&j, "wall_seconds", r->node[0].head->wall_s);
    json_put_count(&j, "processors", profile_json_processors(r));
    json_line(&j);
    PUT_LINES(&j, "by_node", r->nodes, profile_json_put_node(&j, r, i));
    PUT_LINES(&j, "blocks", (int)r->blocks, profile_json_put_block(&j, r, &r->block[i]));
    PUT_LINES(&j, "pages", (int)r->pages, profile_json_put_page(&j, r, &r->page[i]));
    profile_json_put_map(&j, r->map);
    json_close(&j, '}');
    fputc('\n', out);
}
