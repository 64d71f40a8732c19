/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * need.h - what a copy of a page must have and its home may still lack: the latest interval of
 * each of some writers.
 *
 * A version is needed from the notice or the closing that tells of it until some copy has it
 * (page.h P4). So most pages need nothing, and most others one version, which lies in the page's
 * state. More lie in lines that come from a pool, each for a group of writers.
 *
 *   word of the page:   0, or one version (protocol.h), or the first line
 *   lines:              writers 16 to 23 -> writers 8 to 15 -> writers 0 to 7
 *
 * An acquire takes notices writer by writer, in ascending order (interval.c), so the line that it
 * looks for is at the head, or to be put there, most of the time.
 *
 * Invariants
 *   ND1  A version that was told of and is not needed any more is in the page at its home, and in
 *        all that is fetched from there: versions at a home never fall, and a home that moves
 *        brings all of them (sync/homes.h MV1). At its home a page needs what is not applied there;
 *        what the home itself has written it never needs: that is applied before it is told of.
 *        With --diffs write all that is told of is there (DW1): it is needed of a copy that is
 *        under way then, and of no other.
 *   ND2  The lines of a chain are of groups that descend, and each has one version at least. So
 *        what a page needs takes a word for each node of the job at most, and for few writers less.
 *   ND3  A line belongs to one page or is free. What a page needs is read and changed under its
 *        lock; who goes on without it takes a list along (need_list).
 */
#ifndef HLRC_NEED_H
#define HLRC_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/engine.h"

#define NEED_WRITERS 8                   /* of a line; in a job of fewer nodes so many */
#define NEED_MANY    (UINT64_C(1) << 63) /* the word names a line */

int needs_init(void); /* 0 or -ENOMEM; room for all versions of every page of the space */
void needs_end(void);

/* Of the word of one page. ASSUMPTION of all: its page is locked. */

/* The parts of what follows that deal with lines. */
void need_add_line(uint64_t *needs, int writer, uint64_t interval);
uint32_t need_list_lines(uint64_t needs, uint64_t *out);
bool need_covered_lines(uint64_t needs, const uint64_t *versions);
void need_drop_lines(uint64_t needs);

/* This interval of the writer is needed, or a later one that was before. */
static inline void need_add(uint64_t *needs, int writer, uint64_t interval)
{
    debug_assert(interval != 0 && interval >> 48 == 0);
    if (*needs && ((*needs & NEED_MANY) || version_writer(*needs) != writer))
        need_add_line(needs, writer, interval);
    else if (version_interval(*needs) < interval)
        *needs = version_of(writer, interval);
}

/* All that is needed, a version for each writer at most; how many. */
static inline uint32_t need_list(uint64_t needs, uint64_t *out)
{
    if (needs & NEED_MANY)
        return need_list_lines(needs, out);
    *out = needs;
    return needs != 0;
}

/* Whether `versions`, one per node, has everything that is needed. */
static inline bool need_covered(uint64_t needs, const uint64_t *versions)
{
    if (needs & NEED_MANY)
        return need_covered_lines(needs, versions);
    return needs == 0 || versions[version_writer(needs)] >= version_interval(needs);
}

/* Nothing is needed. */
static inline void need_drop(uint64_t *needs)
{
    if (*needs & NEED_MANY)
        need_drop_lines(*needs);
    *needs = 0;
}

/* For tests, and debug builds: the interval of a writer that is needed, 0 none; lines of this page;
 * of all pages, now, and ever at a time. */
uint64_t need_of(uint64_t needs, int writer);
uint64_t need_lines_of(uint64_t needs);
uint64_t need_lines_used(uint64_t *most);

#endif
