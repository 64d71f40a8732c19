/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_cached.h - malloc and free by nothing but the calling thread's cache (heap_cache.h). They
 * hold nothing, and touch private memory, and of shared memory only an entry of the heap's
 * directory, which may fault like a load of the program. So they may be called on any stack.
 * Exported for libhlrc_compat. */
#ifndef HLRC_HEAP_CACHED_H
#define HLRC_HEAP_CACHED_H

#include <stdbool.h>
#include <stddef.h>

/* Undefined memory, aligned to 16 bytes; NULL: the cache has none, or is not in use. */
void *hlrc_cached_take(size_t size);
/* ASSUMPTION: ptr is in the heap. False: hlrc_free has to look at it. */
bool hlrc_cached_give(void *ptr);

#endif
