/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bounce.h - memory for one system call, in a signal handler: without malloc.
 *
 * Small buffers are on the stack. Each thread has a larger room, address space until it is used.
 * Memory is mapped only for larger buffers, and for a handler that has interrupted a call that
 * uses the room.
 */
#ifndef HLRC_BOUNCE_H
#define HLRC_BOUNCE_H

#include <stddef.h>
#include <stdint.h>

#define BOUNCE_NEAR 2048 /* bytes on the stack */
#define BOUNCE_NONE UINT32_MAX

struct bounce {
    size_t used;
    uint32_t slot, room; /* the thread's slot; the slot whose room is in use, or BOUNCE_NONE */
    struct bounce_map *maps;
    _Alignas(16) char near_bytes[BOUNCE_NEAR];
};

int bounce_init(uint32_t slots); /* slots of threads. 0 or a negative errno */

/* `slot`: of the thread (thread.h), or BOUNCE_NONE. */
void bounce_begin(struct bounce *b, uint32_t slot);
/* Aligned to 16 bytes, valid until bounce_end; contents undefined. NULL: no memory. */
void *bounce_take(struct bounce *b, size_t bytes);
void bounce_end(struct bounce *b);

#endif
