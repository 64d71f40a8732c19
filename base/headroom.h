/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * headroom.h - how much memory is left to this process: of the machine, and of each control group
 * that it is in (versions 1 and 2). What the kernel can take back at once, the cache of files,
 * counts as left.
 */
#ifndef HLRC_HEADROOM_H
#define HLRC_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

struct headroom {
    int64_t left;  /* bytes until the tightest bound; INT64_MAX: none is known */
    int64_t whole; /* that bound */
};

/* Opens what headroom_now reads; root is put before the paths. What cannot be opened does not
 * count. */
void headroom_open(const char *root);
void headroom_close(void);

/* Whether a control group bounds this process, so that it matters who makes a page. */
bool headroom_grouped(void);

/* Some system calls, no allocation, no lock: allowed in a fault handler. */
struct headroom headroom_now(void);

#endif
