/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* retained.h - shared memory of one worksharing construct. The first thread that arrives allocates
 * it, and frees it after the first collective that follows its own exit from the construct. By
 * then all threads have left. */
#ifndef COMPAT_RETAINED_H
#define COMPAT_RETAINED_H

#include <stddef.h>
#include <stdint.h>

struct team_region;
struct retained {
    struct retained *next;
    uintptr_t *reductions; /* of the first thread; gomp_reduction.c */
    _Alignas(64) char room[];
};

/* Zeroed, for the thread's current construct. */
struct retained *retained_make(struct team_region *r, size_t bytes);
/* The thread has left the construct. */
void retained_leave(struct team_region *r);
/* All threads have left. */
void retained_free(struct team_region *r);

#endif
