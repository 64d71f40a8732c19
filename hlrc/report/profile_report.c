/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_report.c - see profile_report.h. */
#include "hlrc/report/profile_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/companion.h"
#include "base/diag.h"
#include "base/outfile.h"
#include "hlrc/core/engine.h"
#include "hlrc/report/profile_map.h"

#define FETCHES  2  /* fetches that count as reading */
#define ACCESSES 20 /* blocks of which the lines of the accesses are looked up */

static struct profile_report job;
static struct report_record *records;
static uint32_t block_room;

static const struct profile_mask *profile_report_mask_of(const struct report_record *r)
{
    return r->of->mask ? &job.node[r->node].masks[r->of->mask - 1] : NULL;
}

static double profile_report_seconds_of(const struct report_record *r, uint64_t ticks)
{
    return (double)ticks * job.node[r->node].head->tick_s;
}

/* ---- pages ---- */

static int profile_report_by_page(const void *a, const void *b)
{
    const struct report_record *x = a, *y = b;
    if (x->page != y->page)
        return x->page < y->page ? -1 : 1;
    return x->node - y->node;
}

static int profile_report_list_records(void)
{
    size_t all = 0, k = 0;
    for (int n = 0; n < job.nodes; n++)
        all += job.node[n].head->pages;
    records = calloc(all + 1, sizeof *records);
    job.page = calloc(all + 1, sizeof *job.page);
    if (!records || !job.page)
        return -ENOMEM;
    for (int n = 0; n < job.nodes; n++)
        for (uint32_t i = 0; i < job.node[n].head->pages; i++)
            records[k++] =
                (struct report_record){ job.node[n].pages[i].page, n, &job.node[n].pages[i] };
    qsort(records, all, sizeof *records, profile_report_by_page);
    for (size_t i = 0; i < all; i++) {
        struct report_page *p = &job.page[job.pages];
        if (i == 0 || records[i].page != records[i - 1].page)
            *p = (struct report_page){ .page = records[i].page, .record = &records[i] };
        p->count++;
        if (i + 1 == all || records[i + 1].page != records[i].page)
            job.pages++;
    }
    return 0;
}

/* First byte of the longest run that the node has written, else a byte that it has touched, else
 * NONE. Short runs may be variables of the compiler or of a library. */
#define NONE PAGE_SIZE
static uint32_t profile_report_byte_of(const struct report_record *r)
{
    const struct profile_mask *m = profile_report_mask_of(r);
    uint32_t run = 0, longest = 0, first = NONE;
    for (uint32_t byte = 0; m && byte < PAGE_SIZE; byte++) {
        if (m->written[byte / 64] == 0) {
            byte |= 63;
            run = 0;
            continue;
        }
        run = m->written[byte / 64] >> byte % 64 & 1 ? run + 1 : 0;
        if (run > longest) {
            longest = run;
            first = byte + 1 - run;
        }
    }
    if (longest > 0)
        return first;
    return m && m->touched[0] ? m->touched[0] >> 16 : NONE;
}

static uintptr_t profile_report_address_of(uint32_t page)
{
    uint32_t in_a_row;
    return (uintptr_t)engine_app_run(page, &in_a_row);
}

static struct profile_report_block_name profile_report_name_of(const struct report_page *p)
{
    const struct report_record *most = NULL;
    for (int i = 0; i < p->count; i++)
        if (profile_report_byte_of(&p->record[i]) != NONE &&
            (!most || profile_report_seconds_of(&p->record[i], p->record[i].of->ticks) >
                          profile_report_seconds_of(most, most->of->ticks)))
            most = &p->record[i];
    uintptr_t at = profile_report_address_of(p->page);
    if (most)
        return profile_report_block_at(at + profile_report_byte_of(most));
    struct profile_report_block_name in = profile_report_block_in(at, PAGE_SIZE);
    return in.kind == BLOCK_HEAP ? in : profile_report_block_at(at);
}

/* ---- blocks ---- */

