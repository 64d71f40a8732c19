/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * More pages of alternating protection than the system allows mappings: the runtime gives up
 * access, not data. The count is chosen for the usual limit, vm.max_map_count = 65,530; where that
 * is higher this is just a large interval.
 */
#include "tests/litmus/litmus.h"

const char litmus_rule[] = "too many mappings";
const int litmus_nodes[] = { 2, 0 };

#define PAGES 34000u

void litmus_run(void)
{
    volatile uint64_t *data = shared_words(2 * PAGES * PAGE_WORDS);
    for (uint64_t k = 1; k <= 2; k++) {
        uint64_t writer = k % 2;
        for (uint64_t p = 0; (uint64_t)me == writer && p < PAGES; p++)
            data[2 * p * PAGE_WORDS + k] = k * PAGES + p;
        for (uint64_t p = 0; (uint64_t)me == writer && p < PAGES; p += 100)
            expect_word(data[2 * p * PAGE_WORDS + k], k * PAGES + p, "the own page %ju",
                        (uintmax_t)p);
        hlrc_barrier();
        for (uint64_t p = 0; p < PAGES; p++)
            expect_word(data[2 * p * PAGE_WORDS + k], k * PAGES + p, "round %ju, page %ju",
                        (uintmax_t)k, (uintmax_t)p);
        hlrc_barrier();
    }
}
