/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_text.c - prints --profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/report/profile_report.h"

#define SHOWN   20            /* blocks, lines of false sharing, locks */
#define COLUMNS PROFILE_parts /* counts that each block has */

const char *const profile_counts[] = {
#define X(name) #name,
    PROFILE_COUNTS(X)
#undef X
};

const char *profile_report_seconds(double value, char *buf, size_t len)
{
    unsigned long long us = value > 0 ? (unsigned long long)(value * 1e6 + 0.5) : 0;
    snprintf(buf, len, "%llu.%06llu", us / 1000000, us % 1000000);
    return buf;
}

static void profile_text_put_seconds(FILE *out, int width, double value)
{
    char text[40];
    fprintf(out, "%*s", width, profile_report_seconds(value, text, sizeof text));
}

/* ---- blocks ---- */

void profile_report_name(const struct profile_report_block *b, char *text, size_t len)
{
    if (b->name.kind == BLOCK_HEAP)
        snprintf(text, len, "%.200s, block of %zu bytes at 0x%" PRIxPTR, b->where, b->name.size,
                 b->name.at);
    else
        snprintf(text, len, "%.200s", b->where);
}

/* The nodes for which it holds: "0 1 2". */
static void profile_text_put_nodes(FILE *out, const struct profile_report *r,
                                   const struct profile_report_block *b,
                                   bool (*holds)(const struct profile_report_block_part *part))
{
    int some = 0;
    for (int n = 0; n < r->nodes; n++)
        if (holds(&b->by_node[n])) {
            fprintf(out, " %d", n);
            some++;
        }
    if (some == 0)
        fputs(" none", out);
}

static bool profile_text_writes(const struct profile_report_block_part *part)
{
    return part->writes;
}

static bool profile_text_reads(const struct profile_report_block_part *part)
{
    return part->count[PROFILE_fetches] || part->count[PROFILE_read_faults];
}

static void profile_text_put_block(FILE *out, const struct profile_report *r,
                                   const struct profile_report_block *b)
{
    char name[PROFILE_WHERE + 100];
    profile_report_name(b, name, sizeof name);
    profile_text_put_seconds(out, 12, b->all.seconds);
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, " %13" PRIu64, b->all.count[k]);
    fprintf(out, " %8" PRIu32 "  %s\n%14swritten by", b->pages, name, "");
    profile_text_put_nodes(out, r, b, profile_text_writes);
    fputs(", read by", out);
    profile_text_put_nodes(out, r, b, profile_text_reads);
    fputs("; seconds by node:", out);
    for (int n = 0; n < r->nodes; n++) {
        fputc(' ', out);
        profile_text_put_seconds(out, 0, b->by_node[n].seconds);
    }
    if (b->all.count[PROFILE_parts])
        fprintf(out, "; %" PRIu64 " bytes by hlrc_get and hlrc_put",
                b->all.count[PROFILE_part_bytes]);
    if (b->all.count[PROFILE_words])
        fprintf(out, "; %" PRIu64 " operations on words", b->all.count[PROFILE_words]);
    fputc('\n', out);
}

static void profile_text_put_blocks(FILE *out, const struct profile_report *r)
{
    fprintf(out, "%12s", "seconds");
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, " %13s", profile_counts[k]);
    fprintf(out, " %8s  allocated by, size\n", "pages");
    for (uint32_t i = 0; i < r->blocks && i < SHOWN; i++)
        profile_text_put_block(out, r, &r->block[i]);
    if (r->blocks > SHOWN)
        fprintf(out, "%12s %" PRIu32 " blocks more, which cost less\n", "", r->blocks - SHOWN);
}

/* ---- false sharing ---- */

void profile_report_cure(const struct profile_report_block *b, char *text, size_t len)
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

static void profile_text_put_false(FILE *out, const struct profile_report *r,
                                   const struct profile_report_block *b)
{
    const struct profile_report_block_false *f = &b->shared;
    char name[PROFILE_WHERE + 100], cure[256], saves[40];
    profile_report_name(b, name, sizeof name);
    profile_report_cure(b, cure, sizeof cure);
    fprintf(out, "hlrc: false sharing: %" PRIu32 " page%s of %s", f->pages, f->pages > 1 ? "s" : "",
            name);
    if (f->other.size)
        fprintf(out, ", and the block of %zu bytes at 0x%" PRIxPTR, f->other.size, f->other.at);
    fputs(": nodes", out);
    for (int n = 0; n < r->nodes; n++)
        if (f->by_node[n] > 0)
            fprintf(out, " %d", n);
    fprintf(out, " write different bytes and do not read each other's; %s; would save %s s\n", cure,
            profile_report_seconds(f->saves_s, saves, sizeof saves));
}

