/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kept.h - shared memory of one worksharing construct. The first thread that arrives allocates it,
 * and frees it after the first collective that follows its own exit from the construct. By then
 * all threads have left. */
#ifndef COMPAT_KEPT_H
#define COMPAT_KEPT_H

#include <stddef.h>
#include <stdint.h>

struct region;
struct kept {
    struct kept *next;
    uintptr_t *reductions; /* of the first thread; gomp_reduction.c */
    _Alignas(64) char room[];
};

/* Zeroed, for the thread's current construct. */
struct kept *kept_make(struct region *r, size_t bytes);
/* The thread has left the construct. */
void kept_leave(struct region *r);
/* All threads have left. */
void kept_free(struct region *r);

#endif
