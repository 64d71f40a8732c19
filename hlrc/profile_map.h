/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_map.h - what all nodes have noted of pages over time, as one map, what went from node to
 * node, and drawings of both, for a page that needs no other file. */
#ifndef HLRC_PROFILE_MAP_H
#define HLRC_PROFILE_MAP_H

#include "hlrc/profile_report.h"

/* Times are columns: those of the node whose columns are longest. */
struct profile_map {
    struct heat heat; /* rows by their pages */
    uint32_t columns; /* until the end of the job */
    double column_s;
};

/* NULL: no memory. To be given to free(). */
struct profile_map *map_make(const struct profile_node *nodes, int count);

/* Bytes that came to node `to` from `from`: of copies, and of what hlrc_get reads; of diffs, and of
 * what hlrc_put writes. */
uint64_t map_moved(const struct profile_report *r, int from, int to);

/* One <svg> each, with colours for a light page and a dark one, in which text has the page's. */
void map_draw(FILE *out, const struct profile_report *r, enum heat_kind kind);
void map_draw_traffic(FILE *out, const struct profile_report *r);

/* "12.3 MiB" */
const char *map_bytes(uint64_t bytes, char *buf, size_t len);
/* For text between tags, and in attributes. */
void map_put_text(FILE *out, const char *text);

extern const char *const map_names[HEAT_KINDS]; /* as JSON has them */

/* profile_page.c: all of it for a browser. */
void profile_html(FILE *out, const void *report); /* a struct profile_report */

#endif
