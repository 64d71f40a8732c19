/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * window.h - memory for put, get and accumulate (include/hlrc_rma.h): a part at every node, at the
 * same address, outside the shared space.
 *
 * All windows lie in one window of the fabric, the arena, made by the first hlrc_window_create:
 * address space as large as the shared space, in which every node chooses the same offsets. Like
 * the shared space, a node maps it twice: for the application, and for the fabric.
 *
 *            hlrc_window_create                        hlrc_window_free
 *   unmapped ------------------> mapped, readable and ----------------> unmapped, discarded
 *                                writable, prepared
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   - All nodes make and free windows together, in one order, and each node finds the offset of the
 *     next one in a table that is the same on all.
 *   - All operations on a part go through the fabric only, at its owner too, and the owner's loads
 *     and stores need no fault: no page, home, notice or handler is involved.
 *   - A node's part is prepared before another node knows the window: an access never waits for the
 *     target's CPU.
 *   - A window is freed after a barrier before which each node's operations are complete. Its owner
 *     frees the memory before it enters the next barrier: the next window there is zero, and no
 *     late write lands in it.
 *   - [thread.no-fault] While engine locks may be held the fabric touches the program's memory only
 *     where that cannot fault: memory in the shared space is copied by the calling thread, before
 *     or afterwards.
 */
#ifndef HLRC_WINDOW_H
#define HLRC_WINDOW_H

#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"

/* In the arena; end 0: free. Written only by create and free. */
struct window {
    _Atomic size_t begin, end;
};

/* Written by the first hlrc_window_create, then constant, except `top` and the table. */
struct window_arena {
    size_t size;          /* 0: there is none */
    char *app, *base;     /* of this node's part: the application's view, and the fabric's */
    char *heap;           /* the pages of the heap, */
    size_t heap_bytes;    /* for one-step comparison */
    int id, fd;           /* the window of the fabric */
    _Atomic unsigned top; /* entries of the table used so far */
    struct window window[HLRC_MAX_WINDOWS];
};

extern struct window_arena arena __attribute__((visibility("hidden")));

void window_end(void);

/* Ends the job with a message: why this address at this node is invalid. */
_Noreturn void window_refuse(const char *call, const void *at, size_t len, int node);

bool window_ranges_touch(const void *at, size_t len); /* true if a byte of them is in a range */

/* True if `len` bytes from `off` on lie in a window. */
static inline bool window_has(size_t off, size_t len)
{
    unsigned top = atomic_load_explicit(&arena.top, memory_order_relaxed);
    for (unsigned i = 0; i < top; i++) {
        const struct window *w = &arena.window[i];
        size_t end = atomic_load_explicit(&w->end, memory_order_relaxed);
        if (off >= atomic_load_explicit(&w->begin, memory_order_relaxed) && off <= end &&
            len <= end - off)
            return true;
    }
    return false;
}

/* Offset in the arena; ends the job if the address is in no window, or there is no such node. */
static inline size_t window_offset(const char *call, const void *at, size_t len, int node)
{
    size_t off = (size_t)((uintptr_t)at - (uintptr_t)arena.app);
    call_check(call);
    if (__builtin_expect((unsigned)node >= (unsigned)engine.nodes || !window_has(off, len), 0))
        window_refuse(call, at, len, node);
    return off;
}

/* [thread.no-fault]. True if a byte of them lies in the shared space. */
static inline bool window_local_is_shared(const void *at, size_t len)
{
    if ((uintptr_t)at - (uintptr_t)arena.heap < arena.heap_bytes ||
        (uintptr_t)arena.heap - (uintptr_t)at < len)
        return true;
    return engine.range_count && window_ranges_touch(at, len);
}

/* The program's memory, at the address that suits the fabric best. */
static inline void *window_local_mem(const void *at)
{
    size_t off = (size_t)((uintptr_t)at - (uintptr_t)arena.app);
    return off < arena.size ? arena.base + off : (void *)(uintptr_t)at;
}

#endif
