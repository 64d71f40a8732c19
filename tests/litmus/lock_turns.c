/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks are fair among nodes: threads of one node that contend for a lock hand it to each other a
 * bounded number of times while another node waits for it. Turns are counted, from the moment in
 * which the other node sleeps in its request; the holder of each turn lets the lock go only when
 * another thread of its node sleeps in hlrc_lock. And a thread that takes a lock again and again
 * lets one that waits for it have it [lock.overtaking], though both have one core and it need not
 * sleep.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

LITMUS("fairness of locks", 2, 3)

#define THREADS 2
#define ROUNDS  6u
#define BOUND   300u /* far more than the runtime allows itself */
#define PASSES  100u /* more than it lets a thread pass one that waits */

static volatile uint64_t *got; /* turns of each node but 0 */
/* requests of all nodes but 0, and 1,000 more when all are through */
static hlrc_atomic_t asked;
static hlrc_lock_t lock;
/* thread that calls hlrc_lock, or will in a moment; 0 none */
static _Atomic int asking[THREADS];
/* guarded by the lock: requests granted when counting began, turns since */
static uint64_t waiting_for, turns;

static bool sleeps(int tid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    if (fscanf(f, "%*[^)]) %c", &state) != 1)
        state = 0;
    fclose(f);
    return state == 'S';
}

static void await_other(int thread)
{
    int tid;
    while ((tid = atomic_load(&asking[1 - thread])) == 0 || !sleeps(tid))
        sched_yield();
}

static uint64_t granted(void)
{
    uint64_t sum = 0;
    for (int n = 1; n < nodes; n++)
        sum += got[n];
    return sum;
}

/* With the lock held: counts this turn, if some node has waited since before the last one. */
static void count_turn(void)
{
    uint64_t before = granted();
    if (turns > 0 && before == waiting_for) {
        turns++;
        expect(turns <= BOUND, "%ju turns in a row while another node waits (%ju grants before)",
               (uintmax_t)turns, (uintmax_t)before);
        return;
    }
    turns = 0;
    if (hlrc_atomic_load(asked) <= before)
        return;
    for (int n = 1; n < nodes; n++)
        await_asleep(n); /* those that have asked; the others sleep before they ask */
    waiting_for = before;
    turns = 1;
}

static void contend(int thread)
{
    for (bool over = false; !over;) {
        atomic_store(&asking[thread], (int)syscall(SYS_gettid));
        hlrc_lock(lock);
        atomic_store(&asking[thread], 0);
        over = granted() == ROUNDS * (uint64_t)(nodes - 1);
        if (!over) {
            await_other(thread);
            count_turn();
        }
        hlrc_unlock(lock);
    }
}

static void ask(void)
{
    for (uint64_t k = 0; k < ROUNDS; k++) {
        sleep_ms(2);
        hlrc_atomic_fetch_add(asked, 1);
        hlrc_lock(lock);
        got[me]++;
        hlrc_unlock(lock);
    }
}

/* ---- of one node ---- */

static _Atomic int stage; /* of a round: 1 the first thread has the lock, 2 the second has had it */

static void on_one_core(void)
{
    cpu_set_t all, one;
    expect(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    expect(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

static void again_and_again(void)
{
    hlrc_lock(lock);
    atomic_store(&stage, 1);
    await_other(0);
    for (unsigned passed = 0; atomic_load(&stage) == 1; passed++) {
        hlrc_unlock(lock);
        hlrc_lock(lock);
        expect(passed <= PASSES, "taken %u times past a thread that waits", passed);
    }
    hlrc_unlock(lock);
}

static void once(void)
{
    while (atomic_load(&stage) != 1)
        sched_yield();
    atomic_store(&asking[1], (int)syscall(SYS_gettid));
    hlrc_lock(lock);
    atomic_store(&asking[1], 0);
    atomic_store(&stage, 2);
    hlrc_unlock(lock);
}

static void overtake(int thread)
{
    on_one_core(); /* so that who is woken never comes between by chance */
    if (thread == 0)
        again_and_again();
    else
        once();
}

static void overtaking(void)
{
    for (unsigned k = 0; me == 0 && k < ROUNDS; k++) {
        atomic_store(&stage, 0);
        in_threads(2, overtake);
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    meet_pids();
    for (lock = 50; lock < 50 + (hlrc_lock_t)nodes; lock++)
        overtaking();
    got = shared_words((uint64_t)nodes);
    asked = shared_atomic();
    for (lock = 40; lock < 40 + (hlrc_lock_t)nodes; lock++) { /* each node manages one of them */
        hlrc_barrier();
        if (me == 0)
            for (int n = 1; n < nodes; n++)
                got[n] = 0;
        hlrc_barrier();
        turns = 0;
        if (me == 0)
            in_threads(THREADS, contend);
        else
            ask();
        hlrc_barrier();
        if (me == 0)
            hlrc_atomic_exchange(asked, 0);
    }
    hlrc_barrier();
}
