/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* words - operations on words of shared memory, by all nodes: what tests/sim/words.sh traces. */
#include <hlrc.h>
#include <stdint.h>

#define ROUNDS 50

int main(int argc, char **argv)
{
    uint64_t one = 1, old, sum = 0, want;

    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    uint64_t *word = hlrc_malloc_all(sizeof *word);
    if (word == NULL)
        return 1;
    want = (uint64_t)ROUNDS * (uint64_t)hlrc_node_count();
    for (int i = 0; i < ROUNDS; i++) {
        if (hlrc_word_fetch(hlrc_word_shared(word), HLRC_UINT64, HLRC_SUM, &one, &old,
                            HLRC_RELAXED) != 0)
            return 1;
        hlrc_barrier();
        sum = *word;
        hlrc_barrier();
    }
    hlrc_finalize();
    return sum != want;
}
