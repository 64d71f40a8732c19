/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * need.h - what a copy of a page must have and its home may still lack: the latest interval of
 * each of some writers.
 *
 * A version is needed from the notice or flush that announces it until some copy has it
 * [page.needed-versions]. So most pages need nothing, and most others one version, which is stored
 * in the page's state. Further versions are in lines of a pool, each for a group of writers.
 *
 *   word of the page:   0, or one version (protocol.h), or the first line
 *   lines:              writers 16 to 23 -> writers 8 to 15 -> writers 0 to 7
 *
 * An acquire takes notices writer by writer, in ascending order (interval.c). So the line that it
 * searches is usually at the head, or is added there.
 *
 * Invariants
 *   [need.dropped] A version that was announced and is no longer needed is in the page at its home,
 *       and in all fetches from there: versions at a home never fall, and home migration brings all
 *       of them [home-migration.held]. At its home a page needs only versions not yet applied
 *       there, and never the home's own writes: these are applied before they are announced. With
 *       --diffs write all announced versions are at the home [diffs-write.visible]: they are needed
 *       of a copy that is in flight then, and of no other.
 *   - The lines of a chain are for descending groups, and each has at least one version. So a
 *     page's needs take at most one word for each node of the job, and less for few writers.
 *   - A line belongs to one page or is free. A page's needs are read and changed under its lock; a
 *     thread that continues without the lock takes a list along (need_list).
 */
#ifndef HLRC_NEED_H
#define HLRC_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/core/engine.h"

#define NEED_WRITERS 8                   /* writers per line; fewer in a job of fewer nodes */
#define NEED_MANY    (UINT64_C(1) << 63) /* the word names a line */

int need_init(void); /* 0 or -ENOMEM; room for all versions of every page of the space */
void need_end(void);

/* Functions on the word of one page. ASSUMPTION of all: its page is locked. */

/* The parts of the inline functions that deal with lines. */
void need_add_line(uint64_t *needs, int writer, uint64_t interval);
uint32_t need_list_lines(uint64_t needs, uint64_t *out);
bool need_covered_lines(uint64_t needs, const uint64_t *versions);
void need_drop_lines(uint64_t needs);

/* Makes this interval of the writer needed, unless a later one is. */
static inline void need_add(uint64_t *needs, int writer, uint64_t interval)
{
    debug_assert(interval != 0 && interval >> 48 == 0);
    if (*needs && ((*needs & NEED_MANY) || protocol_version_writer(*needs) != writer))
        need_add_line(needs, writer, interval);
    else if (protocol_version_interval(*needs) < interval)
        *needs = protocol_version_of(writer, interval);
}

/* Lists all needed versions, at most one per writer; returns their number. */
static inline uint32_t need_list(uint64_t needs, uint64_t *out)
{
    if (needs & NEED_MANY)
        return need_list_lines(needs, out);
    *out = needs;
    return needs != 0;
}

/* Whether `versions`, one per node, covers everything needed. */
static inline bool need_covered(uint64_t needs, const uint64_t *versions)
{
    if (needs & NEED_MANY)
        return need_covered_lines(needs, versions);
    return needs == 0 ||
           versions[protocol_version_writer(needs)] >= protocol_version_interval(needs);
}

/* Clears all needs. */
static inline void need_drop(uint64_t *needs)
{
    if (*needs & NEED_MANY)
        need_drop_lines(*needs);
    *needs = 0;
}

/* For tests, and debug builds: the needed interval of a writer, 0 none; lines of this page; lines
 * of all pages in use, and the most ever in use. */
uint64_t need_of(uint64_t needs, int writer);
uint64_t need_lines_of(uint64_t needs);
uint64_t need_lines_used(uint64_t *most);

#endif
