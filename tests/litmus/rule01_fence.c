/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 1 on the hardware's memory [interval.unpublished-test]: an unlock that publishes nothing
 * notes which closing will. Two threads of node 0 run on a CPU each. One stores under the lock,
 * first to lines that no cache has, so that the stores after them stay in its store buffer, and
 * unlocks. The other ends an interval at about the same moment. Node 1 then takes the lock and must
 * see every store.
 *
 * Nothing is delayed on purpose. Without a fence between the stores and the unlock's test, one
 * round in a hundred goes wrong where both CPUs are free, none where the two threads share one.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

LITMUS("rule 1, unlocks and the store buffer", 2)

LITMUS_SET(BIND, "none")
LITMUS_SET(LOCKS, "manager")
LITMUS_SET(LAZY_RELEASE, "2")
LITMUS_SET(MOVE_HOMES, "off")

#define SECONDS 3
#define LINES   51u   /* of the page that is stored to under the lock */
#define LINE    64u   /* bytes */
#define OTHER   32u   /* of each line: the other thread's byte */
#define COLD    60u   /* lines that are stored to first: as many as a store buffer holds */
#define LOCK    4     /* managed by node 0 */
#define SPREAD  1500u /* ns: over how long the other thread's moments are spread */

static volatile unsigned char *page;
static volatile unsigned char *cold; /* a line of each page */
static hlrc_cond_t cond;
static hlrc_atomic_t written, seen;

/* Rounds, of the two threads of node 0. */
static _Atomic uint64_t storer_ready, closer_ready, closer_done, storer_done;
static atomic_bool over;

static void pin(size_t cpu)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    for (size_t i = 0, nth = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all) && nth++ == cpu)
            CPU_SET(i, &one);
    if (CPU_COUNT(&one))
        (void)sched_setaffinity(0, sizeof one, &one);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The other node, or the other thread of this one, needs this CPU. */
static void monitor_nap(void)
{
    struct timespec t = { .tv_nsec = 10000 };
    nanosleep(&t, NULL);
}

/* Out of all caches, so that a store to it waits for memory. */
static void cool(volatile unsigned char *line)
{
#if defined(__x86_64__)
    __builtin_ia32_clflush((const void *)line);
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
#endif
}

static void spin_until(_Atomic uint64_t *word, uint64_t value)
{
    for (int i = 0; atomic_load(word) < value && !atomic_load(&over); i++)
        if (i > 20000)
            sched_yield();
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Ends an interval with the same page in it, a moment after the other thread begins to store. */
static void *closer(void *arg)
{
    uint64_t state = 1;
    (void)arg;
    pin(1);
    for (uint64_t r = 1;; r++) {
        for (uint64_t l = 0; l < LINES; l++)
            page[l * LINE + OTHER] = (unsigned char)r;
        atomic_store(&closer_ready, r);
        spin_until(&storer_ready, r);
        if (atomic_load(&over))
            return NULL;
        int64_t until = now_ns() + (int64_t)(draw(&state) % SPREAD);
        while (now_ns() < until)
            ;
        hlrc_cond_signal(cond); /* a release */
        atomic_store(&closer_done, r);
        spin_until(&storer_done, r);
    }
}

/* The lock has come to stay [lock.biased]. */
static void settle(void)
{
    for (int i = 0; i < 4; i++) {
        hlrc_lock(LOCK);
        hlrc_unlock(LOCK);
    }
}

static void store_once(uint64_t r)
{
    settle();
    hlrc_lock(LOCK);
    for (uint64_t i = 0; i < COLD; i++)
        cool(&cold[i * (PAGE + LINE)]);
    spin_until(&closer_ready, r);
    atomic_store(&storer_ready, r);
    for (uint64_t i = 0; i < COLD; i++)
        cold[i * (PAGE + LINE)] = (unsigned char)r;
    for (uint64_t l = LINES; l-- > 0;)
        page[l * LINE] = (unsigned char)r;
    hlrc_unlock(LOCK);
    spin_until(&closer_done, r);
}

static void store_rounds(void)
{
    pthread_t other;
    int64_t end = now_ns() + SECONDS * INT64_C(1000000000);
    expect(pthread_create(&other, NULL, closer, NULL) == 0, "pthread_create");
    pin(0);
    for (uint64_t r = 1; now_ns() < end; r++) {
        store_once(r);
        hlrc_atomic_exchange(written, r);
        while (hlrc_atomic_load(seen) < r)
            monitor_nap();
        atomic_store(&storer_done, r);
    }
    atomic_store(&over, true);
    pthread_join(other, NULL);
    hlrc_atomic_exchange(written, UINT64_MAX);
}

static void look_rounds(void)
{
    for (uint64_t r = 1;; r++) {
        uint64_t told;
        while ((told = hlrc_atomic_load(written)) < r)
            monitor_nap();
        if (told == UINT64_MAX)
            return;
        hlrc_lock(LOCK);
        for (uint64_t l = 0; l < LINES; l++)
            expect(page[l * LINE] == (unsigned char)r,
                   "round %ju, line %ju has %u: the lock came without the last stores",
                   (uintmax_t)r, (uintmax_t)l, page[l * LINE]);
        hlrc_unlock(LOCK);
        hlrc_atomic_exchange(seen, r);
    }
}

void litmus_run(void)
{
    page = shared_bytes(PAGE);
    place(page, PAGE, 1); /* node 0 has a twin of it */
    cold = aligned_alloc(PAGE, (size_t)(COLD + 1) * (PAGE + LINE) / PAGE * PAGE + PAGE);
    expect(cold != NULL, "aligned_alloc");
    expect(me != 0 || hlrc_cond_create(&cond) == 0, "hlrc_cond_create");
    expect(hlrc_broadcast(&cond, sizeof cond, 0) == 0, "hlrc_broadcast");
    written = shared_atomic();
    seen = shared_atomic();
    hlrc_barrier();
    if (me == 0)
        store_rounds();
    else
        look_rounds();
    hlrc_barrier();
    free((void *)(uintptr_t)cold);
}
