/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_data.h - a profile (doc/profile.md) as hlrc_profile prints and draws it. */
#ifndef HLRC_PROFILE_DATA_H
#define HLRC_PROFILE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hlrc/probe/profile.h"
#include "tools/json_read.h"

enum { PROFILE_NAME = 512 };

/* Names of the counts of a block, by enum profile_count. */
extern const char *const profile_data_counts[PROFILE_COUNTERS];

/* The call that allocated a block and the block, or the variable; returns `text`. */
const char *profile_data_name(const struct json_read *block, char *text, size_t len);

/* A lock, with the sums over all nodes. */
struct profile_data_lock {
    int64_t lock; /* -1: all others */
    uint64_t waits, hands;
    double seconds;
};
/* By waiting time, descending. Returns their number. */
size_t profile_data_locks(const struct json_read *profile, struct profile_data_lock **locks);

void profile_text(FILE *out, const struct json_read *profile);
void profile_advise(FILE *out, const struct json_read *profile);
void profile_page_write(FILE *out, const void *profile); /* a struct json_read */

/* profile_draw.c: one <svg> each, with colours for a light page and a dark one; text has the
 * page's colour. */
void profile_draw_map(FILE *out, const struct json_read *profile, enum heat_kind kind);
void profile_draw_traffic(FILE *out, const struct json_read *profile);
/* For text between tags, and in attributes. */
void profile_draw_put_text(FILE *out, const char *text);

#endif
