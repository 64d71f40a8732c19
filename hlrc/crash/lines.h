/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lines.h - source lines of addresses, by running addr2line as another process: the crashed one
 * may be in any state. Neither allocates nor locks. */
#ifndef HLRC_LINES_H
#define HLRC_LINES_H

#include <stdint.h>

#define LINES_NAME    160
#define LINES_PLACE   400
#define LINES_INLINED 16

/* Of an address: innermost function first; each was inlined into the next one. */
struct lines {
    int count;
    struct {
        char function[LINES_NAME];
        char place[LINES_PLACE]; /* file:line; "" unknown */
    } of[LINES_INLINED];
};

void lines_begin(int seconds); /* limit for all later calls of lines_find */

/* For addresses as `file` numbers them. An address without answer has count 0. */
void lines_find(const char *file, const uint64_t *addresses, struct lines *const *out, int count);

#endif
