/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sequential.h - the functions of hlrc.h that the applications use, for a program of one process
 * that links no HLRC.
 *
 * The baseline for speedups is the same source compiled with -DSEQUENTIAL. Its "shared" memory is
 * mapped as on a node, shared and in small pages, so that the two builds differ only in the
 * runtime.
 */
#ifndef APPS_SEQUENTIAL_H
#define APPS_SEQUENTIAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "apps/no_hints.h"

#define HLRC_STATIC_LOCKS 1024 /* as in hlrc.h */

typedef uint32_t hlrc_lock_t;
typedef uint32_t hlrc_cond_t;

static inline int hlrc_init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

static inline void hlrc_finalize(void)
{
}

static inline int hlrc_node_id(void)
{
    return 0;
}

static inline int hlrc_node_count(void)
{
    return 1;
}

static inline void hlrc_barrier(void)
{
}

/* Lives until the program ends: no application frees memory earlier. */
static inline void *hlrc_malloc_all(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* The same for small sizes, many per page. */
static inline void *hlrc_malloc(size_t size)
{
    static const size_t chunk = (size_t)1 << 20;
    static char *at;
    static size_t left;
    size_t rounded = size == 0 ? 16 : (size + 15) & ~(size_t)15;

    if (rounded < size || rounded > chunk / 4)
        return hlrc_malloc_all(size);
    if (rounded > left) {
        at = hlrc_malloc_all(chunk);
        left = at != NULL ? chunk : 0;
        if (at == NULL)
            return NULL;
    }
    left -= rounded;
    at += rounded;
    return at - rounded;
}

static inline void *hlrc_window_create(size_t size)
{
    return hlrc_malloc_all(size);
}

static inline void *rma_place(const void *at, int node)
{
    (void)node;
    return (void *)(uintptr_t)at;
}

#include "apps/no_rma.h"

/* Locks do nothing: there is no other node to exclude. */
static inline int hlrc_lock_create(hlrc_lock_t *lock)
{
    *lock = HLRC_STATIC_LOCKS;
    return 0;
}

static inline void hlrc_lock_destroy(hlrc_lock_t lock)
{
    (void)lock;
}

static inline void hlrc_lock(hlrc_lock_t lock)
{
    (void)lock;
}

static inline int hlrc_trylock(hlrc_lock_t lock)
{
    (void)lock;
    return 0;
}

static inline void hlrc_unlock(hlrc_lock_t lock)
{
    (void)lock;
}

static inline int hlrc_cond_create(hlrc_cond_t *cond)
{
    *cond = 0;
    return 0;
}

static inline void hlrc_cond_destroy(hlrc_cond_t cond)
{
    (void)cond;
}

/* No other node could signal. */
static inline void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock)
{
    (void)cond;
    (void)lock;
    fputs("sequential: hlrc_cond_wait: no other node that could signal; "
          "test the condition before the wait\n",
          stderr);
    exit(1);
}

static inline void hlrc_cond_signal(hlrc_cond_t cond)
{
    (void)cond;
}

static inline void hlrc_cond_broadcast(hlrc_cond_t cond)
{
    (void)cond;
}

#endif
