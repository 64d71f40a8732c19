/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* threads.h - threads of a job of several nodes, with the interface of POSIX. */
#ifndef COMPAT_THREADS_H
#define COMPAT_THREADS_H

#include <pthread.h>

int threads_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
/* Only while spread. */
int threads_join(pthread_t name, void **result);
int threads_detach(pthread_t name);

#endif
