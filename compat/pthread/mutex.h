/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mutex.h - mutexes: each is an HLRC lock, whose handle is in the mutex. While all threads are on
 * one node, mutexes that are not robust are words (mutex_word.h).
 *
 * pthread_mutex_init creates the lock; for a mutex of zeros, or with another static initialiser,
 * its first use does. The program orders the initialisation of a mutex before its uses, and these
 * before its end, as it orders all else, but not one use before another.
 *
 * Invariants
 *   - So a thread that uses a mutex reads its initial value, or the handle that a first use has
 *     stored since, or part of the handle: the bytes of a page arrive in any order. The handle is
 *     stored twice, once XORed with a word that has no zero byte: then any byte that is missing
 *     makes the two differ. A thread that finds no handle reads again in the mutex's monitor, which
 *     orders all first uses.
 *   - A thread knows from private memory which recursive and checking mutexes it holds: an owner
 *     field in the mutex could be stale.
 */
#ifndef COMPAT_MUTEX_H
#define COMPAT_MUTEX_H

#include <hlrc.h>
#include <pthread.h>

/* The calling thread ends: the next owners of robust mutexes that it holds get EOWNERDEAD. On the
 * private stack. */
void mutex_abandon_held(void);
/* EPERM: the calling thread does not hold this mutex, which is of a checking kind. EINVAL: it is
 * none. On the shared stack. */
int mutex_check_held(pthread_mutex_t *mutex);
/* By a thread that waits for a condition: between the two it does not move. On either stack. */
void mutex_release(const void *mutex);
void mutex_take_again(pthread_mutex_t *mutex);

#endif
