/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrap.h - POSIX thread calls under the names that programs of hlrcc call: __wrap_ and the C
 * library's name. In a job of one node each is the C library's. */
#ifndef COMPAT_WRAP_H
#define COMPAT_WRAP_H

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define WRAP(type, name, parameters) type __wrap_##name parameters

/* threads.c */
WRAP(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
WRAP(int, pthread_join, (pthread_t, void **));
WRAP(int, pthread_tryjoin_np, (pthread_t, void **));
WRAP(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *));
WRAP(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *));
WRAP(int, pthread_detach, (pthread_t));
WRAP(pthread_t, pthread_self, (void));
WRAP(int, pthread_equal, (pthread_t, pthread_t));
_Noreturn WRAP(void, pthread_exit, (void *));
WRAP(int, pthread_setname_np, (pthread_t, const char *));

/* mutex.c */
WRAP(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *));
WRAP(int, pthread_mutex_destroy, (pthread_mutex_t *));
WRAP(int, pthread_mutex_lock, (pthread_mutex_t *));
WRAP(int, pthread_mutex_trylock, (pthread_mutex_t *));
WRAP(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *));
WRAP(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *));
WRAP(int, pthread_mutex_unlock, (pthread_mutex_t *));
WRAP(int, pthread_mutex_consistent, (pthread_mutex_t *));
WRAP(int, pthread_spin_init, (pthread_spinlock_t *, int));
WRAP(int, pthread_spin_destroy, (pthread_spinlock_t *));
WRAP(int, pthread_spin_lock, (pthread_spinlock_t *));
WRAP(int, pthread_spin_trylock, (pthread_spinlock_t *));
WRAP(int, pthread_spin_unlock, (pthread_spinlock_t *));

/* cond.c */
WRAP(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *));
WRAP(int, pthread_cond_destroy, (pthread_cond_t *));
WRAP(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *));
WRAP(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *));
WRAP(int, pthread_cond_clockwait,
     (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *));
WRAP(int, pthread_cond_signal, (pthread_cond_t *));
WRAP(int, pthread_cond_broadcast, (pthread_cond_t *));

/* rwlock.c */
WRAP(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *));
WRAP(int, pthread_rwlock_destroy, (pthread_rwlock_t *));
WRAP(int, pthread_rwlock_rdlock, (pthread_rwlock_t *));
WRAP(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *));
WRAP(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *));
WRAP(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *));
WRAP(int, pthread_rwlock_wrlock, (pthread_rwlock_t *));
WRAP(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *));
WRAP(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *));
WRAP(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *));
WRAP(int, pthread_rwlock_unlock, (pthread_rwlock_t *));

/* barrier.c, once.c, sem.c */
WRAP(int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned));
WRAP(int, pthread_barrier_destroy, (pthread_barrier_t *));
WRAP(int, pthread_barrier_wait, (pthread_barrier_t *));
WRAP(int, pthread_once, (pthread_once_t *, void (*)(void)));
WRAP(int, sem_init, (sem_t *, int, unsigned));
WRAP(int, sem_destroy, (sem_t *));
WRAP(int, sem_wait, (sem_t *));
WRAP(int, sem_trywait, (sem_t *));
WRAP(int, sem_timedwait, (sem_t *, const struct timespec *));
WRAP(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *));
WRAP(int, sem_post, (sem_t *));
WRAP(int, sem_getvalue, (sem_t *, int *));

/* futex.c */
WRAP(long, syscall, (long, ...));

/* keys.c */
WRAP(int, pthread_key_create, (pthread_key_t *, void (*)(void *)));
WRAP(int, pthread_key_delete, (pthread_key_t));
WRAP(void *, pthread_getspecific, (pthread_key_t));
WRAP(int, pthread_setspecific, (pthread_key_t, const void *));

#endif