/* ---- locks and barriers ---- */

static int profile_text_by_lock(const void *a, const void *b)
{
    const struct profile_report_lock_sum *x = a, *y = b;
    return (x->lock > y->lock) - (x->lock < y->lock);
}

static int profile_text_by_wait(const void *a, const void *b)
{
    const struct profile_report_lock_sum *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void profile_text_add_lock(struct profile_report_lock_sum *to,
                                  const struct profile_report_lock_sum *by)
{
    to->waits += by->waits;
    to->hands += by->hands;
    to->seconds += by->seconds;
}

size_t profile_report_lock_sums(const struct profile_report *r,
                                struct profile_report_lock_sum **sums)
{
    size_t all = 0, kept = 0;
    for (int n = 0; n < r->nodes; n++)
        all += r->node[n].head->locks;
    struct profile_report_lock_sum *sum = *sums = all ? calloc(all, sizeof *sum) : NULL;
    if (!sum)
        return 0;
    all = 0;
    for (int n = 0; n < r->nodes; n++)
        for (uint32_t i = 0; i < r->node[n].head->locks; i++) {
            const struct profile_lock *l = &r->node[n].locks[i];
            sum[all++] =
                (struct profile_report_lock_sum){ l->lock, l->waits, l->hands,
                                                  (double)l->ticks * r->node[n].head->tick_s };
        }
    qsort(sum, all, sizeof *sum, profile_text_by_lock);
    for (size_t i = 0; i < all; i++)
        if (kept > 0 && sum[kept - 1].lock == sum[i].lock)
            profile_text_add_lock(&sum[kept - 1], &sum[i]);
        else
            sum[kept++] = sum[i];
    qsort(sum, kept, sizeof *sum, profile_text_by_wait);
    return kept;
}

static void profile_text_put_locks(FILE *out, const struct profile_report *r)
{
    struct profile_report_lock_sum *sum;
    size_t count = profile_report_lock_sums(r, &sum);
    if (count > 0)
        fprintf(out, "%12s %13s %13s  lock\n", "wait seconds", "waits", "from others");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        profile_text_put_seconds(out, 12, sum[i].seconds);
        fprintf(out, " %13" PRIu64 " %13" PRIu64 "  ", sum[i].waits, sum[i].hands);
        if (sum[i].lock == UINT32_MAX)
            fputs("all others\n", out);
        else
            fprintf(out, "%" PRIu32 "\n", sum[i].lock - 1);
    }
    if (count > SHOWN)
        fprintf(out, "%12s %zu locks more, which were waited for less\n", "", count - SHOWN);
    free(sum);
}

static void profile_text_put_barriers(FILE *out, const struct profile_report *r)
{
    double least = profile_report_barrier_s(&r->node[0]), most = least;
    for (int n = 1; n < r->nodes; n++) {
        double s = profile_report_barrier_s(&r->node[n]);
        least = s < least ? s : least;
        most = s > most ? s : most;
    }
    fprintf(out, "hlrc: barriers: %" PRIu64 "; imbalance ", r->node[0].head->sums.barriers);
    profile_text_put_seconds(out, 0, most - least);
    fputs(" s; seconds waited by node:", out);
    for (int n = 0; n < r->nodes; n++) {
        fputc(' ', out);
        profile_text_put_seconds(out, 0, profile_report_barrier_s(&r->node[n]));
    }
    fputc('\n', out);
}

void profile_text(FILE *out, const struct profile_report *r)
{
    char protocol[32], wall[40];
    uint32_t lines = 0;
    fprintf(out, "hlrc: profile: protocol %s, %d node%s, %s s; seconds, summed over all threads\n",
            config_value(&engine.config, CONFIG_ID_protocol, protocol, sizeof protocol), r->nodes,
            r->nodes > 1 ? "s" : "",
            profile_report_seconds(r->node[0].head->wall_s, wall, sizeof wall));
    profile_text_put_blocks(out, r);
    for (uint32_t i = 0; i < r->blocks && lines < SHOWN; i++)
        if (r->block[i].shared.pages > 0) {
            profile_text_put_false(out, r, &r->block[i]);
            lines++;
        }
    profile_text_put_locks(out, r);
    profile_text_put_barriers(out, r);
}
