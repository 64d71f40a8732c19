/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, a stack in shared memory (fault.h): a thread of each node computes on one, while another
 * thread's barriers close the pages of it; and a thread of another node reads and writes what lies
 * there.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

LITMUS("rule 4, a stack in shared memory", 2, 3)

LITMUS_SET(HOT_PAGES, "0") /* each barrier closes what was written */

#define STACK  (64u * PAGE)
#define ROUNDS 60u
#define DEPTH  12u /* of calls, one page and more each */

/* In shared memory, by node: where its thread has a local array, and in which round it was. */
struct place {
    volatile uint64_t *local;
    uint64_t sums, pad[PAGE_WORDS - 2];
};

static struct place *places;
static char *stacks;
static atomic_uint barriers;
static atomic_bool ready, enough;
static ucontext_t outside, inside;

/* Every frame is filled, and looked at when those below it are gone. */
static uint64_t descend(uint64_t depth, uint64_t seed)
{
    volatile uint64_t frame[PAGE_WORDS + 8];
    for (uint64_t i = 0; i < PAGE_WORDS + 8; i++)
        frame[i] = seed + i;
    uint64_t sum = depth > 0 ? descend(depth - 1, seed + 1) : 0;
    for (uint64_t i = 0; i < PAGE_WORDS + 8; i++) {
        expect_word(frame[i], seed + i, "word %ju of the frame at depth %ju", (uintmax_t)i,
                    (uintmax_t)depth);
        sum += frame[i];
    }
    return sum;
}

/* On the shared stack. Words 1 and 2 of its array are the next node's. */
static void compute(void)
{
    volatile uint64_t local[PAGE_WORDS] = { 7 };
    uint64_t first = descend(DEPTH, 3);
    places[me].local = local;
    atomic_store(&ready, true);
    while (!atomic_load(&enough)) {
        unsigned now = atomic_load(&barriers);
        expect_word(descend(DEPTH, 3), first, "the sum of all frames");
        places[me].sums++;
        local[3] = now;
        while (atomic_load(&barriers) == now && !atomic_load(&enough))
            ;
    }
    expect_word(local[0], 7, "the local array");
}

static void *on_shared_stack(void *arg)
{
    stack_t alternate = { .ss_sp = malloc(STACK), .ss_size = STACK };
    (void)arg;
    expect(sigaltstack(&alternate, NULL) == 0, "sigaltstack");
    getcontext(&inside);
    inside.uc_stack = (stack_t){ .ss_sp = stacks + (size_t)me * STACK, .ss_size = STACK };
    inside.uc_link = &outside;
    makecontext(&inside, compute, 0);
    swapcontext(&outside, &inside);
    alternate = (stack_t){ .ss_flags = SS_DISABLE };
    sigaltstack(&alternate, NULL);
    return NULL;
}

/* Round by round: this node writes to the array of the one before. */
static void look(uint64_t round)
{
    int other = (me + nodes - 1) % nodes;
    volatile uint64_t *local = places[other].local;
    expect_word(local[0], 7, "the array on the stack of node %d", other);
    expect_word(local[1], round - 1, "the own word on the stack of node %d", other);
    local[1] = round;
}

void litmus_run(void)
{
    pthread_t thread;
#ifdef __SANITIZE_ADDRESS__ /* which knows one stack of each thread */
    return;
#endif
    places = (struct place *)(uintptr_t)shared_words((uint64_t)nodes * PAGE_WORDS);
    stacks = (char *)(uintptr_t)shared_bytes((uint64_t)nodes * STACK);
    expect(pthread_create(&thread, NULL, on_shared_stack, NULL) == 0, "pthread_create");
    while (!atomic_load(&ready))
        sleep_ms(1);
    hlrc_barrier();
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        look(round);
        hlrc_barrier();
        atomic_fetch_add(&barriers, 1);
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
    hlrc_barrier();
    for (int n = 0; n < nodes; n++) {
        expect(places[n].sums > 0, "node %d has not computed", n);
        expect_word(places[n].local[1], ROUNDS, "what the next node wrote to the stack of node %d",
                    n);
    }
    hlrc_barrier();
}
