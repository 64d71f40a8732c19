/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: with --protocol onesided a release and an acquire take as many operations of the
 * network with 64 nodes as with two, when one node has written since.
 */
#include "tests/litmus/litmus.h"

#include <inttypes.h>

LITMUS("operations of a release and an acquire", 2, 16, 64)

LITMUS_SET(MEMORY, "16M")
LITMUS_SET(THREADS, "2")

#define ROUNDS 30u
#define BEFORE 10u /* rounds until copies are renewed */

__attribute__((constructor)) static void choose_protocol(void)
{
    (void)setenv("LITMUS_PROTOCOLS", "onesided", 1);
}

static uint64_t operations(void)
{
    struct hlrc_stats s = stats();
    return s.rdma_reads + s.rdma_writes + s.atomics;
}

/* One node writes a word under the lock, then the other reads it. */
static uint64_t turn(hlrc_lock_t lock, volatile uint64_t *word, uint64_t round, bool writes)
{
    uint64_t before = operations();
    hlrc_lock(lock);
    if (writes)
        *word = round;
    else
        expect_word(*word, round, "the word");
    hlrc_unlock(lock);
    return operations() - before;
}

void litmus_run(void)
{
    hlrc_lock_t lock = (hlrc_lock_t)nodes + 1; /* its home is node 1 */
    volatile uint64_t *word = shared_words(PAGE_WORDS);
    uint64_t spent = 0;
    meet_pids();
    if (me == 0)
        place(word, PAGE, 0);
    hlrc_barrier();
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t now = me == 0 ? turn(lock, word, round, true) : 0;
        meet_outside();
        if (me == 1)
            now = turn(lock, word, round, false);
        meet_outside();
        if (round > BEFORE && spent < now)
            spent = now;
    }
    /* The writer: the lock and its vector time, twice, and what the reader lacks lies here. The
     * reader: the same, two reads of notices, versions and page. Each time that the reader's copy
     * is looked at anew, two to make itself known. */
    uint64_t most = me == 0 ? 4 : me == 1 ? 10 : 0;
    expect(spent <= most, "%" PRIu64 " operations, more than %" PRIu64, spent, most);
    hlrc_barrier();
}
