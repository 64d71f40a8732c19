/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lock_word.h - a lock in a 32-bit word, for the threads of one process.
 *
 * 0 is free, too, so that a variable of the program which starts with zeros is a lock. At most one
 * thread holds it: the one that changed it from a free state to another.
 *
 * Source: mutex 2 of U. Drepper, Futexes Are Tricky, 2011.
 */
#ifndef COMPAT_LOCK_WORD_H
#define COMPAT_LOCK_WORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/futex.h"
#include "base/spin.h"

enum { LOCK_WORD_ZERO, LOCK_WORD_FREE, LOCK_WORD_HELD, LOCK_WORD_AWAITED };

#define LOCK_WORD_SPINS 100

static inline bool lock_word_try(_Atomic uint32_t *word)
{
    uint32_t was = atomic_load_explicit(word, memory_order_relaxed);
    return was <= LOCK_WORD_FREE && atomic_compare_exchange_strong(word, &was, LOCK_WORD_HELD);
}

/* `spins`: its holder has a processor. */
static inline void lock_word_await(_Atomic uint32_t *word, bool spins)
{
    for (int i = 0; spins && i < LOCK_WORD_SPINS; i++) {
        if (lock_word_try(word))
            return;
        spin_cpu_relax();
    }
    while (atomic_exchange(word, LOCK_WORD_AWAITED) > LOCK_WORD_FREE)
        futex_wait(word, LOCK_WORD_AWAITED, -1);
}

/* Returns the state before. */
static inline uint32_t lock_word_drop(_Atomic uint32_t *word)
{
    uint32_t was = atomic_exchange(word, LOCK_WORD_FREE);
    if (was == LOCK_WORD_AWAITED)
        futex_wake(word, 1);
    return was;
}

#endif
