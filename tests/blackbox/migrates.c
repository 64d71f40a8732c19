/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: with --protocol onesided a counter that goes from node to node with its lock comes
 * with it (renew.h): after some turns nobody takes a fault for it, but to see now and then whether
 * it is still used. Its home tells what it has written itself from what others have
 * (page_flush_told), so its page stays writable there.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("what goes with a lock", 2, 3)

#define LOCK   7u
#define LEARNT 150u /* turns of each node: by then it is known how the page is used */
#define TURNS  128u /* and these are counted */
#define SEALED 16u  /* the default of --hot-pages */

static uint64_t faults(void)
{
    struct hlrc_stats s = stats();
    return s.read_faults + s.write_faults;
}

__attribute__((constructor)) static void choose_protocol(void)
{
    (void)setenv("LITMUS_PROTOCOLS", "onesided", 1);
}

/* Each node in turn, so many times. */
static void take_turns(volatile uint64_t *counter, uint64_t first, uint64_t turns)
{
    uint64_t n = (uint64_t)nodes;
    for (uint64_t k = first; k < first + turns;) {
        hlrc_lock(LOCK);
        if (*counter == k * n + (uint64_t)me)
            *counter = k++ * n + (uint64_t)me + 1;
        hlrc_unlock(LOCK);
    }
}

void litmus_run(void)
{
    volatile uint64_t *counter = shared_words(PAGE_WORDS);
    if (me == 0)
        place(counter, PAGE, 0);
    hlrc_barrier();
    take_turns(counter, 0, LEARNT);
    uint64_t before = faults();
    take_turns(counter, LEARNT, TURNS);
    uint64_t taken = faults() - before;
    /* a renewal that is late on a busy machine is a fault, but none at home (renew.h) */
    expect(taken <= (me == 0 ? TURNS / SEALED / 2 : TURNS / 2), "node %d: %ju faults in %u turns",
           me, (uintmax_t)taken, TURNS);
    hlrc_barrier();
    expect_word(*counter, (LEARNT + TURNS) * (uint64_t)nodes, "the counter");
}
