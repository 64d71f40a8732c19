/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* backoff.h - pauses between the attempts of a thread that waits without being woken: it spins,
 * then offers its core to other threads, then sleeps. */
#ifndef HLRC_BACKOFF_H
#define HLRC_BACKOFF_H

#include <sched.h>
#include <time.h>

#include "base/spin.h"

/* `tries`: attempts so far. Spins while there are fewer than `spins`, yields while there are fewer
 * than `yields`, and sleeps nap_ns after more. */
static inline void backoff_pause(unsigned tries, unsigned spins, unsigned yields, long nap_ns)
{
    if (tries < spins)
        spin_cpu_relax();
    else if (tries < yields)
        (void)sched_yield();
    else
        (void)nanosleep(&(struct timespec){ .tv_nsec = nap_ns }, NULL);
}

#endif
