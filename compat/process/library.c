/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * library.c - calls of the C library by other libraries, such as the streams of C++, for a thread
 * of the program: node 0 performs them (delegate.h), as if the program had made them.
 *
 * These functions replace the C library's in the whole process, HLRC included. But HLRC runs on
 * private stacks only, and the program and its libraries on shared ones (lane.h).
 */
#include "compat/process/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"

bool library_is_away(void)
{
    return start_away && lane_is_shared(__builtin_frame_address(0));
}

/* Its address in the C library, which the program's own calls use (names.c). All arguments and
 * results are words. In C a function may have two names, but not two types. */
#define LIBRARY_NAME(count, name)                                                             \
    delegate_fn *library_of_##name __attribute__((visibility("hidden")));                     \
    long library_##name(long a, long b, long c, long d, long e, long f) __asm__(#name)        \
        __attribute__((visibility("default")));                                               \
    long library_##name(long a, long b, long c, long d, long e, long f)                       \
    {                                                                                         \
        delegate_fn *fn =                                                                     \
            library_find(&library_of_##name, #name, (void *)(uintptr_t)library_##name);       \
        if (library_is_away())                                                                \
            return delegate_call(fn, (const long[DELEGATE_WORDS]){ a, b, c, d, e, f }, NULL); \
        return fn(a, b, c, d, e, f);                                                          \
    }                                                                                         \
    __attribute__((constructor(101))) static void library_start_##name(void)                  \
    {                                                                                         \
        (void)library_find(&library_of_##name, #name, (void *)(uintptr_t)library_##name);     \
    }
#define NAME(count, name)

/* The program's function of that name, if it has one, which is not called through `ours`. */
static delegate_fn *library_find(delegate_fn **fn, const char *name, const void *ours)
{
    if (*fn)
        return *fn;
    void *first = dlsym(RTLD_DEFAULT, name);
    *fn = (delegate_fn *)(uintptr_t)(first == ours ? dlsym(RTLD_NEXT, name) : first);
    return *fn;
}

#include "compat/process/names.h"
