/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fence.h - full fences, for code in which a thread stores and then decides from a load.
 *
 * Acquire and release order a load before what follows and a store after what precedes. Neither
 * orders a store before a later load of another word: every CPU holds stores in a store buffer and
 * performs later loads first. Two threads that each store and then read the other's word can both
 * read the old value. Only a full fence between the store and the load prevents it, in both
 * threads.
 */
#ifndef HLRC_FENCE_H
#define HLRC_FENCE_H

#include <stdatomic.h>

/* Prevents that a later load is performed before an earlier store is visible to all threads. Orders
 * all other pairs as well. x86: mfence or a locked instruction; aarch64: dmb ish. */
static inline void fence_full(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* The same directly after a sequentially consistent read-modify-write, no other memory access
 * between: prevents that a later load is performed before the store of that read-modify-write, or
 * before an earlier store, is visible. C11 orders only sequentially consistent accesses that way,
 * so a plain, relaxed or acquire load can be early. On aarch64 it can: a load passes the stlxr of
 * an ldaxr/stlxr loop. On x86 the locked instruction is a full fence, and only the compiler has to
 * be kept from moving the load. */
static inline void fence_after_rmw(void)
{
#if defined(__x86_64__) || defined(__i386__)
    atomic_signal_fence(memory_order_seq_cst);
#else
    fence_full();
#endif
}

#endif
