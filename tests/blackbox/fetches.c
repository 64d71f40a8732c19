/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: an ARDMAR fetch sends no message and wakes nobody; an ASYNC fetch is one message. Node
 * 0 marks its fetches by getppid, for syscalls.sh, which counts the system calls between two marks.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

LITMUS("fetches", 2, 3)

#define PAGES 64u

static void fetch_all(volatile uint64_t *data, uint64_t k)
{
    struct timespec t;
    struct hlrc_stats before = stats();
    (void)getppid();
    /* a system call on some machines: what the runtime cannot help */
    clock_gettime(CLOCK_MONOTONIC, &t);
    (void)getppid();
    uint64_t sum = 0;
    for (uint64_t p = 0; p < PAGES; p++)
        sum += data[p * PAGE_WORDS];
    (void)getppid();
    struct hlrc_stats after = stats();
    expect_word(sum, k * PAGES, "the sum of what node 1 wrote");
    expect_word(after.page_fetches - before.page_fetches, PAGES, "the number of fetches");
    expect_word(after.read_faults - before.read_faults, PAGES, "the number of faults");
    expect_word(after.messages - before.messages, async ? PAGES : 0, "the number of messages");
    /* an adapter's wakes are counted by those who woke: that of the barrier before may come late */
    const char *fabric = getenv("HLRC_FABRIC");
    uint64_t late = fabric && strncmp(fabric, "shm", 3) != 0 ? (uint64_t)hlrc_node_count() - 1 : 0;
    if (!async)
        expect(after.wakes - before.wakes <= late, "%ju wakes",
               (uintmax_t)(after.wakes - before.wakes));
}

/* So that each page is fetched by a fault of its own. */
LITMUS_SET(RENEW, "0") /* a fetch for each copy that is read again */
LITMUS_SET(AHEAD, "0")

void litmus_run(void)
{
    volatile uint64_t *data = shared_words((PAGES + 1) * PAGE_WORDS);
    volatile uint64_t *before = data + PAGES * PAGE_WORDS;
    if (me == 1)
        *before = 9;
    hlrc_barrier();
    if (me == 0) /* what the fabric does once, when a node's memory is first used */
        expect_word(*before, 9, "what node 1 wrote before");
    hlrc_barrier();
    for (uint64_t k = 1; k <= 3; k++) {
        for (uint64_t p = 0; me == 1 && p < PAGES; p++)
            data[p * PAGE_WORDS] = k;
        hlrc_barrier();
        if (me == 0)
            fetch_all(data, k);
        hlrc_barrier();
    }
}
