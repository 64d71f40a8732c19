/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * twin.h - frames for the twins of dirty pages.
 *
 * Frames are numbered from 1; 0 is no frame. The frame freed last is handed out next, because it
 * is in the cache. Address space for a twin of every page is reserved at start; memory is used for
 * as many as were ever dirty at once. No system call, usable inside the fault handler.
 */
#ifndef HLRC_TWIN_H
#define HLRC_TWIN_H

#include <stdint.h>

int twin_init(uint32_t pages);
void twin_end(void);
uint32_t twin_take(void);       /* a frame of one page; there is one for every page. Spins */
void twin_drop(uint32_t frame); /* frees it. Spins */
void *twin_mem(uint32_t frame);

#endif
