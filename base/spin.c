/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spin.c - see spin.h. */
#include "base/spin.h"

#include <stddef.h>

/* In attempts of spin_pause, of which all but the first 100 yield the CPU. */
#define WANTED_AFTER  120
#define BACKOFF_LIMIT 2000

_Atomic(const void *) spin_wanted;

static bool spin_declare_wanted(const void *lock)
{
    const void *none = NULL;
    return atomic_compare_exchange_strong_explicit(&spin_wanted, &none, lock, memory_order_relaxed,
                                                   memory_order_relaxed);
}

void spin_until(spin_try *try, void *lock)
{
    bool first = false; /* this thread has declared the lock wanted */
    for (int i = 0;; i++) {
        bool back_off = !first && i < BACKOFF_LIMIT && spin_is_wanted(lock);
        if (!back_off && try(lock))
            break;
        if (!first && i >= WANTED_AFTER)
            first = spin_declare_wanted(lock);
        spin_pause(i);
    }
    if (first)
        atomic_store_explicit(&spin_wanted, NULL, memory_order_relaxed);
}

void spin_let_in_slowly(const void *lock)
{
    for (int i = 0; i < BACKOFF_LIMIT && spin_is_wanted(lock); i++)
        spin_pause(i);
}

static bool spin_try_lock_word(void *lock)
{
    return spin_trylock(lock);
}

void spin_lock_slowly(spin_lock_word *l)
{
    spin_until(spin_try_lock_word, l);
}
