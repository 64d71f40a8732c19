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

/* Constructs to cancel. */
enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_TASKGROUP = 8 };

/* A schedule as a number may have this bit. */
#define GOMP_MONOTONIC 0x80000000L

void GOMP_parallel(gomp_fn *fn, void *data, unsigned threads, unsigned flags);
void GOMP_teams_reg(gomp_fn *fn, void *data, unsigned teams, unsigned limit, unsigned flags);
void GOMP_barrier(void);
void GOMP_loop_end(void);
unsigned GOMP_sections_start(unsigned count);
void GOMP_sections_end(void);
void GOMP_taskgroup_reduction_register(uintptr_t *data);
/* What the thread that called GOMP_single_copy_end shows, after its barrier. */
void gomp_team_see(void *out);
void GOMP_single_copy_end(void *data);
bool GOMP_single_start(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
bool GOMP_cancel(int which, bool condition);
bool GOMP_cancellation_point(int which);
bool GOMP_barrier_cancel(void);
void GOMP_warning(const char *message, size_t len);

#endif
