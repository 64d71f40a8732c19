/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_map.h - the access counters of all nodes over time merged into one map, the traffic
 * between nodes, and drawings of both, for a self-contained page. */
#ifndef HLRC_PROFILE_MAP_H
#define HLRC_PROFILE_MAP_H

#include "hlrc/report/profile_report.h"

/* Times are columns: those of the node with the longest columns. */
struct profile_map {
    struct heat heat; /* rows by their pages */
    uint32_t columns; /* until the end of the job */
    double column_s;
};

/* NULL: no memory. The caller calls free(). */
struct profile_map *profile_map_make(const struct profile_job_node *nodes, int count);

/* Bytes that came to node `to` from `from`: copies, and reads of hlrc_get; diffs, and writes of
 * hlrc_put. */
uint64_t profile_map_moved(const struct profile_report *r, int from, int to);

/* Draws one <svg> each, with colours for a light page and a dark one; text has the page's
 * colour. */
void profile_map_draw(FILE *out, const struct profile_report *r, enum heat_kind kind);
void profile_map_draw_traffic(FILE *out, const struct profile_report *r);

/* "12.3 MiB" */
const char *profile_map_bytes(uint64_t bytes, char *buf, size_t len);
/* For text between tags, and in attributes. */
void profile_map_put_text(FILE *out, const char *text);

extern const char *const map_names[HEAT_KINDS]; /* names used in JSON */

/* profile_page.c: the whole report as HTML. */
void profile_map_profile_html(FILE *out, const void *report); /* a struct profile_report */

#endif
