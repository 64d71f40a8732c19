/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spin.h - a lock of one byte for a few instructions, zero when free.
 *
 * Usable in the fault handler: no system call, except a yield if the holder lost its CPU. Never
 * held across a wait for a message, a credit or a version (no waiting thread holds one).
 *
 * No thread starves. A thread that acquires a lock again and again would keep a waiting thread out,
 * such as the handler thread that must serve a request for the page. So a thread that has waited
 * for some time declares the lock wanted, one lock of the process at a time. Other threads then
 * back off from this lock before they try it. Their backoff is bounded, because the waiting thread
 * may be interrupted by a signal handler that acquires the same lock. Locks of other kinds do the
 * same by spin_until and spin_let_in.
 */
#ifndef HLRC_SPIN_H
#define HLRC_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint8_t spin_lock_word;

static inline void spin_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Between the attempts of a loop that waits for a few instructions of another thread. `i`:
 * attempts so far. */
static inline void spin_pause(int i)
{
    if (i < 100)
        spin_cpu_relax();
    else
        sched_yield();
}

/* The lock, of this kind or another one, that a thread has waited for too long; NULL if none. */
extern _Atomic(const void *) spin_wanted;

static inline bool spin_is_wanted(const void *lock)
{
    return atomic_load_explicit(&spin_wanted, memory_order_relaxed) == lock;
}

typedef bool spin_try(void *lock);

/* Tries until it succeeds; no other thread keeps this one out. */
void spin_until(spin_try *try, void *lock);

/* Lets in a thread that wants the lock, which the caller has just released. */
void spin_let_in_slowly(const void *lock);

static inline void spin_let_in(const void *lock)
{
    if (spin_is_wanted(lock))
        spin_let_in_slowly(lock);
}

static inline bool spin_trylock(spin_lock_word *l)
{
    return !atomic_load_explicit(l, memory_order_relaxed) &&
           !atomic_exchange_explicit(l, 1, memory_order_acquire);
}

void spin_lock_slowly(spin_lock_word *l);

static inline void spin_lock(spin_lock_word *l)
{
    if (spin_is_wanted(l) || !spin_trylock(l))
        spin_lock_slowly(l);
}

static inline void spin_unlock(spin_lock_word *l)
{
    atomic_store_explicit(l, 0, memory_order_release);
}

#endif
