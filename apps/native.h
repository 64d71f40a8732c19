/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native.h - what the applications use of hlrc.h, for processes that share memory as the hardware
 * does, without HLRC.
 *
 * Beside it one sees what the DSM costs: the same source compiled with -DNATIVE, its nodes the
 * processes of one machine that hlrc_init() forks, NATIVE_NODES of them (default 1), on the same
 * memory, kept coherent by the caches.
 */
#ifndef APPS_NATIVE_H
#define APPS_NATIVE_H

#include <stddef.h>

#include "apps/no_hints.h"

int hlrc_init(int *argc, char ***argv);
void hlrc_finalize(void); /* node 0: returns when all others have ended */
int hlrc_node_id(void);
int hlrc_node_count(void);
void hlrc_barrier(void);

/* All nodes call it alike. Lives until the program ends; NULL when the arena is used up. */
void *hlrc_malloc_all(size_t size);

#endif
