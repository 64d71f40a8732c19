/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * More pages of alternating protection than the system allows mappings: the runtime gives up
 * access, not data; and a node whose memory nobody has used so far can still be read. The count is
 * chosen for the usual limit, vm.max_map_count = 65,530; where that is higher this is just a large
 * interval.
 */
#include <sys/mman.h>

#include "tests/litmus/litmus.h"

LITMUS("too many mappings", 3)

#define PAGES 34000u
#define FILL  (2u * 65536u)

/* All mappings that the system has left, or as many as it usually has. */
static char *fill(void)
{
    char *at = mmap(NULL, (size_t)FILL * PAGE, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    for (size_t p = 1; p < FILL; p += 2)
        if (mprotect(at + p * PAGE, PAGE, PROT_READ) != 0)
            break;
    for (int i = 0; i < 16; i++) /* that took two; shared ones are not joined */
        if (mmap(NULL, PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            break;
    return at;
}

void litmus_run(void)
{
    volatile uint64_t *data = shared_words(2 * PAGES * PAGE_WORDS),
                      *late = shared_words(PAGE_WORDS);
    if (me == 2)
        *late = 77;
    hlrc_barrier();
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
    char *filled = me == 1 ? fill() : NULL;
    expect_word(*late, 77, "the page of a node that was not read before");
    if (filled)
        munmap(filled, (size_t)FILL * PAGE);
}
