/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_thread.c - see last_thread.h. */
#include "compat/start/last_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/tasks.h"
#include "compat/start/start.h"

#define LOOK_NS 1000000

static pthread_key_t key;
static int at_start; /* threads, those of HLRC included */

/* Destructor of a C library key, which runs when main has ended by pthread_exit: after the
 * program's destructors, in the second round. */
static void last_thread_await(void *round)
{
    static const struct timespec pause = { .tv_nsec = LOOK_NS };
    static int second;
    if (round != &second) {
        (void)pthread_setspecific(key, &second);
        return;
    }
    while (tasks_all() > at_start)
        (void)nanosleep(&pause, NULL);
    exit(0);
}

void last_thread_begin(void)
{
    at_start = tasks_all();
    if (pthread_key_create(&key, last_thread_await) != 0 || pthread_setspecific(key, &key) != 0)
        start_fail("no pthread key for the end of main");
}
