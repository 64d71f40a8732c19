/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp.h - what gcc calls for OpenMP directives: the part of libgomp's interface (gcc 12,
 * libgomp_g.h) that is implemented here. Only what several files use is declared: gcc calls by
 * name. */
#ifndef COMPAT_GOMP_H
#define COMPAT_GOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long ull;
typedef void gomp_fn(void *);

/* A schedule as a number may have this bit. */
#define GOMP_MONOTONIC 0x80000000L

void GOMP_parallel(gomp_fn *fn, void *data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
void GOMP_loop_end(void);
unsigned GOMP_sections_start(unsigned count);
void GOMP_sections_end(void);
void GOMP_taskgroup_reduction_register(uintptr_t *data);
void GOMP_warning(const char *message, size_t len);

#endif
