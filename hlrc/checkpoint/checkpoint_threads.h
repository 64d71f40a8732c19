/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_threads.h - stops all other threads of the process, and makes them again in the
 * process that continues it.
 *
 * A signal interrupts each thread, and its registers are saved where the system puts them: in the
 * frame of the handler, on the thread's stack. There the thread waits. In the process that
 * continues, the first thread creates the others, with their thread-local storage. Each continues
 * in its handler, and returns from it.
 *
 *   - The signal is the one that the C library reserves for setuid(2) of all threads: sigfillset
 *     and pthread_sigmask never block it. Ours has a value; others go to the C library's handler.
 *   - The C library keeps the number of a thread in its descriptor, and in mutexes and
 *     reader-writer locks. There the numbers of then remain. checkpoint_threads_number() has the
 *     system's.
 *   - Nothing is allocated, and no lock is acquired, while threads are stopped: a stopped thread
 *     may hold it.
 *   - A call that the signal interrupted, and that the system does not restart after a handler, is
 *     restarted here: the program sees no EINTR. It does not end early.
 */
#ifndef HLRC_CHECKPOINT_THREADS_H
#define HLRC_CHECKPOINT_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_context.h"

/* Finds where the C library has the number of a thread. 0, or -ENOTSUP. */
int checkpoint_threads_init(void);

/* Stops all others. 0, or a negative errno after one line in `why`: then none is stopped. */
int checkpoint_threads_stop(char *why, size_t len);
/* The caller's own context, for checkpoint_context_save; after that has returned 1, in the process
 * that continues, the other function waits until all threads run. */
struct checkpoint_context *checkpoint_threads_own(void);
void checkpoint_threads_own_resume(void);
void checkpoint_threads_release(void);

/* The context of the first thread, from which the process continues, and its thread pointer. */
void checkpoint_threads_first(uint64_t *context, uint64_t *tls);
/* Called by the first thread of the process that continues, before it creates the others. */
void checkpoint_threads_at_resume(void (*fn)(void));

/* Before the memory of this process is exchanged. */
void checkpoint_threads_leave(void);

#endif
