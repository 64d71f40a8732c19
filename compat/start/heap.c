/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap.c - see heap.h. */
#include "compat/start/heap.h"

#include <errno.h>
#include <hlrc.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "hlrc/heap/heap_cached.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

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

/* noinline: the fast paths of its callers need no stack. */
static __attribute__((noinline)) void *heap_shared(size_t align, size_t size, bool zeroed)
{
    struct heap_request r = { NULL, align, size, zeroed };
    lane_call(heap_allocate, &r);
    return r.ptr;
}

static __attribute__((noinline)) void heap_free_shared(void *ptr)
{
    struct heap_request r = { .ptr = ptr };
    lane_call(heap_give_back, &r);
}

void *heap_malloc(size_t size)
{
    if (!start_sharing)
        return malloc(size);
    void *cached = hlrc_cached_take(size);
    return cached ? cached : heap_shared(ALIGN_MALLOC, size, false);
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
    if (!start_sharing)
        return aligned_alloc(align, size);
    return align <= ALIGN_MALLOC ? heap_malloc(size) : heap_shared(align, size, false);
}

void heap_free(void *ptr)
{
    if (!heap_is_shared(ptr))
        free(ptr);
    else if (start_sharing && !hlrc_cached_give(ptr)) /* after the job its heap is gone */
        heap_free_shared(ptr);
}

size_t heap_usable_size(void *ptr)
{
    struct heap_request r = { .ptr = ptr };
    if (!ptr || !heap_is_shared(ptr))
        return malloc_usable_size(ptr);
    lane_call(heap_measure, &r);
    return r.size;
}

/* The block's size is not known there. Bytes after it are copied as well, or end the child with a
 * line if they are not accessible, as missing bytes of the block do. */
static void *heap_realloc_in_child(const void *ptr, size_t size)
{
    void *fresh = malloc(size);
    return fresh ? memcpy(fresh, ptr, size) : NULL;
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
    if (start_is_child)
        return heap_realloc_in_child(ptr, size);
    lane_call(heap_reallocate, &r);
    return r.ptr;
}

/* ---- the names that programs call: __wrap_malloc for malloc, and so on ---- */

#define ALIAS(name, as) extern __typeof__(as) name __attribute__((alias(#as)))
ALIAS(__wrap_malloc, heap_malloc);
ALIAS(__wrap_calloc, heap_calloc);
ALIAS(__wrap_realloc, heap_realloc);
ALIAS(__wrap_free, heap_free);
ALIAS(__wrap_malloc_usable_size, heap_usable_size);

void *__wrap_reallocarray(void *ptr, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return heap_realloc(ptr, count * size);
}

static int heap_is_power(size_t align)
{
    return align && (align & (align - 1)) == 0;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    if (!heap_is_power(align)) {
        errno = EINVAL;
        return NULL;
    }
    return heap_aligned_alloc(align, size);
}

ALIAS(__wrap_memalign, __wrap_aligned_alloc);

void *__wrap_valloc(size_t size)
{
    return heap_aligned_alloc(4096, size);
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    int before = errno, rc = 0;
    if (!heap_is_power(align) || align % sizeof(void *) != 0)
        return EINVAL;
    void *ptr = heap_aligned_alloc(align, size);
    if (ptr)
        *out = ptr;
    else
        rc = ENOMEM;
    errno = before;
    return rc;
}

/* ---- memory that the C library allocates for the program ---- */

static char *heap_copy_of(const char *text, size_t len)
{
    char *copy = heap_malloc(len + 1);
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

char *__wrap_strndup(const char *text, size_t most)
{
    return start_sharing ? heap_copy_of(text, strnlen(text, most)) : strndup(text, most);
}

char *__wrap_strdup(const char *text)
{
    return start_sharing ? heap_copy_of(text, strlen(text)) : strdup(text);
}

int __wrap_vasprintf(char **out, const char *format, va_list args)
{
    char *text;
    if (!start_sharing)
        return vasprintf(out, format, args);
    int len = vasprintf(&text, format, args);
    if (len < 0)
        return len;
    *out = heap_copy_of(text, (size_t)len);
    free(text);
    return *out ? len : -1;
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = __wrap_vasprintf(out, format, args);
    va_end(args);
    return len;
}

/* ---- C++ ---- */

typedef void heap_new_handler(void);
void std_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));
heap_new_handler *std_get_new_handler(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));

/* While there is no memory the program's handler is called, which may free some, or throw. */
static void *heap_new_or_null(size_t align, size_t size)
{
    for (;;) {
        void *ptr = align ? heap_aligned_alloc(align, size) : heap_malloc(size ? size : 1);
        heap_new_handler *handler = ptr || !std_get_new_handler ? NULL : std_get_new_handler();
        if (!handler)
            return ptr;
        handler();
    }
}

static void *heap_new_or_throw(size_t align, size_t size)
{
    void *ptr = heap_new_or_null(align, size);
    if (!ptr && std_throw_bad_alloc)
        std_throw_bad_alloc();
    return ptr;
}

#define OPERATOR(type, name, mangled, parameters) \
    type name parameters __asm__(mangled) __attribute__((visibility("default")))

OPERATOR(void *, heap_new_plain, "_Znwm", (size_t size));
void *heap_new_plain(size_t size)
{
    return heap_new_or_throw(0, size);
}

OPERATOR(void *, heap_new_aligned, "_ZnwmSt11align_val_t", (size_t size, size_t align));
void *heap_new_aligned(size_t size, size_t align)
{
    return heap_new_or_throw(align, size);
}

/* The last parameter, a reference to std::nothrow, is not declared. */
OPERATOR(void *, heap_new_nothrow, "_ZnwmRKSt9nothrow_t", (size_t size));
void *heap_new_nothrow(size_t size)
{
    return heap_new_or_null(0, size);
}

OPERATOR(void *, heap_new_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t",
         (size_t size, size_t align));
void *heap_new_aligned_nothrow(size_t size, size_t align)
{
    return heap_new_or_null(align, size);
}

/* Array forms, and forms with a size or alignment. */
#define SAME(type, name, mangled, parameters, as) \
    OPERATOR(type, name, mangled, parameters) __attribute__((alias(as)))
SAME(void *, new_array, "_Znam", (size_t size), "_Znwm");
SAME(void *, new_array_aligned, "_ZnamSt11align_val_t", (size_t size, size_t align),
     "_ZnwmSt11align_val_t");
SAME(void *, new_array_or_null, "_ZnamRKSt9nothrow_t", (size_t size), "_ZnwmRKSt9nothrow_t");
SAME(void *, new_array_aligned_or_null, "_ZnamSt11align_val_tRKSt9nothrow_t",
     (size_t size, size_t align), "_ZnwmSt11align_val_tRKSt9nothrow_t");
#define DELETE(name, mangled) SAME(void, name, mangled, (void *ptr), "heap_free")
DELETE(delete_plain, "_ZdlPv");
DELETE(delete_array, "_ZdaPv");
DELETE(delete_sized, "_ZdlPvm");
DELETE(delete_array_sized, "_ZdaPvm");
DELETE(delete_aligned, "_ZdlPvSt11align_val_t");
DELETE(delete_array_aligned, "_ZdaPvSt11align_val_t");
DELETE(delete_sized_aligned, "_ZdlPvmSt11align_val_t");
DELETE(delete_array_sized_aligned, "_ZdaPvmSt11align_val_t");
DELETE(delete_nothrow, "_ZdlPvRKSt9nothrow_t");
DELETE(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t");
DELETE(delete_aligned_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t");
DELETE(delete_array_aligned_nothrow, "_ZdaPvSt11align_val_tRKSt9nothrow_t");
