/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_collect.c - see team_collect.h. */
#include "compat/openmp/team_collect.h"

#include <hlrc.h>
#include <limits.h>
#include <sched.h>

#include "base/futex.h"
#include "base/spin.h"
#include "compat/start/start.h"

#define SPINS  20000 /* of some 30 ns: longer than a thread takes to wake, else all of them sleep */
#define OFFER  128   /* spins; then the core is offered to others: the awaited thread may need it */
#define YIELDS 100   /* instead, if threads of this node compete for cores */

static bool of_nodes; /* of several nodes */
static struct team_meeting here = { .members = 1 };

void team_collect_prepare(struct team_meeting *m, int members, bool crowded)
{
    atomic_store(&m->members, members);
    atomic_store(&m->crowded, crowded);
}

void team_collect_of(int threads, int processors, bool nodes)
{
    team_collect_prepare(&here, threads, threads > processors);
    of_nodes = nodes;
}

struct team_collect_copy {
    void *buf;
    size_t len;
};

static void team_collect_nodes(void *copy)
{
    const struct team_collect_copy *c = copy;
    if (!of_nodes)
        return;
    if (c->buf && hlrc_node_id() != 0)
        hlrc_defer_release(); /* team.h */
    if (!c->buf)
        hlrc_barrier();
    else if (hlrc_broadcast(c->buf, c->len, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
}

static void team_collect_await(struct team_meeting *m, unsigned now_completed)
{
    bool crowded = atomic_load(&m->crowded);
    for (int i = crowded ? YIELDS : SPINS; i > 0; i--) {
        if (atomic_load_explicit(&m->completed, memory_order_acquire) != now_completed)
            return;
        if (crowded || i % OFFER == 0)
            sched_yield();
        else
            spin_cpu_relax();
    }
    atomic_fetch_add(&m->sleepers, 1);
    while (atomic_load(&m->completed) == now_completed)
        futex_wait(&m->completed, now_completed, -1);
    atomic_fetch_sub(&m->sleepers, 1);
}

void team_collect_meet(struct team_meeting *m, void (*last)(void *), void *arg)
{
    unsigned now_completed = atomic_load(&m->completed);
    if (atomic_fetch_add(&m->arrived, 1) + 1 < (unsigned)atomic_load(&m->members)) {
        team_collect_await(m, now_completed);
        return;
    }
    atomic_store(&m->arrived, 0);
    if (last)
        last(arg);
    atomic_store(&m->completed, now_completed + 1);
    if (atomic_load(&m->sleepers) != 0)
        futex_wake(&m->completed, INT_MAX); /* `members` may be of the next collective already */
}

void team_collect(void *buf, size_t len)
{
    struct team_collect_copy c = { buf, len };
    if (atomic_load(&here.members) == 1)
        team_collect_nodes(&c);
    else
        team_collect_meet(&here, team_collect_nodes, &c);
}
