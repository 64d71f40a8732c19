/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 11, split-phase barrier. Writes between arrive and depart belong to the next interval and
 * are not lost; a node asleep between the two delays nobody; arrivals at the next barrier that come
 * early are counted.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

LITMUS("rule 11, split-phase barrier", 1, 2, 3, 4)

#define ROUNDS 60u

static volatile uint64_t *data;

/* Everybody writes its words of a common page before, between and after; each is seen behind the
 * barrier that follows. */
static void between(void)
{
    uint64_t n = (uint64_t)nodes, i = (uint64_t)me;
    volatile uint64_t *before = data, *middle = data + n, *after = data + 2 * n;
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        before[i] = k;
        hlrc_barrier_arrive();
        middle[i] = k;
        expect_word(before[i], k, "the own word, between");
        hlrc_barrier_depart();
        after[i] = k;
        for (uint64_t m = 0; m < n; m++)
            expect_word(before[m], k, "round %ju: what node %ju wrote before it arrived",
                        (uintmax_t)k, (uintmax_t)m);
        expect_word(middle[i], k, "the own word, written between");
        hlrc_barrier();
        for (uint64_t m = 0; m < n; m++) {
            expect_word(middle[m], k, "round %ju: what node %ju wrote between", (uintmax_t)k,
                        (uintmax_t)m);
            expect_word(after[m], k, "round %ju: what node %ju wrote behind", (uintmax_t)k,
                        (uintmax_t)m);
        }
        hlrc_barrier();
    }
}

/* Nodes arrive at their own pace; the fast one is ahead of those that have not departed. */
static void epochs(void)
{
    volatile uint64_t *words = data + PAGE_WORDS;
    for (uint64_t k = 1; k <= 10 * ROUNDS; k++) {
        words[k % 2 * PAGE_WORDS + (uint64_t)me] = k;
        hlrc_barrier_arrive();
        if ((k + (uint64_t)me * 3) % 7 == 0)
            nanosleep(&(struct timespec){ 0, 50000 }, NULL);
        hlrc_barrier_depart();
        /* the other page is being written for the next round */
        for (uint64_t m = 0; m < (uint64_t)nodes; m++)
            expect_word(words[k % 2 * PAGE_WORDS + m], k, "round %ju, node %ju", (uintmax_t)k,
                        (uintmax_t)m);
    }
    hlrc_barrier();
}

static int sleeper_pid;

/* The sleeper waits, outside of the library, for a signal which the others send when they are
 * through. It is home of a page that they wrote and read, manager of a lock that they take, and, in
 * turn, master of the barrier. */
static void asleep(int sleeper, uint64_t k)
{
    volatile uint64_t *page = data + (uint64_t)(4 + sleeper) * PAGE_WORDS;
    hlrc_atomic_t through = shared_atomic();
    int pid = (int)getpid(), got;
    expect(hlrc_broadcast(&pid, sizeof pid, sleeper) == 0, "hlrc_broadcast");
    sleeper_pid = pid;
    page[me] = k;
    hlrc_barrier_arrive();
    if (me == sleeper) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigwait(&set, &got);
    }
    hlrc_barrier_depart();
    for (uint64_t m = 0; m < (uint64_t)nodes; m++)
        expect_word(page[m], k, "the word of node %ju, at a home that sleeps", (uintmax_t)m);
    hlrc_lock((hlrc_lock_t)(nodes * 30 + sleeper));
    page[me + nodes] = k;
    hlrc_unlock((hlrc_lock_t)(nodes * 30 + sleeper));
    if (me != sleeper && hlrc_atomic_fetch_add(through, 1) == (uint64_t)nodes - 2)
        expect(kill(sleeper_pid, SIGUSR1) == 0, "kill");
    hlrc_barrier();
    for (uint64_t m = 0; m < (uint64_t)nodes; m++)
        expect_word(page[m + (uint64_t)nodes], k, "the word of node %ju, under the sleeper's lock",
                    (uintmax_t)m);
    hlrc_barrier();
}

/* With --barrier pairs who sleeps has told what it knew by then, of some nodes; of all if there are
 * two. */
static bool sleepers_delay(void)
{
    const char *barrier = getenv("HLRC_BARRIER");
    return nodes > 2 && barrier && strcmp(barrier, "pairs") == 0;
}

void litmus_run(void)
{
    data = shared_words(16 * PAGE_WORDS);
    between();
    epochs();
    if (nodes == 1 || sleepers_delay())
        return;
    for (int n = 0; me == 0 && n < nodes; n++)
        place(data + (uint64_t)(4 + n) * PAGE_WORDS, PAGE, n);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    hlrc_barrier();
    for (uint64_t k = 1; k <= 2; k++)
        for (int n = 0; n < nodes; n++)
            asleep(n, k);
}
