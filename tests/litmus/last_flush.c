/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A runtime thread may still flush when all nodes have entered hlrc_finalize: the other nodes serve
 * it until it has ended. Node 1 asks for a lock that node 0 holds, so that node 0's runtime
 * thread shall publish; node 0 grants it first. What that thread finds later has its homes at
 * node 1, and more than the credit of a channel. In a build with --enable-perturb HLRC_PERTURB
 * delays the thread until both nodes are about to end.
 */
#include <sched.h>
#include <unistd.h>

#include "hlrc/memory/only_node.h"
#include "tests/litmus/litmus.h"

LITMUS("the last flush of a runtime thread is served", 2)

#define PAGES     4096u
#define LOCK      0u    /* node 0 manages it */
#define STAYS     1000  /* after which a release publishes nothing [lock.biased] */
#define SERVED_US 20000 /* the request arrives, and is for the runtime thread */

static volatile uint64_t *words;
static hlrc_atomic_t asks, had;

static void look_until(hlrc_atomic_t atomic)
{
    while (hlrc_atomic_load(atomic) == 0)
        sched_yield();
}

static void ask(void)
{
    look_until(asks);
    hlrc_lock(LOCK);
    hlrc_unlock(LOCK);
    (void)hlrc_atomic_exchange(had, 1);
}

static void take(void)
{
    hlrc_lock(LOCK);
    words[0]++;
    hlrc_unlock(LOCK);
}

static void grant_and_write(void)
{
    for (int i = 0; i < STAYS; i++)
        take();
    (void)hlrc_atomic_exchange(asks, 1);
    usleep(SERVED_US);
    take();
    look_until(had);
    for (uint64_t i = 0; i < PAGES * PAGE_WORDS; i++)
        words[i] = i * 0x9e3779b97f4a7c15u;
    hlrc_no_readers(true); /* so the barrier of hlrc_finalize publishes nothing */
}

void litmus_run(void)
{
    words = shared_words(PAGES * PAGE_WORDS);
    asks = shared_atomic();
    had = shared_atomic();
    place(words, PAGES * PAGE, 1);
    hlrc_barrier();
    me == 0 ? grant_and_write() : ask();
}
