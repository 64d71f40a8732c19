/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * window.h - memory for put, get and accumulate (include/hlrc_rma.h): a part at every node, at the
 * same address, that belongs to no page of the shared space.
 *
 * All windows lie in one window of the fabric, the arena, which the first hlrc_window_create makes:
 * address space as large as the shared space, in which every node chooses the same places. As the
 * space, a node has it twice: where the application reaches its windows, and as the fabric has it.
 *
 *            hlrc_window_create                        hlrc_window_free
 *   unmapped ------------------> mapped, readable and ----------------> unmapped, discarded
 *                                writable, prepared
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   RM1  Windows are made and freed by all nodes together, in one order, and each node finds the
 *        place of the next one in a table that is the same on all.
 *   RM2  What is done to a part goes through the fabric alone, at its owner too, and the owner's
 *        loads and stores need no fault: no page, home, notice or handler has to do with it.
 *   RM3  A node's part is prepared before another node knows the window: an access never waits for
 *        a CPU of the target's.
 *   RM4  A window is freed behind a barrier before which each node's operations are complete, and
 *        its memory is given back by its owner before that one comes to the next barrier: the next
 *        window that lies there is zero, and nothing late lands in it.
 *   RM5  (T1) The program's memory is touched by the fabric, while engine locks may be held, only
 *        where that cannot fault: what lies in the shared space is copied first, or afterwards, by
 *        the calling thread.
 */
#ifndef HLRC_WINDOW_H
#define HLRC_WINDOW_H

#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/call.h"
#include "hlrc/engine.h"

/* In the arena; end 0: free. Written by create and free alone. */
struct window {
    _Atomic size_t begin, end;
};

/* Written by the first hlrc_window_create, constant afterwards, but `top` and the table. */
struct arena {
    size_t size;          /* 0: there is none */
    char *app, *base;     /* of this node's part: the application's view, and the fabric's */
    char *heap;           /* the pages of the heap, */
    size_t heap_bytes;    /* to look at in one step */
    int id, fd;           /* the window of the fabric */
    _Atomic unsigned top; /* entries of the table that have been used */
    struct window window[HLRC_MAX_WINDOWS];
};

extern struct arena arena __attribute__((visibility("hidden")));

void windows_end(void);

/* Ends the job with a line: what is wrong with this place at this node. */
_Noreturn void window_refuse(const char *call, const void *at, size_t len, int node);

bool window_ranges_touch(const void *at, size_t len); /* whether a byte of them is in a range */

/* Whether `len` bytes from `off` on lie in a window. */
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

/* Where this is in the arena; ends the job if it is in no window, or there is no such node. */
static inline size_t window_offset(const char *call, const void *at, size_t len, int node)
{
    size_t off = (size_t)((uintptr_t)at - (uintptr_t)arena.app);
    call_check(call);
    if (__builtin_expect((unsigned)node >= (unsigned)engine.nodes || !window_has(off, len), 0))
        window_refuse(call, at, len, node);
    return off;
}

/* RM5. Whether a byte of them lies in the shared space. */
static inline bool local_is_shared(const void *at, size_t len)
{
    if ((uintptr_t)at - (uintptr_t)arena.heap < arena.heap_bytes ||
        (uintptr_t)arena.heap - (uintptr_t)at < len)
        return true;
    return engine.range_count && window_ranges_touch(at, len);
}

/* The program's memory as the fabric knows it best. */
static inline void *local_mem(const void *at)
{
    size_t off = (size_t)((uintptr_t)at - (uintptr_t)arena.app);
    return off < arena.size ? arena.base + off : (void *)(uintptr_t)at;
}

#endif
