/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clocks.c - clock_gettime for CPU time: that of the process is node 0's, as clock() says; that of
 * a thread includes what it used on other nodes (compat/pthread/move.h). */
#include "compat/process/clocks.h"

#include <time.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define SECOND_NS INT64_C(1000000000)

static _Thread_local int64_t before;

void clocks_continue(int64_t ns)
{
    before = ns;
}

int64_t clocks_thread(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return before + t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* On the private stack: the system stores the time. */
static void clocks_read_thread(void *ns)
{
    int64_t now = clocks_thread();
    *(int64_t *)ns = now;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    int64_t ns;
    if (clock == CLOCK_PROCESS_CPUTIME_ID && start_away)
        return (int)DELEGATE(clock_gettime, clock, (long)time);
    if (clock != CLOCK_THREAD_CPUTIME_ID || !start_sharing)
        return clock_gettime(clock, time);
    lane_call(clocks_read_thread, &ns);
    *time = (struct timespec){ ns / SECOND_NS, ns % SECOND_NS };
    return 0;
}
