/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile_job.h - collects and writes --profile and --advise when the job finalizes.
 *
 *   - Each node writes its counts into one piece of memory (struct profile_job_head), which node 0
 *     gathers (gather.h) after all nodes have stopped serving. A job that fails has no profile.
 */
#ifndef HLRC_PROFILE_JOB_H
#define HLRC_PROFILE_JOB_H

#include "hlrc/heap/sites.h"
#include "hlrc/probe/profile.h"

/* The head is followed by pages, masks, locks, sites, rows of the map. */
struct profile_job_head {
    uint32_t node, pages, masks, locks; /* counts of these */
    uint64_t sites;
    uint32_t heat_rows, page_shift, time_shift, unused;
    double tick_s, wall_s;
    struct profile_sums sums;
    struct profile_time time;
    struct profile_host host;
};

struct profile_job_record {
    uint32_t page;
    uint32_t mask; /* its number + 1; 0: none */
    uint32_t turns, looks;
    uint32_t home, unused;
    uint64_t count[PROFILE_COUNTERS];
    uint64_t ticks, shared;
    uint64_t code[2]; /* of reads, of writes, in transfer form (crash/code.h) */
    uint32_t votes[2];
};

/* Pointers to the parts of a node's memory. */
struct profile_job_node {
    const struct profile_job_head *head;
    const struct profile_job_record *pages;
    const struct profile_mask *masks;
    const struct profile_lock *locks;
    const struct sites_site *sites;
    const struct heat_row *heat;
};

void profile_job_finish(void); /* collective, when no node sends any more */

#endif
