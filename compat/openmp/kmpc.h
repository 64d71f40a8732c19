/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kmpc.h - what clang calls for OpenMP directives: the part of libomp's interface (clang 14 to 19)
 * that is implemented here, above the same runtime as gomp.h. clang calls by name. Each function
 * gets the source position and a thread number, which nothing here needs.
 */
#ifndef COMPAT_KMPC_H
#define COMPAT_KMPC_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/team.h"

typedef unsigned long long ull;

/* The code of a region: gets the addresses of two thread numbers, then the addresses or values of
 * variables. */
typedef void kmpc_micro(int32_t *thread, int32_t *bound, ...);

struct kmpc_position;

#define KMPC_AT        struct kmpc_position *position, int32_t number
#define KMPC_AT_UNUSED ((void)position, (void)number)

/* As clang stores it. */
struct kmpc_depend {
    void *at;
    size_t bytes;
    uint8_t flags;
};

/* Of the calling thread's taskgroup: adds up its task reductions after its end, and frees them. */
void kmpc_reduction_end_group(void);

#endif
