/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_sizes.c - the public calls that allocate, and the size of an allocation. */
#include <errno.h>
#include <hlrc.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/heap/heap.h"
#include "hlrc/heap/sites.h"

#define ALIGN_MAX ((size_t)1 << 30)

void *hlrc_calloc(size_t count, size_t size)
{
    call_check("hlrc_calloc");
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    void *ptr = hlrc_malloc(count * size);
    sites_note(ptr, count * size, __builtin_return_address(0));
    return ptr;
}

void *hlrc_malloc(size_t size)
{
    call_check("hlrc_malloc");
    void *ptr = heap_allocate("hlrc_malloc", HEAP_GRAIN, size, true);
    sites_note(ptr, size, __builtin_return_address(0));
    return ptr;
}

static void *heap_sizes_aligned(const char *call, size_t align, size_t size, bool zeroed)
{
    call_check(call);
    if (align == 0 || (align & (align - 1)) != 0 || align > ALIGN_MAX) {
        errno = EINVAL;
        return NULL;
    }
    return heap_allocate(call, align, size, zeroed);
}

void *hlrc_aligned_alloc(size_t align, size_t size)
{
    void *ptr = heap_sizes_aligned("hlrc_aligned_alloc", align, size, true);
    sites_note(ptr, size, __builtin_return_address(0));
    return ptr;
}

void *hlrc_alloc_uninitialized(size_t align, size_t size)
{
    void *ptr = heap_sizes_aligned("hlrc_alloc_uninitialized", align, size, false);
    sites_note(ptr, size, __builtin_return_address(0));
    return ptr;
}

size_t hlrc_usable_size(const void *ptr)
{
    call_check("hlrc_usable_size");
    return ptr ? heap_size_of(ptr) : 0;
}

/* Resizes in place unless more than half of the block would be unused. */
static void *heap_sizes_resize(void *ptr, size_t size)
{
    if (!ptr)
        return hlrc_malloc(size);
    size_t usable = heap_size_of(ptr);
    if (usable == 0)
        diag_fatal(1,
                   "hlrc_realloc(%p): no live allocation begins here; pass a pointer from "
                   "hlrc_malloc or hlrc_aligned_alloc",
                   ptr);
    if (size <= usable && size >= usable / 2)
        return ptr;
    void *other = hlrc_alloc_uninitialized(HEAP_GRAIN, size);
    if (!other)
        return NULL;
    memcpy(other, ptr, size < usable ? size : usable);
    hlrc_free(ptr);
    return other;
}

void *hlrc_realloc(void *ptr, size_t size)
{
    call_check("hlrc_realloc");
    void *resized = heap_sizes_resize(ptr, size);
    sites_note(resized, size, __builtin_return_address(0));
    return resized;
}
