/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tsan.c - fences, as clang calls them with the options of compat/cc/hlrcc.in. atomics.c has the
 * operations. */
#include "compat/openmp/fence.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the compiler calls by name */

void __tsan_init(void)
{
}

void __tsan_atomic_thread_fence(int order)
{
    if (order != __ATOMIC_RELAXED)
        fence_flush();
}

/* Only the compiler has to keep the order. */
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
