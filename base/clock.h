/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clock.h - the monotonic clock, which all that waits goes by, and a counter that costs a third of
 * it, for what is measured all the time. No system call.
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

static inline int64_t clock_ms(void)
{
    return clock_ns() / 1000000;
}

/* The counter of the CPU may be read instead: it is the system's clock itself, so it runs evenly
 * and is the same on all cores. Set once, at the start. */
extern bool clock_counter __attribute__((visibility("hidden")));
void clock_choose(void);

/* Ticks of some length, the same all the time: for shares of a whole. */
static inline int64_t clock_ticks(void)
{
#ifdef __x86_64__
    if (clock_counter)
        return (int64_t)__rdtsc();
#endif
    return clock_ns();
}

#endif
