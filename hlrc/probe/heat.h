/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heat.h - heat map: access counters by page and time, in memory that does not grow: rows of
 * pages, and columns of time.
 *
 *   - Counts stay: when two rows, or two columns, are merged, the result has their sum. A row is
 *     2^page_shift pages with events, a column 2^time_shift of the units in which times are given.
 *     Both double when there is no room for a new event.
 */
#ifndef HLRC_HEAT_H
#define HLRC_HEAT_H

#include <stdint.h>

#define HEAT_ROWS    128
#define HEAT_COLUMNS 128

enum heat_kind { HEAT_FAULTS, HEAT_FETCHES, HEAT_DIFFS, HEAT_KINDS };

struct heat_row {
    uint64_t group; /* page >> page_shift */
    uint32_t count[HEAT_KINDS][HEAT_COLUMNS];
};

/* All zeros is an empty map. Rows are in the order of their first events. */
struct heat {
    uint32_t rows, page_shift, time_shift;
    uint8_t place[256]; /* row of a group, a guess */
    struct heat_row row[HEAT_ROWS];
};

/* ASSUMPTION of all: one thread at a time. */
void heat_add(struct heat *h, enum heat_kind kind, uint32_t page, uint64_t time, uint32_t by);
void heat_reach(struct heat *h, uint64_t time);       /* ensures a column for it */
void heat_widen(struct heat *h, uint32_t page_shift); /* to this shift at least */
void heat_sort(struct heat *h);                       /* sorts rows by page */

#endif
