/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* meet.c - see meet.h. */
#include "compat/openmp/meet.h"

#include <hlrc.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat/openmp/places.h"
#include "compat/start/start.h"

#define SPINS         2000
#define SPINS_IN_VAIN 20 /* if threads of this node compete for cores */

static _Atomic unsigned arrived;  /* lanes of this node */
static _Atomic unsigned meetings; /* completed ones; raised by the last to arrive */
static _Atomic unsigned sleepers; /* raised before meetings is read, read after it is raised */

static void meet_nodes(void *buf, size_t len)
{
    if (!start_sharing)
        return;
    if (buf && hlrc_node_id() != 0)
        hlrc_defer_release(); /* team.h TM5 */
    if (!buf)
        hlrc_barrier();
    else if (hlrc_broadcast(buf, len, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
}

static int spins(int threads)
{
    static _Atomic int cores;
    if (atomic_load(&cores) == 0)
        atomic_store(&cores, places_processors());
    return atomic_load(&cores) >= threads ? SPINS : SPINS_IN_VAIN;
}

static void await(unsigned now, int threads)
{
    for (int i = spins(threads); i > 0; i--) {
        if (atomic_load_explicit(&meetings, memory_order_acquire) != now)
            return;
        __builtin_ia32_pause();
    }
    atomic_fetch_add(&sleepers, 1);
    while (atomic_load(&meetings) == now)
        (void)syscall(SYS_futex, &meetings, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
    atomic_fetch_sub(&sleepers, 1);
}

void meet_and_learn(int threads, void *buf, size_t len)
{
    unsigned now = atomic_load(&meetings);
    if (threads == 1) {
        meet_nodes(buf, len);
        return;
    }
    if (atomic_fetch_add(&arrived, 1) + 1 < (unsigned)threads) {
        await(now, threads);
        return;
    }
    atomic_store(&arrived, 0);
    meet_nodes(buf, len);
    atomic_store(&meetings, now + 1);
    if (atomic_load(&sleepers) != 0)
        (void)syscall(SYS_futex, &meetings, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

void meet_all(int threads)
{
    meet_and_learn(threads, NULL, 0);
}
