/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: with the home stopped, an ARDMAR fetch of an assigned page completes, since no remote
 * CPU takes part; an ASYNC fetch does not before the home goes on.
 */
#include "tests/litmus/litmus.h"

#include <string.h>

LITMUS("home stopped", 2, 3)

LITMUS_SET(RENEW, "0") /* the fault fetches, not the barrier */

#define PAGES 8u

static void touch_page(volatile uint64_t *word, uint64_t want, int how)
{
    if (how == 1)
        *(word + 1) = want;
    if (how == 2)
        expect(hlrc_touch((void *)(uintptr_t)word, 8, 0) == 0, "hlrc_touch");
    expect_word(*word, want, "the word, read while the home is stopped");
}

/* Node 1 is home; node 0 touches its page: by a load, a store, hlrc_touch. */
static void fetch(volatile uint64_t *data, uint64_t k, int how)
{
    if (me == 1)
        for (uint64_t p = 0; p < PAGES; p++)
            data[p * PAGE_WORDS] = k;
    hlrc_barrier();
    if (me == 0) {
        stop_node(1);
        if (async)
            continue_node_after(1, 150);
        touch_page(data, k, how);
        expect(!async || node_continued(), "the fetch was over before its home went on");
        for (uint64_t p = 1; p < PAGES; p++)
            touch_page(&data[p * PAGE_WORDS], k, how);
        if (async)
            await_continued();
        else
            continue_node(1); /* all fetches are done */
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    volatile uint64_t *data = shared_words(PAGES * PAGE_WORDS);
    meet_pids();
    if (me == 1)
        for (uint64_t p = 0; p < PAGES; p++) /* first toucher */
            data[p * PAGE_WORDS] = 100;
    hlrc_barrier();
    for (int how = 0; how < 3; how++)
        fetch(data, (uint64_t)how + 1, how);
    for (uint64_t p = 0; p < PAGES; p++)
        expect(hlrc_home((void *)(uintptr_t)&data[p * PAGE_WORDS]) == 1,
               "page %ju has another home", (uintmax_t)p);
    hlrc_barrier();
}
