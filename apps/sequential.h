/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sequential.h - what the applications use of hlrc.h, for a program of one process that links no
 * HLRC.
 *
 * The baseline for speedups is the same source compiled with -DSEQUENTIAL. Its "shared" memory is
 * mapped like that of a node, shared and in small pages, so that the two builds differ in the
 * runtime alone.
 */
#ifndef APPS_SEQUENTIAL_H
#define APPS_SEQUENTIAL_H

#include <stddef.h>
#include <sys/mman.h>

#include "apps/no_hints.h"

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

/* Lives until the program ends: none of the applications gives memory back earlier. */
static inline void *hlrc_malloc_all(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

#endif
