/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap.c - see heap.h. */
#include "compat/start/heap.h"

#include <errno.h>
#include <hlrc.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"

#define ALIGN_MALLOC 16 /* as the C library does */

struct heap_request {
    void *ptr;
    size_t align, size;
    bool zeroed;
};

static void heap_allocate(void *arg)
{
    struct heap_request *r = arg;
    r->ptr = r->zeroed ? hlrc_malloc(r->size) : hlrc_alloc_uninitialized(r->align, r->size);
}

static void heap_reallocate(void *arg)
{
    struct heap_request *r = arg;
    r->ptr = hlrc_realloc(r->ptr, r->size);
}

static void heap_give_back(void *arg)
{
    hlrc_free(((const struct heap_request *)arg)->ptr);
}

static void heap_measure(void *arg)
{
    struct heap_request *r = arg;
    r->size = hlrc_usable_size(r->ptr);
}

static void *heap_shared(size_t align, size_t size, bool zeroed)
{
    struct heap_request r = { NULL, align, size, zeroed };
    lane_call(heap_allocate, &r);
    return r.ptr;
}

void *heap_malloc(size_t size)
{
    return start_sharing ? heap_shared(ALIGN_MALLOC, size, false) : malloc(size);
}

void *heap_calloc(size_t count, size_t size)
{
    if (!start_sharing)
        return calloc(count, size);
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return heap_shared(ALIGN_MALLOC, count * size, true);
}

void *heap_aligned_alloc(size_t align, size_t size)
{
    return start_sharing ? heap_shared(align, size, false) : aligned_alloc(align, size);
}

void heap_free(void *ptr)
{
    struct heap_request r = { .ptr = ptr };
    if (!ptr)
        return;
    if (!heap_is_shared(ptr))
        free(ptr);
    else if (start_sharing) /* after the job its heap is gone */
        lane_call(heap_give_back, &r);
}

size_t heap_usable_size(void *ptr)
{
    struct heap_request r = { .ptr = ptr };
    if (!ptr || !heap_is_shared(ptr))
        return malloc_usable_size(ptr);
    lane_call(heap_measure, &r);
    return r.size;
}

void *heap_realloc(void *ptr, size_t size)
{
    struct heap_request r = { .ptr = ptr, .size = size };
    if (!ptr)
        return heap_malloc(size);
    if (!heap_is_shared(ptr))
        return realloc(ptr, size);
    if (size == 0) {
        heap_free(ptr);
        return NULL;
    }
    lane_call(heap_reallocate, &r);
    return r.ptr;
}
