/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.h - the monotonic clock, which all that waits or is measured goes by; no system call. */
#ifndef HLRC_CLOCK_H
#define HLRC_CLOCK_H

#include <stdint.h>
#include <time.h>

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

#endif
