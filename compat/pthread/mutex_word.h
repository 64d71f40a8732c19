/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mutex_word.h - while node 0 has all threads of the program, a mutex is a word in its bytes, which
 * costs less than an HLRC lock. compat/openmp/lock_word.h has the operations on it.
 *
 * How the threads of node 0 acquire a mutex; threads of other nodes always use the lock:
 *
 *             threads shall be on all nodes           each thread has been seen without
 *                                                     a mutex that it holds singly
 *    BY_WORD -------------------------------> BY_BOTH -------------------------------> BY_LOCK
 *            <-------------------------------         <-------------------------------
 *             each thread has been seen ...           node 0 has all threads
 *
 * Invariants
 *   [mutex.singly] A thread holds a mutex singly if it has acquired only its word, or only its
 *       lock. It counts such a mutex before it reads the current way. The controller ends BY_BOTH
 *       only after it has seen each thread's count at zero since BY_BOTH began. So at any time all
 *       holders of mutexes have the word, or all have the lock.
 *   - A thread that holds a mutex by its word does not move (lane_bind). No thread of another node
 *     runs before BY_LOCK.
 *   - A thread that the library has not started counts nothing, and acquires by both.
 */
#ifndef COMPAT_MUTEX_WORD_H
#define COMPAT_MUTEX_WORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/start/lane.h"

enum mutex_word_kind { BY_LOCK, BY_BOTH, BY_WORD };

/* On node 0, before main. */
void mutex_word_begin(void);
/* By the controller (balance.h): towards BY_WORD or BY_LOCK. True: it is reached. Waits for threads
 * that hold mutexes, at most `ns`. */
bool mutex_word_turn(enum mutex_word_kind way, int64_t ns);
/* Number of times that threads have acquired only the word of a mutex. */
uint64_t mutex_word_uses(void);

/* ---- by threads of the program ---- */

extern bool mutex_word_used __attribute__((visibility("hidden"))); /* false: BY_LOCK for ever */
extern _Atomic int mutex_word_way __attribute__((visibility("hidden"))); /* current */

/* Do all threads of the program run on this node, whose memory then is that of one process? On
 * either stack; by threads of the program. */
static inline bool mutex_word_is_only_way(void)
{
    return mutex_word_used && atomic_load(&mutex_word_way) == BY_WORD;
}

/* The caller has released the mutex, or not acquired it, for which mutex_word_ask returned this. A
 * count of zero stays: then another thread has acquired the mutex, and counts it for ever. */
static inline void mutex_word_forget(enum mutex_word_kind way)
{
    struct lane *l = lane_current;
    uint32_t count = l ? atomic_load_explicit(&l->single, memory_order_relaxed) : 0;
    if (way != BY_BOTH && count > 0)
        atomic_store_explicit(&l->single, count - 1, memory_order_release);
}

/* How shall the calling thread acquire a mutex now? */
static inline enum mutex_word_kind mutex_word_ask(void)
{
    struct lane *l = lane_current;
    if (!mutex_word_used || !l)
        return mutex_word_used ? BY_BOTH : BY_LOCK;
    atomic_fetch_add(&l->single, 1); /* [mutex.singly] */
    int way = atomic_load(&mutex_word_way);
    if (way == BY_BOTH)
        mutex_word_forget(BY_LOCK);
    return (enum mutex_word_kind)way;
}

/* The calling thread has acquired only the word of a mutex. */
static inline void mutex_word_count(void)
{
    struct lane *l = lane_current;
    uint64_t count = atomic_load_explicit(&l->words, memory_order_relaxed);
    atomic_store_explicit(&l->words, count + 1, memory_order_relaxed);
}

#endif
