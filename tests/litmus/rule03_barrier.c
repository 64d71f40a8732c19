/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rule 3, acquire: message passing by a barrier. What any node wrote before it is seen by all after it. */
#include "tests/litmus/litmus.h"

const char litmus_rule[] = "rule 3, message passing by barrier";
const int litmus_nodes[] = { 1, 2, 3, 4, 8, 0 };

#define BLOCKS 24u /* of a page and a half: most pages have two owners */
#define BLOCK_WORDS (PAGE_WORDS * 3 / 2)
#define ROUNDS 20u

void litmus_run(void)
{
    volatile uint64_t *data = shared_words(BLOCKS * BLOCK_WORDS);
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (uint64_t b = 0; b < BLOCKS; b++)
            if ((b + r) % (uint64_t)nodes == (uint64_t)me)
                for (uint64_t i = 0; i < BLOCK_WORDS; i += r)
                    data[b * BLOCK_WORDS + i] = r << 32 | b;
        hlrc_barrier();
        for (uint64_t b = 0; b < BLOCKS; b++)
            for (uint64_t i = 0; i < BLOCK_WORDS; i += r)
                expect_word(data[b * BLOCK_WORDS + i], r << 32 | b, "round %ju, block %ju, word %ju", (uintmax_t)r,
                            (uintmax_t)b, (uintmax_t)i);
        hlrc_barrier();
    }
    for (int i = 0; i < 300; i++) /* nothing to tell */
        hlrc_barrier();
    expect_word(data[0], (uint64_t)ROUNDS << 32, "the first word in the end");
}
