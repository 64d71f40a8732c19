/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No wake-up is lost [progress.holder], [progress.sleep-test], [shm-queue.arm-then-test]. Nodes
 * hand locks on, and whoever has had one looks at an atomic word until all have: under ARDMAR that
 * serves nothing, so what arrives meanwhile is for the handler. A request that wakes nobody leaves
 * the job where it is. In a build with --enable-perturb HLRC_PERTURB widens the windows.
 */
#include "tests/litmus/litmus.h"

#include <sched.h>

LITMUS("progress.holder, progress.sleep-test: no wake-up is lost", 2, 3)

#define ROUNDS   200u
#define REQUESTS 100u

static hlrc_atomic_t had;

static void look_until(uint64_t value)
{
    while (hlrc_atomic_load(had) < value)
        sched_yield();
}

/* All nodes take the lock in turn; its manager is another one in each round. */
static void hand_on(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        hlrc_lock_t lock = (hlrc_lock_t)(k % (uint64_t)nodes);
        hlrc_lock(lock);
        hlrc_unlock(lock);
        hlrc_atomic_fetch_add(had, 1);
        look_until(k * (uint64_t)nodes);
    }
}

/* A request, which has to wake, arrives at node 0 among arrivals at the barrier, which do not. Each
 * round has a lock of its own, which node 0 manages and has. */
static void ask_among_arrivals(void)
{
    uint64_t before = ROUNDS * (uint64_t)nodes;
    for (uint64_t k = 1; k <= REQUESTS; k++) {
        hlrc_barrier();
        if (me == 0) {
            look_until(before + k);
        } else if (me == nodes - 1) {
            hlrc_lock((hlrc_lock_t)(k * (uint64_t)nodes));
            hlrc_unlock((hlrc_lock_t)(k * (uint64_t)nodes));
            hlrc_atomic_fetch_add(had, 1);
        }
        hlrc_barrier();
    }
}

void litmus_run(void)
{
    had = shared_atomic();
    hand_on();
    hlrc_barrier();
    ask_among_arrivals();
    expect_word(hlrc_atomic_load(had), ROUNDS * (uint64_t)nodes + REQUESTS,
                "the number of locks taken");
    hlrc_barrier();
}
