/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * futex.h - waiting on a 32-bit word until another thread raises it, by the system's futex.
 *
 * The waker changes the word before it wakes. The waiter reads the word before it tests its
 * condition, and passes that value as `seen`: if the word has changed since, the wait
 * returns at once. A wait may also return for no reason, so the caller tests again.
 *
 * The shared variants are for words that several processes map; the system finds a private word
 * without looking up its page.
 */
#ifndef HLRC_FUTEX_H
#define HLRC_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline void futex_wait_by(int operation, _Atomic uint32_t *word, uint32_t seen,
                                 int64_t timeout_ns)
{
    struct timespec t = { .tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000 };
    (void)syscall(SYS_futex, word, operation, seen, timeout_ns < 0 ? NULL : &t, NULL, 0);
}

/* Sleeps while the word is `seen`, at most timeout_ns (negative: no limit). */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns)
{
    futex_wait_by(FUTEX_WAIT_PRIVATE, word, seen, timeout_ns);
}

static inline void futex_wait_shared(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns)
{
    futex_wait_by(FUTEX_WAIT, word, seen, timeout_ns);
}

/* Wakes up to `count` waiting threads; INT_MAX: all. */
static inline void futex_wake(_Atomic uint32_t *word, int count)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static inline void futex_wake_shared(_Atomic uint32_t *word, int count)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

#endif
