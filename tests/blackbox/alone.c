/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Black box: a job of one node takes no faults and sends nothing. */
#include "tests/litmus/litmus.h"

LITMUS("a job of one node", 1)

void litmus_run(void)
{
    volatile uint64_t *data = shared_words(300 * PAGE_WORDS);
    hlrc_lock_t lock;
    hlrc_atomic_t word = shared_atomic();
    expect(hlrc_lock_create(&lock) == 0, "hlrc_lock_create");
    for (uint64_t k = 1; k <= 3; k++) {
        for (uint64_t p = 0; p < 300; p++) {
            expect_word(data[p * PAGE_WORDS], k - 1, "page %ju", (uintmax_t)p);
            hlrc_lock(lock);
            data[p * PAGE_WORDS] = k;
            hlrc_unlock(lock);
        }
        hlrc_barrier();
        hlrc_barrier_arrive();
        hlrc_barrier_depart();
        hlrc_atomic_fetch_add(word, 1);
    }
    expect(hlrc_prefetch((void *)(uintptr_t)data, PAGE) == 0 &&
               hlrc_touch((void *)(uintptr_t)data, PAGE, 1) == 0,
           "prefetch and touch");
    expect(hlrc_home((void *)(uintptr_t)data) == 0 &&
               hlrc_place((void *)(uintptr_t)data, PAGE, 0) == 0,
           "home and place");
    struct hlrc_stats s = stats();
    expect_word(s.read_faults + s.write_faults + s.first_write_faults, 0, "the number of faults");
    expect_word(s.page_fetches + s.twins + s.diffs + s.write_notices + s.invalidations, 0,
                "what a single node need not do");
    expect_word(s.messages + s.wakes, 0, "the number of messages and wakes");
    expect_word(s.lock_acquires, 900, "the number of locks taken");
    expect(s.barriers >= 6, "%ju barriers", (uintmax_t)s.barriers);
    expect(hlrc_trylock(lock) == 0, "hlrc_trylock");
    hlrc_unlock(lock);
}
