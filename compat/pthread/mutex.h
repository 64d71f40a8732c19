/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mutex.h - mutexes: each is a lock of HLRC, whose handle is in the mutex.
 *
 * pthread_mutex_init makes the lock; for a mutex that is zeros, or another static initialiser, the
 * first thread that uses it does so. The program orders the beginning of a mutex before its uses
 * and those before its end, as it orders all else; but not one use before another.
 *
 * Invariants
 *   MX1  So who uses a mutex finds in it what it was initialised to, or the handle that a first use
 *        has stored since then, or a part of it: the bytes of a page come in any order. The handle
 *        is stored twice, once changed by a word none of whose bytes is 0: each byte of it that is
 *        not the handle's differs from its other. Who finds no handle looks again in the mutex's
 *        monitor, where all first uses are ordered.
 *   MX2  What a thread holds of recursive and of checking mutexes it knows itself, in private
 *        memory: what is in the mutex of who holds it could be old.
 */
#ifndef COMPAT_MUTEX_H
#define COMPAT_MUTEX_H

#include <hlrc.h>
#include <pthread.h>

/* The lock of a mutex, made if there is none; *error where there can be none. Anywhere. */
hlrc_lock_t mutex_lock_of(pthread_mutex_t *mutex, int *error);
/* EPERM: the calling thread does not hold this mutex, which is of a kind that knows. */
int mutex_check_held(const pthread_mutex_t *mutex, hlrc_lock_t lock);

#endif
