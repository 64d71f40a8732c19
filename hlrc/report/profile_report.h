/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_report.h - the counts of all nodes for --profile, by block of memory: on node 0, at the
 * end of a job. A page counts for one block: the block that the node whose threads spent most
 * time on it writes, or touches first. */
#ifndef HLRC_PROFILE_REPORT_H
#define HLRC_PROFILE_REPORT_H

#include <stdio.h>

#include "hlrc/report/profile_job.h"
#include "hlrc/report/profile_shared.h"

#define PROFILE_WHERE 256

enum profile_report_block_kind { BLOCK_HEAP, BLOCK_VARIABLE, BLOCK_TABLES, BLOCK_SHARED };

struct profile_report_block_name {
    enum profile_report_block_kind kind;
    uintptr_t at;
    size_t size;   /* 0: unknown */
    uint64_t code; /* of BLOCK_HEAP, in transfer form (crash/code.h) */
};

/* Counts of one block or page at one node. */
struct profile_report_block_part {
    uint64_t count[PROFILE_COUNTERS];
    double seconds, shared_s; /* of threads; while other nodes write it, too */
    bool writes;
};

/* Pages of one block, or of two that lie in one page, with false sharing. */
struct profile_report_block_false {
    struct profile_report_block_name other; /* size 0: none */
    uint32_t pages, page;                   /* number of pages; the first */
    uint32_t distance;                      /* of shared_form: of all pages */
    uint32_t pieces, writers;               /* at most */
    double saves_s; /* of wall time: the cost of the pages at the node where it is highest */
    double *by_node;
};

struct profile_report_block {
    struct profile_report_block_name name;
    char where[PROFILE_WHERE];               /* call site, or the variable */
    uint32_t pages, lowest, highest, number; /* number: by address */
    struct profile_report_block_part all, *by_node;
    struct profile_report_block_false shared; /* pages 0: no page is */
    /* of reads, of writes: the line that most of its pages name, in transfer form, by how many
     * faults more than others, and in words */
    uint64_t code[2], lead[2];
    char at[2][PROFILE_WHERE];
};

struct profile_report {
    const struct profile_job_node *node;
    int nodes;
    struct profile_report_block *block; /* by seconds, descending */
    uint32_t blocks;
    struct report_page *page; /* ascending */
    uint32_t pages;
    struct profile_map *map; /* profile_map.h */
};

struct report_page {
    uint32_t page, block;
    enum profile_shared_verdict verdict;
    int first, count; /* of `record` */
    const struct report_record *record;
};

struct report_record {
    uint32_t page;
    int node;
    const struct profile_job_record *of;
};

void profile_report(const struct profile_job_node *nodes, int count);

/* profile_sites.c: the block that begins at an address, or contains it. */
int profile_report_sites_gather(const struct profile_job_node *nodes, int count); /* 0 or -ENOMEM */
void profile_report_sites_drop(void);
struct profile_report_block_name profile_report_block_at(uintptr_t address);
/* The lowest block of the heap with bytes in [from, from + bytes); kind BLOCK_SHARED: none. */
struct profile_report_block_name profile_report_block_in(uintptr_t from, size_t bytes);
void profile_report_block_say(struct profile_report_block *b); /* fills `where` and `at` */
/* The source line of a call, "" for 0. */
void profile_report_say_call(uint64_t code, char *text, size_t len);

void profile_json(FILE *out, const void *report); /* a struct profile_report */

#endif
