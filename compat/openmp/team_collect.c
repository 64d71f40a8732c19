/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_collect.c - see team_collect.h. */
#include "compat/openmp/team_collect.h"

#include <hlrc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/futex.h"
#include "base/spin.h"
#include "compat/start/start.h"

#define SPINS  20000 /* of some 30 ns: longer than a thread takes to wake, else all of them sleep */
#define OFFER  128   /* spins; then the core is offered to others: the awaited thread may need it */
#define YIELDS 100   /* instead, if threads of this node compete for cores */

static _Atomic int members = 1; /* threads of this node */
static bool of_nodes;           /* of several nodes */
static _Atomic bool crowded;    /* more of them than processors */

static _Atomic unsigned arrived;
static _Atomic uint32_t completed; /* collectives; raised by the last thread to arrive */
static _Atomic unsigned sleepers;  /* raised before `completed` is read, read after it is raised */

void team_collect_of(int threads, int processors, bool nodes)
{
    members = threads;
    of_nodes = nodes;
    crowded = threads > processors;
}

static void team_collect_nodes(void *buf, size_t len)
{
    if (!of_nodes)
        return;
    if (buf && hlrc_node_id() != 0)
        hlrc_defer_release(); /* team.h */
    if (!buf)
        hlrc_barrier();
    else if (hlrc_broadcast(buf, len, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
}

static void team_collect_await(unsigned now_completed)
{
    for (int i = crowded ? YIELDS : SPINS; i > 0; i--) {
        if (atomic_load_explicit(&completed, memory_order_acquire) != now_completed)
            return;
        if (crowded || i % OFFER == 0)
            sched_yield();
        else
            spin_cpu_relax();
    }
    atomic_fetch_add(&sleepers, 1);
    while (atomic_load(&completed) == now_completed)
        futex_wait(&completed, now_completed, -1);
    atomic_fetch_sub(&sleepers, 1);
}

void team_collect(void *buf, size_t len)
{
    unsigned now_completed = atomic_load(&completed);
    if (members == 1) {
        team_collect_nodes(buf, len);
        return;
    }
    if (atomic_fetch_add(&arrived, 1) + 1 < (unsigned)members) {
        team_collect_await(now_completed);
        return;
    }
    atomic_store(&arrived, 0);
    team_collect_nodes(buf, len);
    atomic_store(&completed, now_completed + 1);
    if (atomic_load(&sleepers) != 0)
        futex_wake(&completed, members);
}
