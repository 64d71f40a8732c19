/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 2: more pages with the same home change in one interval than can be on their way at once
 * [diffs-write.visible], and each arrives as it was. And what a home is sent is not its own writing
 * for ever [diffs-write.home-twin], [page.retained-twin]: when it writes a page no more, it
 * announces it no more. As long as it does, it announces it, whatever it was sent before it is told
 * of that.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("rule 2, many pages of one home", 2, 3)

LITMUS_SET(MOVE_HOMES, "off")
LITMUS_SET(LAZY_RELEASE, "0") /* an unlock closes an interval */

#define PAGES  300
#define ROUNDS 6
#define TURNS  80
#define OWN    8 /* the first of them, in which the home writes */

static uint64_t value(uint64_t round, uint64_t p, uint64_t i)
{
    return (round << 32 | p << 16 | i) * UINT64_C(0x9e3779b97f4a7c15);
}

static void many(volatile uint64_t *data, uint64_t round)
{
    uint64_t step = round % 3 ? round % 3 : PAGE_WORDS; /* many runs, or one */
    for (uint64_t p = 0; me == 1 && p < PAGES; p++)
        for (uint64_t i = 0; i < PAGE_WORDS; i += step)
            data[p * PAGE_WORDS + i] = value(round, p, i);
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        for (uint64_t i = 0; i < PAGE_WORDS; i += step)
            expect_word(data[p * PAGE_WORDS + i], value(round, p, i),
                        "round %ju, page %ju, word %ju", (uintmax_t)round, (uintmax_t)p,
                        (uintmax_t)i);
    hlrc_barrier();
}

static uint64_t notices(void)
{
    return stats().write_notices;
}

/* One page that its home, node 0, writes at first, and node 1 in every turn. What node 1 wrote is
 * there when the home writes, and closes its interval at the first barrier; it is told of it then.
 */
static void sent_and_written(volatile uint64_t *data)
{
    uint64_t before = 0;
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        if (me == 1) {
            hlrc_lock(1);
            data[100] = turn;
            hlrc_unlock(1);
        }
        meet_outside();
        if (me == 0 && turn <= OWN)
            data[0] = turn;
        hlrc_barrier();
        expect_word(data[0], turn < OWN ? turn : OWN, "the home's word, turn %ju", (uintmax_t)turn);
        expect_word(data[100], turn, "the other's word, turn %ju", (uintmax_t)turn);
        hlrc_barrier();
        if (turn == TURNS / 2)
            before = notices();
    }
    /* threads that are delayed between a page and its twin leave a closing of the home to find them
     * different: it announces what is not its own, once more than it need */
    if (me == 0 && !getenv("HLRC_PERTURB_SEED"))
        expect_word(notices() - before, 0, "notices of a home that writes no more");
}

void litmus_run(void)
{
    volatile uint64_t *data = shared_words((PAGES + 1) * PAGE_WORDS);
    if (me == 0)
        place(data, (PAGES + 1) * PAGE, 0);
    meet_pids();
    hlrc_barrier();
    for (uint64_t round = 1; round <= ROUNDS; round++)
        many(data, round);
    sent_and_written(data + PAGES * PAGE_WORDS);
}
