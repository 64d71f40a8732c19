/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collective.c - see collective.h. */
#include "compat/openmp/collective.h"

#include <hlrc.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/futex.h"
#include "compat/openmp/places.h"
#include "compat/start/start.h"

#define SPINS        2000
#define SPINS_SHARED 20 /* if threads of this node compete for cores */

static _Atomic unsigned arrived;   /* lanes of this node */
static _Atomic uint32_t completed; /* completed ones; raised by the last to arrive */
static _Atomic unsigned sleepers;  /* raised before `completed` is read, read after it is raised */

static void collective_nodes(void *buf, size_t len)
{
    if (!start_sharing)
        return;
    if (buf && hlrc_node_id() != 0)
        hlrc_defer_release(); /* team.h */
    if (!buf)
        hlrc_barrier();
    else if (hlrc_broadcast(buf, len, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
}

static int collective_spins(int threads)
{
    static _Atomic int cores;
    if (atomic_load(&cores) == 0)
        atomic_store(&cores, places_processors());
    return atomic_load(&cores) >= threads ? SPINS : SPINS_SHARED;
}

static void collective_await(unsigned now, int threads)
{
    for (int i = collective_spins(threads); i > 0; i--) {
        if (atomic_load_explicit(&completed, memory_order_acquire) != now)
            return;
        __builtin_ia32_pause();
    }
    atomic_fetch_add(&sleepers, 1);
    while (atomic_load(&completed) == now)
        futex_wait(&completed, now, -1);
    atomic_fetch_sub(&sleepers, 1);
}

void collective_broadcast(int threads, void *buf, size_t len)
{
    unsigned now = atomic_load(&completed);
    if (threads == 1) {
        collective_nodes(buf, len);
        return;
    }
    if (atomic_fetch_add(&arrived, 1) + 1 < (unsigned)threads) {
        collective_await(now, threads);
        return;
    }
    atomic_store(&arrived, 0);
    collective_nodes(buf, len);
    atomic_store(&completed, now + 1);
    if (atomic_load(&sleepers) != 0)
        futex_wake(&completed, threads);
}

void collective_barrier(int threads)
{
    collective_broadcast(threads, NULL, 0);
}
