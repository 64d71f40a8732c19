/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_map.h - the access counters of all nodes over time, merged into one map. */
#ifndef HLRC_PROFILE_MAP_H
#define HLRC_PROFILE_MAP_H

#include "hlrc/report/profile_job.h"

/* Times are columns: those of the node with the longest columns. */
struct profile_map {
    struct heat heat; /* rows by their pages */
    uint32_t columns; /* until the end of the job */
    double column_s;
};

/* NULL: no memory. The caller calls free(). */
struct profile_map *profile_map_make(const struct profile_job_node *nodes, int count);

#endif
