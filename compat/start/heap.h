/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.h - the program's malloc: from the shared heap while threads of several nodes may run the
 * program, else from the C library.
 *
 * The linker redirects the program's calls of malloc, free and so on to these functions (--wrap).
 * The C library, HLRC and this library use the C library's own for memory of one node. C++
 * operators new and delete are replaced in the whole process, since libstdc++ allocates for the
 * program. Memory that a library allocated and the program frees is recognised by its address.
 */
#ifndef COMPAT_HEAP_H
#define COMPAT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addresses.h"

/* Range of HLRC's heap. Only libraries and their allocations lie there as well, if system calls are
 * filtered (hlrc/system/filter.h): from a third of the address space on. */
#define HEAP_LOW   ADDRESSES_SPACE
#define HEAP_HIGH  ADDRESSES_SLICES
#define OTHERS_LOW ((uintptr_t)0x2aaaaaaaa000)
#define OTHERS_END ((uintptr_t)0x300000000000)

static inline bool heap_is_shared(const void *ptr)
{
    uintptr_t at = (uintptr_t)ptr;
    return at >= HEAP_LOW && at < HEAP_HIGH && (at < OTHERS_LOW || at >= OTHERS_END);
}

/* Like malloc and so on. */
void *heap_malloc(size_t size);
void *heap_calloc(size_t count, size_t size);
void *heap_realloc(void *ptr, size_t size);
void *heap_aligned_alloc(size_t align, size_t size);
void heap_free(void *ptr);
size_t heap_usable_size(void *ptr);

#endif
