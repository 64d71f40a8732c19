/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clocks.h - see clocks.c. */
#ifndef COMPAT_CLOCKS_H
#define COMPAT_CLOCKS_H

#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* CPU time of the calling thread on all nodes that it has run on, ns. */
int64_t clocks_thread(void);
/* The clock of a POSIX thread of the job: only that thread reads it. */
clockid_t clocks_of_thread(pthread_t thread);
/* What it has used on other nodes before. By a thread that begins here. */
void clocks_continue(int64_t ns, const struct rusage *usage);
/* The same of RUSAGE_THREAD. On the private stack. */
void clocks_usage(struct rusage *usage);

#endif
