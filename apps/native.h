/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native.h - the functions of hlrc.h that the applications use, for processes that share
 * hardware-coherent memory, without HLRC.
 *
 * It shows the overhead of the DSM by comparison: the same source is compiled with -DNATIVE. Its
 * nodes are processes of one machine, forked by hlrc_init(), NATIVE_NODES of them (default 1).
 * They share the same memory, kept coherent by the caches.
 */
#ifndef APPS_NATIVE_H
#define APPS_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/no_hints.h"

#define HLRC_STATIC_LOCKS 1024 /* as in hlrc.h */

typedef uint32_t hlrc_lock_t;
typedef uint32_t hlrc_cond_t;

int hlrc_init(int *argc, char ***argv);
void hlrc_finalize(void); /* node 0: returns when all others have exited */
int hlrc_node_id(void);
int hlrc_node_count(void);
void hlrc_barrier(void);

/* All nodes make the same calls. Lives until the program ends; NULL if the arena is exhausted. */
void *hlrc_malloc_all(size_t size);

/* Called by one node; otherwise as above. */
void *hlrc_malloc(size_t size);

/* native_sync.c. Errors for which HLRC ends a job end this one, too: a line, and status 1. */
int hlrc_lock_create(hlrc_lock_t *lock);
void hlrc_lock_destroy(hlrc_lock_t lock);
void hlrc_lock(hlrc_lock_t lock);
int hlrc_trylock(hlrc_lock_t lock);
void hlrc_unlock(hlrc_lock_t lock);

int hlrc_cond_create(hlrc_cond_t *cond);
void hlrc_cond_destroy(hlrc_cond_t cond);
void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock);
void hlrc_cond_signal(hlrc_cond_t cond);
void hlrc_cond_broadcast(hlrc_cond_t cond);

/* native_rma.c. All nodes make the same calls: `size` bytes of zeros at each node, at one address.
 * NULL if there is no room. */
void *hlrc_window_create(size_t size);
void *rma_place(const void *at, int node);

#include "apps/no_rma.h"

#endif
