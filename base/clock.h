/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clock.h - the monotonic clock, used by all waits, and a counter for frequent measurements that
 * costs a third of it. No system call.
 */
#ifndef HLRC_CLOCK_H
#define HLRC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef __x86_64__
#    include <x86intrin.h>
#endif

static inline int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The moment `ns` from now; never, if that is negative. */
static inline int64_t clock_after(int64_t ns)
{
    int64_t now = clock_ns();
    return ns < 0 || ns > INT64_MAX - now ? INT64_MAX : now + ns;
}

static inline int64_t clock_ms(void)
{
    return clock_ns() / 1000000;
}

/* True if the CPU's counter may be read instead: it is the system's clock source, so it has a
 * constant rate and is the same on all cores. Set once, at the start. */
extern bool clock_counter __attribute__((visibility("hidden")));
void clock_choose(void);

/* One moment by both; equal if the counter is not used. */
struct clock_moment {
    int64_t ticks, ns;
};
struct clock_moment clock_both(void);

/* Ticks of constant but unspecified length: for shares of a total. */
static inline int64_t clock_ticks(void)
{
#ifdef __x86_64__
    if (clock_counter)
        return (int64_t)__rdtsc();
#endif
    return clock_ns();
}

#endif
