/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clocks.c - clock_gettime for CPU time, and getrusage: of the process they report node 0's, as
 * clock() does; of a thread also what it used on other nodes (compat/pthread/move.h).
 */
#include "compat/process/clocks.h"

#include <sys/time.h>
#include <time.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define SECOND_NS INT64_C(1000000000)

static _Thread_local int64_t before;
static _Thread_local struct rusage usage_before;

void clocks_continue(int64_t ns, const struct rusage *usage)
{
    before = ns;
    usage_before = *usage;
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

/* As the system's numbers of threads' clocks, which are negative. */
#define CLOCK_KIND 6
#define NAME_BITS  28

clockid_t clocks_of_thread(pthread_t thread)
{
    uint32_t number = (uint32_t)thread & ((1u << NAME_BITS) - 1);
    return (clockid_t)(~number << 3 | CLOCK_KIND);
}

static bool clocks_is_own(clockid_t clock)
{
    pthread_t name = lane_current ? lane_current->name : 0;
    return clock == CLOCK_THREAD_CPUTIME_ID || (name && clock == clocks_of_thread(name));
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    int64_t ns;
    if (clock == CLOCK_PROCESS_CPUTIME_ID && start_away)
        return (int)DELEGATE(clock_gettime, clock, (long)time);
    if (!start_sharing || !clocks_is_own(clock))
        return clock_gettime(clock, time);
    lane_call(clocks_read_thread, &ns);
    *time = (struct timespec){ ns / SECOND_NS, ns % SECOND_NS };
    return 0;
}

void clocks_usage(struct rusage *usage)
{
    struct rusage here, *was = &usage_before;
    (void)getrusage(RUSAGE_THREAD, &here);
    timeradd(&here.ru_utime, &was->ru_utime, &here.ru_utime);
    timeradd(&here.ru_stime, &was->ru_stime, &here.ru_stime);
    if (was->ru_maxrss > here.ru_maxrss)
        here.ru_maxrss = was->ru_maxrss;
    here.ru_minflt += was->ru_minflt;
    here.ru_majflt += was->ru_majflt;
    here.ru_inblock += was->ru_inblock;
    here.ru_oublock += was->ru_oublock;
    here.ru_nvcsw += was->ru_nvcsw;
    here.ru_nivcsw += was->ru_nivcsw;
    *usage = here;
}

static void clocks_read_usage(void *usage)
{
    clocks_usage(usage);
}

int __wrap_getrusage(__rusage_who_t who, struct rusage *usage);
int __wrap_getrusage(__rusage_who_t who, struct rusage *usage)
{
    struct rusage mine;
    if (who != RUSAGE_THREAD && start_away)
        return (int)DELEGATE(getrusage, who, (long)usage);
    if (who != RUSAGE_THREAD || !start_sharing)
        return getrusage(who, usage);
    lane_call(clocks_read_usage, &mine);
    *usage = mine;
    return 0;
}