static struct profile_report_block *profile_report_new_block(struct profile_report_block_name name,
                                                             uint32_t page)
{
    if (job.blocks == block_room) {
        block_room = block_room ? block_room * 2 : 64;
        job.block = realloc(job.block, block_room * sizeof *job.block);
    }
    if (!job.block)
        return NULL;
    struct profile_report_block *b = &job.block[job.blocks++];
    *b = (struct profile_report_block){ .name = name, .lowest = page, .highest = page };
    b->by_node = calloc((size_t)job.nodes, sizeof *b->by_node);
    b->shared.by_node = calloc((size_t)job.nodes, sizeof *b->shared.by_node);
    return b->by_node && b->shared.by_node ? b : NULL;
}

static bool profile_report_same(const struct profile_report_block_name *a,
                                const struct profile_report_block_name *b)
{
    return a->kind == b->kind && a->at == b->at && a->code == b->code;
}

/* Pages ascend, so most are of the previous block; pages without a known start form one block. */
static struct profile_report_block *profile_report_block_of(const struct report_page *p)
{
    struct profile_report_block_name name = profile_report_name_of(p);
    for (uint32_t i = job.blocks; i > 0; i--)
        if (profile_report_same(&job.block[i - 1].name, &name))
            return &job.block[i - 1];
        else if (name.kind == BLOCK_HEAP && job.block[i - 1].name.kind == BLOCK_HEAP &&
                 job.block[i - 1].name.at + job.block[i - 1].name.size <
                     profile_report_address_of(p->page))
            break;
    return profile_report_new_block(name, p->page);
}

/* Since it learnt of another writer. */
static bool profile_report_writes_now(const struct report_record *r)
{
    const struct profile_mask *m = r ? profile_report_mask_of(r) : NULL;
    for (uint32_t i = 0; m && i < PROFILE_WORDS; i++)
        if (m->written[i])
            return true;
    return false;
}

/* A home page that stays writable has neither faults nor diffs. */
static bool profile_report_writes(const struct report_record *r)
{
    return profile_report_writes_now(r) ||
           (r && (r->of->count[PROFILE_write_faults] || r->of->count[PROFILE_diffs]));
}

static void profile_report_add_part(struct profile_report_block_part *to,
                                    const struct report_record *r)
{
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        to->count[k] += r->of->count[k];
    to->seconds += profile_report_seconds_of(r, r->of->ticks);
    to->shared_s += profile_report_seconds_of(r, r->of->shared);
    to->writes |= profile_report_writes(r);
}

/* The second block in the page, if its writers write two. */
static struct profile_report_block_name
profile_report_other_in(const struct report_page *p, const struct profile_report_block_name *one)
{
    for (int i = 0; i < p->count; i++) {
        uint32_t byte = profile_report_byte_of(&p->record[i]);
        struct profile_report_block_name b = { .kind = BLOCK_SHARED };
        if (byte != NONE)
            b = profile_report_block_at(profile_report_address_of(p->page) + byte);
        if (b.kind == BLOCK_HEAP && !profile_report_same(&b, one))
            return b;
    }
    return (struct profile_report_block_name){ .kind = BLOCK_SHARED };
}

static void profile_report_add_false(struct profile_report_block *b, const struct report_page *p,
                                     const struct profile_shared_form *form)
{
    struct profile_report_block_false *f = &b->shared;
    if (f->pages++ == 0) {
        f->page = p->page;
        f->distance = form->distance;
        f->other = profile_report_other_in(p, &b->name);
    }
    f->distance = form->distance < f->distance ? form->distance : f->distance;
    f->pieces = form->pieces > f->pieces ? form->pieces : f->pieces;
    f->writers = form->writers > f->writers ? form->writers : f->writers;
    for (int i = 0; i < p->count; i++) {
        double *s = &f->by_node[p->record[i].node];
        *s += profile_report_seconds_of(&p->record[i], p->record[i].of->shared);
        f->saves_s = *s > f->saves_s ? *s : f->saves_s;
    }
}

static enum profile_shared_verdict profile_report_judge(const struct report_page *p,
                                                        struct profile_shared_form *form)
{
    static struct profile_shared_side side[NODES_MAX];
    for (int i = 0; i < p->count; i++) {
        const struct report_record *r = &p->record[i];
        side[i] = (struct profile_shared_side){ .mask = profile_report_mask_of(r),
                                                .fetches = r->of->count[PROFILE_fetches],
                                                .turns = r->of->turns,
                                                .looks = r->of->looks };
    }
    return profile_shared_judge(side, p->count, form);
}

