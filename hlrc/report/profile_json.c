/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_json.c - writes --profile=FILE; doc/profile.md has the format. */
#include <inttypes.h>

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

static void profile_json_put_seconds(FILE *out, const char *name, double value)
{
    char text[40];
    fprintf(out, "\"%s\":%s", name, profile_report_seconds(value, text, sizeof text));
}

static void profile_json_put_counts(FILE *out, const uint64_t *count)
{
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        fprintf(out, ",\"%s\":%" PRIu64, profile_counts[k], count[k]);
}

static void profile_json_put_part(FILE *out, const struct profile_report_block_part *part)
{
    profile_json_put_seconds(out, "seconds", part->seconds);
    fputc(',', out);
    profile_json_put_seconds(out, "shared_seconds", part->shared_s);
    profile_json_put_counts(out, part->count);
    fprintf(out, ",\"writes\":%s", part->writes ? "true" : "false");
}

static void profile_json_put_false(FILE *out, const struct profile_report_block *b)
{
    const struct profile_report_block_false *f = &b->shared;
    char cure[256];
    profile_report_cure(b, cure, sizeof cure);
    fprintf(out, ",\"false_sharing\":{\"pages\":%" PRIu32 ",\"first\":%" PRIu32 ",", f->pages,
            f->page);
    profile_json_put_seconds(out, "saves_seconds", f->saves_s);
    fputs(",\"cure\":", out);
    json_put_string(out, cure);
    if (f->other.size)
        fprintf(out, ",\"other\":\"0x%" PRIxPTR "\"", f->other.at);
    fputc('}', out);
}

static void profile_json_put_block(FILE *out, const struct profile_report *r,
                                   const struct profile_report_block *b)
{
    fprintf(out, "{\"kind\":\"%s\",\"address\":\"0x%" PRIxPTR "\",\"bytes\":%zu,\"where\":",
            kinds[b->name.kind], b->name.at, b->name.size);
    json_put_string(out, b->where);
    fprintf(out, ",\"pages\":%" PRIu32 ",", b->pages);
    profile_json_put_part(out, &b->all);
    fputs(",\"by_node\":[", out);
    for (int n = 0; n < r->nodes; n++) {
        fputs(n ? ",{" : "{", out);
        profile_json_put_part(out, &b->by_node[n]);
        fputc('}', out);
    }
    fputc(']', out);
    if (b->shared.pages > 0)
        profile_json_put_false(out, b);
    fputc('}', out);
}

static bool profile_json_has(const uint64_t *bits, uint32_t byte)
{
    return bits[byte / 64] >> byte % 64 & 1;
}

/* [[first byte, bytes], ...] */
static void profile_json_put_runs(FILE *out, const uint64_t *bits)
{
    const char *between = "";
    fputs(",\"written\":[", out);
    for (uint32_t at = 0, end; at < PAGE_SIZE; at = end) {
        for (end = at + 1;
             end < PAGE_SIZE && profile_json_has(bits, end) == profile_json_has(bits, at); end++)
            ;
        if (!profile_json_has(bits, at))
            continue;
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 "]", between, at, end - at);
        between = ",";
    }
    fputc(']', out);
}

/* [[byte, how often], ...] */
static void profile_json_put_touched(FILE *out, const struct profile_mask *m)
{
    const char *between = "";
    fputs(",\"touched\":[", out);
    for (int i = 0; i < PROFILE_TOUCHED && m->touched[i]; i++, between = ",")
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 "]", between, m->touched[i] >> 16,
                m->touched[i] & 0xffff);
    fputc(']', out);
}

static void profile_json_put_record(FILE *out, const struct profile_report *r,
                                    const struct report_record *rec)
{
    const struct profile_job_node *n = &r->node[rec->node];
    fprintf(out, "{\"node\":%d,", rec->node);
    profile_json_put_seconds(out, "seconds", (double)rec->of->ticks * n->head->tick_s);
    profile_json_put_counts(out, rec->of->count);
    fprintf(out, ",\"turns\":%" PRIu32 ",\"looks\":%" PRIu32, rec->of->turns, rec->of->looks);
    if (rec->of->mask) {
        profile_json_put_runs(out, n->masks[rec->of->mask - 1].written);
        profile_json_put_touched(out, &n->masks[rec->of->mask - 1]);
    }
    fputc('}', out);
}

static void profile_json_put_page(FILE *out, const struct profile_report *r,
                                  const struct report_page *p)
{
    uint32_t in_a_row;
    fprintf(out,
            "{\"page\":%" PRIu32 ",\"address\":\"0x%" PRIxPTR "\",\"block\":%" PRIu32
            ",\"verdict\":\"%s\",\"by_node\":[",
            p->page, (uintptr_t)engine_app_run(p->page, &in_a_row), p->block, verdicts[p->verdict]);
    for (int i = 0; i < p->count; i++) {
        fputs(i ? "," : "", out);
        profile_json_put_record(out, r, &p->record[i]);
    }
    fputs("]}", out);
}

