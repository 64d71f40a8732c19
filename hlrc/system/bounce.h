/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bounce.h - memory for one system call, within a signal handler: nothing of malloc.
 *
 * What is small is on the stack. A thread has room for more, which is address space until it is
 * used; only what is larger still, or is asked for by a handler that has interrupted such a call,
 * is mapped.
 */
#ifndef HLRC_BOUNCE_H
#define HLRC_BOUNCE_H

#include <stddef.h>
#include <stdint.h>

#define BOUNCE_NEAR 2048 /* bytes on the stack */
#define BOUNCE_NONE UINT32_MAX

struct bounce {
    size_t used;
    uint32_t slot, room; /* the thread's; that whose room is taken, or BOUNCE_NONE */
    struct bounce_map *maps;
    _Alignas(16) char near_bytes[BOUNCE_NEAR];
};

int bounce_init(uint32_t slots); /* of threads. 0 or a negative errno */

/* `slot`: of the thread (thread.h), or BOUNCE_NONE. */
void bounce_begin(struct bounce *b, uint32_t slot);
/* Aligned to 16 bytes, until bounce_end; holds anything. NULL: no memory. */
void *bounce_take(struct bounce *b, size_t bytes);
void bounce_end(struct bounce *b);

#endif