static const struct report_record *profile_report_record_of(const struct report_page *p, int node)
{
    for (int i = 0; i < p->count; i++)
        if (p->record[i].node == node)
            return &p->record[i];
    return NULL;
}

/* True if `node` reads, without writing, bytes in `beside` that another writer of `p` writes. */
static bool profile_report_reads_beside(const struct report_page *p, int node,
                                        const struct report_page *beside)
{
    const struct report_record *mine = profile_report_record_of(beside, node);
    if (!mine || profile_report_writes_now(mine) ||
        mine->of->count[PROFILE_fetches] + mine->of->looks < FETCHES)
        return false;
    for (int i = 0; i < p->count; i++)
        if (p->record[i].node != node &&
            profile_report_writes(profile_report_record_of(beside, p->record[i].node)))
            return true;
    return false;
}

/* ASSUMPTION: the pages up to this one have their blocks. */
static bool profile_report_is_read_beside(const struct report_page *p,
                                          const struct report_page *beside)
{
    const struct profile_report_block_name *b = &job.block[p->block].name;
    uintptr_t at = profile_report_address_of(beside->page);
    if (beside->page + 1 != p->page && beside->page != p->page + 1)
        return false;
    if (b->kind == BLOCK_HEAP && (at + PAGE_SIZE <= b->at || at >= b->at + b->size))
        return false;
    for (int i = 0; i < p->count; i++)
        if (profile_report_reads_beside(p, p->record[i].node, beside))
            return true;
    return false;
}

static bool profile_report_is_read_across(const struct report_page *p)
{
    const struct report_page *end = job.page + job.pages;
    return (p > job.page && profile_report_is_read_beside(p, p - 1)) ||
           (p + 1 < end && profile_report_is_read_beside(p, p + 1));
}

/* As profile_vote, each page with the lead of its line. */
static void profile_report_add_votes(struct profile_report_block *b,
                                     const struct profile_job_record *r)
{
    for (int write = 0; write < 2; write++) {
        uint64_t votes = r->votes[write], lead = b->lead[write];
        bool same = b->code[write] == r->code[write];
        if (!same && votes > lead)
            b->code[write] = r->code[write];
        b->lead[write] = same ? lead + votes : votes > lead ? votes - lead : lead - votes;
    }
}

static int profile_report_add_page(struct report_page *p)
{
    struct profile_shared_form form;
    struct profile_report_block *b = profile_report_block_of(p);
    if (!b)
        return -ENOMEM;
    b->pages++;
    b->highest = p->page;
    p->block = (uint32_t)(b - job.block);
    p->verdict = profile_report_judge(p, &form);
    if (p->verdict == SHARED_FALSE && form.pieces <= form.writers &&
        profile_report_is_read_across(p))
        p->verdict = SHARED_READ;
    for (int i = 0; i < p->count; i++) {
        profile_report_add_votes(b, p->record[i].of);
        profile_report_add_part(&b->all, &p->record[i]);
        profile_report_add_part(&b->by_node[p->record[i].node], &p->record[i]);
    }
    if (p->verdict == SHARED_FALSE)
        profile_report_add_false(b, p, &form);
    return 0;
}

/* ---- report ---- */

static int profile_report_by_seconds(const void *a, const void *b)
{
    const struct profile_report_block *x = a, *y = b;
    return (x->all.seconds < y->all.seconds) - (x->all.seconds > y->all.seconds);
}

/* The most costly first; pages refer to their block by its new index. */
static int profile_report_sort_blocks(void)
{
    uint32_t *index = calloc(job.blocks + 1, sizeof *index);
    if (!index)
        return -ENOMEM;
    for (uint32_t i = 0; i < job.blocks; i++)
        job.block[i].number = i;
    if (job.blocks > 0)
        qsort(job.block, job.blocks, sizeof *job.block, profile_report_by_seconds);
    for (uint32_t i = 0; i < job.blocks; i++)
        index[job.block[i].number] = i;
    for (uint32_t i = 0; i < job.pages; i++)
        job.page[i].block = index[job.page[i].block];
    free(index);
    return 0;
}

