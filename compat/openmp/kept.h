/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kept.h - shared memory of one construct of worksharing, which the lane that comes to it first
 * allocates. It is freed by that lane behind the first meeting after it has left the construct: by
 * then all have left it. */
#ifndef COMPAT_KEPT_H
#define COMPAT_KEPT_H

#include <stddef.h>
#include <stdint.h>

struct region;
struct kept {
    struct kept *next;
    uintptr_t *reductions; /* of the first lane; gomp_reduction.c */
    _Alignas(64) char room[];
};

/* Zeros, for the construct that the lane is in. */
struct kept *kept_make(struct region *r, size_t bytes);
/* The lane has left the construct. */
void kept_leave(struct region *r);
/* All have. */
void kept_free(struct region *r);

#endif