/* Of one node. */
static void profile_json_put_locks(FILE *out, const struct profile_job_node *n)
{
    fputs(",\"locks\":[", out);
    for (uint32_t i = 0; i < n->head->locks; i++) {
        const struct profile_lock *l = &n->locks[i];
        int64_t number = l->lock == UINT32_MAX ? -1 : (int64_t)l->lock - 1;
        fprintf(out, "%s{\"lock\":%" PRId64 ",\"waits\":%" PRIu64 ",\"from_others\":%" PRIu64 ",",
                i ? "," : "", number, l->waits, l->hands);
        profile_json_put_seconds(out, "seconds", (double)l->ticks * n->head->tick_s);
        fputc('}', out);
    }
    fputc(']', out);
}

static void profile_json_put_traffic(FILE *out, const char *name, const uint64_t *by_home,
                                     int nodes)
{
    fprintf(out, ",\"%s\":[", name);
    for (int n = 0; n < nodes; n++)
        fprintf(out, "%s%" PRIu64, n ? "," : "", by_home[n]);
    fputc(']', out);
}

static void profile_json_put_node(FILE *out, const struct profile_report *r, int n)
{
    const struct profile_sums *s = &r->node[n].head->sums;
    fprintf(out, "{\"node\":%d,\"barriers\":%" PRIu64 ",", n, s->barriers);
    profile_json_put_seconds(out, "barrier_seconds", profile_report_barrier_s(&r->node[n]));
    fputc(',', out);
    profile_json_put_seconds(out, "longest_barrier_seconds",
                             (double)s->barrier_most * r->node[n].head->tick_s);
    profile_json_put_traffic(out, "pages_from", s->fetched, r->nodes);
    profile_json_put_traffic(out, "diff_bytes_to", s->sent, r->nodes);
    profile_json_put_traffic(out, "got_bytes_from", s->got, r->nodes);
    profile_json_put_traffic(out, "put_bytes_to", s->put, r->nodes);
    profile_json_put_locks(out, &r->node[n]);
    fputc('}', out);
}

static void profile_json_put_columns(FILE *out, const char *name, const uint32_t *count,
                                     uint32_t columns)
{
    fprintf(out, ",\"%s\":[", name);
    for (uint32_t c = 0; c < columns; c++)
        fprintf(out, "%s%" PRIu32, c ? "," : "", count[c]);
    fputc(']', out);
}

static void profile_json_put_map(FILE *out, const struct profile_map *m)
{
    uint64_t ns = (uint64_t)(m->column_s * 1e9 + 0.5), one = 1000000000;
    fprintf(out,
            "\"map\":{\"pages_each\":%u,\"columns\":%" PRIu32 ",\"seconds_each\":%" PRIu64
            ".%09" PRIu64 ",\"rows\":[",
            1u << m->heat.page_shift, m->columns, ns / one, ns % one);
    for (uint32_t r = 0; r < m->heat.rows; r++) {
        fprintf(out, "%s\n{\"page\":%" PRIu64, r ? "," : "",
                m->heat.row[r].group << m->heat.page_shift);
        for (int k = 0; k < HEAT_KINDS; k++)
            profile_json_put_columns(out, map_names[k], m->heat.row[r].count[k], m->columns);
        fputc('}', out);
    }
    fputs("]}", out);
}

void profile_json(FILE *out, const void *report)
{
    const struct profile_report *r = report;
    char protocol[32];
    fprintf(out,
            "{\"format\":\"hlrc-profile\",\"version\":%d,\"protocol\":\"%s\",\"nodes\":%d,"
            "\"page_bytes\":%u,",
            FORMAT_VERSION,
            config_value(&engine.config, CONFIG_ID_protocol, protocol, sizeof protocol), r->nodes,
            PAGE_SIZE);
    profile_json_put_seconds(out, "wall_seconds", r->node[0].head->wall_s);
    fputs(",\n\"by_node\":[", out);
    for (int n = 0; n < r->nodes; n++) {
        fputs(n ? ",\n" : "\n", out);
        profile_json_put_node(out, r, n);
    }
    fputs("],\n\"blocks\":[", out);
    for (uint32_t i = 0; i < r->blocks; i++) {
        fputs(i ? ",\n" : "\n", out);
        profile_json_put_block(out, r, &r->block[i]);
    }
    fputs("],\n\"pages\":[", out);
    for (uint32_t i = 0; i < r->pages; i++) {
        fputs(i ? ",\n" : "\n", out);
        profile_json_put_page(out, r, &r->page[i]);
    }
    fputs("],\n", out);
    profile_json_put_map(out, r->map);
    fputs("}\n", out);
}
