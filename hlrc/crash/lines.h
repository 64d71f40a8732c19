/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lines.h - lines of source for addresses, by addr2line as a process of its own: the one that
 * crashed may be in any state. Without allocating or locking. */
#ifndef HLRC_LINES_H
#define HLRC_LINES_H

#include <stdint.h>

#define LINES_NAME    160
#define LINES_PLACE   400
#define LINES_INLINED 6

/* An address: the innermost function first, which was inlined into the next one. */
struct lines {
    int count;
    struct {
        char function[LINES_NAME];
        char place[LINES_PLACE]; /* file:line; "" unknown */
    } of[LINES_INLINED];
};

void lines_begin(int seconds); /* for all that is found from now on */

/* Of one file, for addresses as it numbers them. What cannot be found has count 0. */
void lines_find(const char *file, const uint64_t *addresses, struct lines *const *out, int count);

#endif
