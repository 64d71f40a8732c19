/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spin.c - see spin.h. */
#include "base/spin.h"

#include <stddef.h>

/* In attempts of spin_pause, of which all but the first 100 yield the CPU. */
#define WANTED_AFTER  120
#define BACKOFF_LIMIT 2000

_Atomic(spin_lock_word *) spin_wanted;

static bool spin_declare_wanted(spin_lock_word *l)
{
    spin_lock_word *none = NULL;
    return atomic_compare_exchange_strong_explicit(&spin_wanted, &none, l, memory_order_relaxed,
                                                   memory_order_relaxed);
}

void spin_lock_slowly(spin_lock_word *l)
{
    bool first = false; /* this thread has declared the lock wanted */
    for (int i = 0;; i++) {
        bool back_off = !first && i < BACKOFF_LIMIT && spin_is_wanted(l);
        if (!back_off && spin_trylock(l))
            break;
        if (!first && i >= WANTED_AFTER)
            first = spin_declare_wanted(l);
        spin_pause(i);
    }
    if (first)
        atomic_store_explicit(&spin_wanted, NULL, memory_order_relaxed);
}