static int profile_report_merge(void)
{
    int rc = profile_report_sites_gather(job.node, job.nodes);
    if (rc == 0)
        rc = profile_report_list_records();
    for (uint32_t i = 0; i < job.pages && rc == 0; i++)
        rc = profile_report_add_page(&job.page[i]);
    if (rc == 0)
        rc = profile_report_sort_blocks();
    for (uint32_t i = 0; i < job.blocks && rc == 0; i++) {
        if (i >= ACCESSES)
            job.block[i].code[0] = job.block[i].code[1] = 0;
        profile_report_block_say(&job.block[i]);
    }
    if (rc == 0 && !(job.map = profile_map_make(job.node, job.nodes)))
        rc = -ENOMEM;
    return rc;
}

static void profile_report_drop(void)
{
    for (uint32_t i = 0; i < job.blocks; i++) {
        free(job.block[i].by_node);
        free(job.block[i].shared.by_node);
    }
    free(job.block);
    free(job.page);
    free(job.map);
    free(records);
    records = NULL;
    profile_report_sites_drop();
    job = (struct profile_report){ 0 };
    block_room = 0;
}

/* ---- the tool ---- */

static void profile_report_complain(const char *file, int rc)
{
    diag_warn("--profile=%s: cannot write the profile: %s; give a file in a "
              "directory that can be written and has room",
              file, strerror(-rc));
}

/* hlrc_profile cannot be run: keeps what it would have read, if FILE is not that. Nonzero if that
 * failed. */
static int profile_report_keep(const char *file, const char *page, const char *how, const char *why)
{
    char name[CONFIG_TEXT_MAX + 8];
    bool kept = config_is_file(file) && !page;
    snprintf(name, sizeof name, kept ? "%s" : "%s.json",
             page   ? page
             : kept ? file
                    : "hlrc_profile");
    int rc = kept ? 0 : outfile_write(name, true, profile_json, &job);
    if (rc)
        profile_report_complain(name, rc);
    else
        diag_warn("--profile: hlrc_profile cannot be run: %s; run: hlrc_profile %s%s%s", why,
                  how ? how : "", how ? " " : "", name);
    return rc;
}

static bool profile_report_is_page(const char *file)
{
    size_t len = strlen(file);
    return len > 5 && strcmp(file + len - 5, ".html") == 0;
}

/* The profile as a file without a name, open at its start; or a negative errno. */
static int profile_report_open(void)
{
    int fd = memfd_create("hlrc profile", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!out)
        return -errno;
    profile_json(out, &job);
    return fclose(out) == 0 && lseek(fd, 0, SEEK_SET) == 0 ? fd : -errno;
}

/* hlrc_profile prints the report, and writes a page; nonzero if that failed, after a line. */
static int profile_report_draw(const char *file)
{
    char html[CONFIG_TEXT_MAX + 8];
    const char *page = profile_report_is_page(file) ? file : NULL;
    const char *how = page ? html : *file ? NULL : "--advise";
    const char *argv[] = { "hlrc_profile", how, NULL };
    snprintf(html, sizeof html, "--html=%s", file);
    fflush(stderr);
    int fd = profile_report_open(), rc = fd < 0 ? fd : companion_run(argv, fd, -1);
    if (rc < 0)
        rc = profile_report_keep(file, page, how, strerror(-rc));
    if (fd >= 0)
        close(fd);
    return rc;
}

void profile_report(const struct profile_job_node *nodes, int count)
{
    const char *file = engine.config.profile;
    job = (struct profile_report){ .node = nodes, .nodes = count };
    int rc = profile_report_merge();
    bool lacks = rc != 0 || profile_report_draw(file) != 0;
    if (rc == 0 && config_is_file(file) && !profile_report_is_page(file))
        rc = outfile_write(file, true, profile_json, &job);
    if (rc)
        profile_report_complain(file, rc);
    if (rc || lacks)
        diag_exit_status(STATUS_OUTPUT);
    profile_report_drop();
}
