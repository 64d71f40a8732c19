/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_sites.c - maps addresses to blocks, from the records of all nodes (heap/sites.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/crash/code.h"
#include "hlrc/heap/heap_look.h"
#include "hlrc/report/profile_report.h"

#define LOOKED_UP 256 /* most call sites that are looked up: addr2line is slow */

static struct sites_site *sites; /* ascending */
static uintptr_t *ends;          /* the highest end of any block up to this one */
static size_t site_count;

static uintptr_t profile_sites_start_of(const struct sites_site *s)
{
    return (uintptr_t)s->block;
}

static int profile_sites_by_address(const void *a, const void *b)
{
    const struct sites_site *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

int profile_report_sites_gather(const struct profile_job_node *nodes, int count)
{
    uintptr_t end = 0;
    site_count = 0;
    for (int n = 0; n < count; n++)
        site_count += nodes[n].head->sites;
    sites = calloc(site_count + 1, sizeof *sites);
    ends = calloc(site_count + 1, sizeof *ends);
    if (!sites || !ends)
        return -ENOMEM;
    struct sites_site *to = sites;
    for (int n = 0; n < count; to += nodes[n++].head->sites)
        if (nodes[n].head->sites)
            memcpy(to, nodes[n].sites, nodes[n].head->sites * sizeof *to);
    qsort(sites, site_count, sizeof *sites, profile_sites_by_address);
    for (size_t i = 0; i < site_count; i++) {
        uintptr_t own = profile_sites_start_of(&sites[i]) + sites[i].size;
        ends[i] = end = own > end ? own : end;
    }
    return 0;
}

void profile_report_sites_drop(void)
{
    free(sites);
    free(ends);
    sites = NULL;
    ends = NULL;
}

/* Number of blocks that begin at or before the address. */
static size_t profile_sites_up_to(uintptr_t address)
{
    size_t low = 0, high = site_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (profile_sites_start_of(&sites[mid]) <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static const struct sites_site *profile_sites_at(uintptr_t address)
{
    const struct sites_site *found = NULL;
    for (size_t i = profile_sites_up_to(address); i > 0 && ends[i - 1] > address; i--) {
        const struct sites_site *s = &sites[i - 1];
        if (address - profile_sites_start_of(s) < s->size && (!found || s->stamp > found->stamp))
            found = s;
    }
    return found;
}

static struct profile_report_block_name profile_sites_name_of_site(const struct sites_site *s)
{
    return (struct profile_report_block_name){ BLOCK_HEAP, profile_sites_start_of(s), s->size,
                                               s->code };
}

struct profile_report_block_name profile_report_block_at(uintptr_t address)
{
    const void *at = (const void *)address;
    uint64_t behind = 0;
    const struct sites_site *s = profile_sites_at(address);
    if (s)
        return profile_sites_name_of_site(s);
    if (engine_in_heap(at))
        return (struct profile_report_block_name){ .kind = heap_look(at).what == HEAP_TABLES
                                                               ? BLOCK_TABLES
                                                               : BLOCK_SHARED };
    if (code_variable(address, &behind))
        return (struct profile_report_block_name){ .kind = BLOCK_VARIABLE, .at = address - behind };
    return (struct profile_report_block_name){ .kind = BLOCK_SHARED };
}

struct profile_report_block_name profile_report_block_in(uintptr_t from, size_t bytes)
{
    size_t i = profile_sites_up_to(from);
    const struct sites_site *s = profile_sites_at(from);
    if (!s && i < site_count && profile_sites_start_of(&sites[i]) - from < bytes)
        s = &sites[i];
    return s ? profile_sites_name_of_site(s)
             : (struct profile_report_block_name){ .kind = BLOCK_SHARED };
}

/* Looks up each call site once. */
void profile_report_say_call(uint64_t code, char *text, size_t len)
{
    static struct {
        uint64_t code;
        char text[PROFILE_WHERE];
    } known[LOOKED_UP];
    static int count;
    *text = '\0';
    if (code == 0)
        return;
    for (int i = 0; i < count; i++)
        if (known[i].code == code) {
            snprintf(text, len, "%s", known[i].text);
            return;
        }
    if (count == LOOKED_UP) {
        snprintf(text, len, "code 0x%" PRIx64, code);
        return;
    }
    code_say_call(code, text, len);
    known[count].code = code;
    snprintf(known[count++].text, PROFILE_WHERE, "%s", text);
}

void profile_report_block_say(struct profile_report_block *b)
{
    uint64_t behind = 0;
    const char *name = b->name.kind == BLOCK_VARIABLE ? code_variable(b->name.at, &behind) : NULL;
    if (b->name.kind == BLOCK_HEAP)
        profile_report_say_call(b->name.code, b->where, sizeof b->where);
    else if (b->name.kind == BLOCK_TABLES)
        snprintf(b->where, sizeof b->where, "the tables of the shared heap");
    else
        snprintf(b->where, sizeof b->where, "%s", name ? name : "shared memory");
    for (int write = 0; write < 2; write++)
        profile_report_say_call(b->code[write], b->at[write], sizeof b->at[write]);
}
