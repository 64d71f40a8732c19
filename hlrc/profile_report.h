/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_report.h - what all nodes have counted for --profile, by block of memory: on node 0, at
 * the end of a job. A page counts for one block: that which the node writes, or touches first,
 * whose threads the page has cost most. */
#ifndef HLRC_PROFILE_REPORT_H
#define HLRC_PROFILE_REPORT_H

#include <stdio.h>

#include "hlrc/profile_job.h"
#include "hlrc/profile_shared.h"

#define PROFILE_WHERE 256

enum block_kind { BLOCK_HEAP, BLOCK_VARIABLE, BLOCK_TABLES, BLOCK_SHARED };

struct block_name {
    enum block_kind kind;
    uintptr_t at;
    size_t size;   /* 0: unknown */
    uint64_t code; /* of BLOCK_HEAP, as it travels (crash/code.h) */
};

/* Of one block or page, by one node. */
struct block_part {
    uint64_t count[PROFILE_COUNTERS];
    double seconds, shared_s; /* of threads; since others write it, too */
    bool writes;
};

/* Pages of one block, or of two that lie in one page, that are shared falsely. */
struct block_false {
    struct block_name other;  /* size 0: none */
    uint32_t pages, page;     /* how many; the first */
    uint32_t distance;        /* of shared_form: of all pages */
    uint32_t pieces, writers; /* at most */
    double saves_s; /* of wall time: what the pages have cost that node which they have cost most */
    double *by_node;
};

struct block {
    struct block_name name;
    char where[PROFILE_WHERE]; /* call site, or the variable */
    uint32_t pages, lowest, highest;
    struct block_part all, *by_node;
    struct block_false shared; /* pages 0: no page is */
};

struct profile_report {
    const struct profile_node *node;
    int nodes;
    struct block *block; /* by seconds, the most first */
    uint32_t blocks;
    struct report_page *page; /* ascending */
    uint32_t pages;
    struct profile_map *map; /* profile_map.h */
};

struct report_page {
    uint32_t page, block;
    enum shared_verdict verdict;
    int first, count; /* of `record` */
    const struct report_record *record;
};

struct report_record {
    uint32_t page;
    int node;
    const struct profile_record *of;
};

void profile_report(const struct profile_node *nodes, int count);

/* profile_sites.c: by the address of a block that begins there, or has it. */
int sites_gather(const struct profile_node *nodes, int count); /* 0 or -ENOMEM */
void sites_drop(void);
struct block_name block_at(uintptr_t address);
/* The lowest block of the heap that has bytes in [from, from + bytes); kind BLOCK_SHARED: none. */
struct block_name block_in(uintptr_t from, size_t bytes);
void block_say(struct block *b); /* fills `where` */

extern const char *const profile_counts[]; /* names, by enum profile_count */
void profile_text(FILE *out, const struct profile_report *r);
void profile_json(FILE *out, const void *report); /* a struct profile_report */

/* "12.345", whatever the program's locale says */
const char *profile_seconds(double value, char *buf, size_t len);

/* The call and the block, or the variable. */
void profile_name(const struct block *b, char *text, size_t len);

/* Of a lock, all nodes'; `lock` + 1. */
struct lock_sum {
    uint32_t lock;
    uint64_t waits, hands;
    double seconds;
};
/* The one that was waited for most first; how many. *sums: to be given to free(). */
size_t profile_lock_sums(const struct profile_report *r, struct lock_sum **sums);

/* What would cure it, in words. */
void profile_cure(const struct block *b, char *text, size_t len);

static inline double report_barrier_s(const struct profile_node *n)
{
    return (double)n->head->sums.barrier_ticks * n->head->tick_s;
}

#endif
