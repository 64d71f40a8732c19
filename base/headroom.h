/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * headroom.h - how much memory is left to this process: of the machine, and of each control group
 * that it is in (versions 1 and 2). Memory that the kernel can reclaim at once, the page cache,
 * counts as left.
 */
#ifndef HLRC_HEADROOM_H
#define HLRC_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

struct headroom {
    int64_t left;  /* bytes to the tightest limit; INT64_MAX: no limit is known */
    int64_t whole; /* that limit */
};

/* Opens the files that headroom_now reads; root is put before their paths. A file that cannot be
 * opened does not count. */
void headroom_open(const char *root);
void headroom_close(void);

/* True if a control group limits this process: then it matters which process allocates a page. */
bool headroom_grouped(void);

/* A few system calls, no allocation, no lock: allowed in a fault handler. */
struct headroom headroom_now(void);

#endif
