/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread that sleeps while another one of its node serves is woken by whatever it waits for
 * [progress.holder]. At node 0 one thread waits in a barrier, for arrivals, which are not urgent;
 * another takes a lock meanwhile, serves while it waits, and has gone when the others arrive.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>

LITMUS("progress.holder: sleepers without the progress lock are counted", 2, 3)

#define ROUNDS 40u

static hlrc_atomic_t gone; /* how often the second thread has had the lock */
static hlrc_lock_t lock;
static _Atomic uint64_t round_begun;

static void lock_in_each_round(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        while (atomic_load(&round_begun) < k)
            sleep_ms(1);
        hlrc_lock(lock);
        hlrc_unlock(lock);
        hlrc_atomic_fetch_add(gone, 1);
    }
}

static void at_node_0(int thread)
{
    if (thread == 1) {
        lock_in_each_round();
        return;
    }
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        atomic_store(&round_begun, k);
        hlrc_barrier();
    }
}

/* Takes the lock away, so that node 0 has to ask for it; arrives a little after node 0's thread has
 * had it. */
static void elsewhere(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        if (me == 1) {
            hlrc_lock(lock);
            hlrc_unlock(lock);
        }
        await_atomic(gone, k);
        sleep_ms(3);
        hlrc_barrier();
    }
}

void litmus_run(void)
{
    lock = (hlrc_lock_t)(nodes - 1); /* managed by the last node */
    gone = shared_atomic();
    if (me == 0)
        in_threads(2, at_node_0);
    else
        elsewhere();
    hlrc_barrier();
    expect_word(hlrc_atomic_load(gone), ROUNDS, "the number of rounds");
    hlrc_barrier();
}
