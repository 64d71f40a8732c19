/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* time_limit.h - time limits of tests that a busy machine does not exceed.
 *
 * A limit of N seconds is for a process and its descendants. Seconds count if these could run:
 *
 *   - While all of them sleep, all time counts: they hang.
 *   - While some of them wait for a CPU that other processes have, only their share counts: CPU
 *     time used / CPU time wanted. The kernel measures both (/proc/PID/task/TID/schedstat). CPU
 *     time that the processes take from each other counts, so a job with more threads than CPUs
 *     has no more time on an idle machine.
 *   - If the caller's own sleep lasts longer than requested, the excess does not count: the host
 *     stopped this machine.
 *
 * Where the kernel does not measure it, all time counts but that excess. */
#ifndef HLRC_TESTS_TIME_LIMIT_H
#define HLRC_TESTS_TIME_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct time_limit_thread {
    pid_t tid;
    uint64_t run_ns, delay_ns; /* had a CPU, waited for one; a wait is added when it ends */
    bool runnable;             /* has a CPU, or waits for one */
};

struct time_limit {
    pid_t root;
    double seconds;                    /* the limit */
    double counted;                    /* seconds of it that are over */
    double last;                       /* time of the last sample, CLOCK_MONOTONIC */
    double period;                     /* seconds until the next one */
    double busy;                       /* CPU seconds that the whole machine had used by then */
    struct time_limit_thread *threads; /* all at the last sample, by tid */
    int thread_count;
};

/* Starts a limit for the process `root` and its descendants; time_limit_end frees it. */
void time_limit_begin(struct time_limit *limit, pid_t root, double seconds);
void time_limit_end(struct time_limit *limit);

/* Called every 0.1 s at least. True once the limit is exceeded. */
bool time_limit_exceeded(struct time_limit *limit);

/* The whole limit again, from now on. */
void time_limit_restart(struct time_limit *limit);

/* alarm() by this clock for `root` and its descendants: SIGALRM to the calling process after
 * `seconds`. A later call replaces it. It takes a thread of its own. */
void time_limit_alarm(pid_t root, double seconds);

#endif
