/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rule 3, acquire: message passing by a barrier. What any node wrote before it is seen by all after
 * it. */
#include "tests/litmus/litmus.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

LITMUS("rule 3, message passing by barrier", 1, 2, 3, 4, 8)

#define BLOCKS      24u /* of a page and a half: most pages have two owners */
#define BLOCK_WORDS (PAGE_WORDS * 3 / 2)
#define ROUNDS      20u
#define BATCH       180u /* pages whose diffs come in some dozens of messages */

enum { LOCK_KEPT = 3 };

static volatile uint64_t *batch;
static uint64_t round_now;
static hlrc_atomic_t checked;
static int memory; /* of this process, whatever is protected */

/*
 * One thread of node 2 waits in the library for a lock that node 0 keeps, and serves what arrives.
 * The other one meets the others; when it goes on, all diffs for the pages of which it is home are
 * in them: not only when it reads them.
 */
static void wait_or_meet(int thread)
{
    uint64_t value;
    if (thread == 0) {
        hlrc_lock(LOCK_KEPT);
        hlrc_unlock(LOCK_KEPT);
        return;
    }
    sleep_ms(1);
    hlrc_barrier();
    for (uint64_t i = BATCH * PAGE_WORDS; memory >= 0 && i > 0; i -= 32)
        if (pread(memory, &value, sizeof value, (off_t)(uintptr_t)&batch[i - 1]) == sizeof value)
            expect_word(value, round_now, "word %ju, at its home behind a barrier",
                        (uintmax_t)i - 1);
    hlrc_atomic_fetch_add(checked, 1);
}

static void diffs_are_served(void)
{
    if (me == 0)
        hlrc_lock(LOCK_KEPT);
    hlrc_barrier();
    if (me == 2) {
        in_threads(2, wait_or_meet);
    } else {
        sleep_ms(me == 1 ? 2 : 0);
        for (uint64_t i = 3; me == 1 && i < BATCH * PAGE_WORDS; i += 4)
            batch[i] = round_now;
        hlrc_barrier();
    }
    if (me == 0) {
        await_atomic(checked, round_now);
        hlrc_unlock(LOCK_KEPT);
    }
    hlrc_barrier();
}

static void early_and_late(void)
{
    batch = shared_words(BATCH * PAGE_WORDS);
    checked = shared_atomic();
    memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (me == 0)
        place(batch, BATCH * PAGE, 2);
    hlrc_barrier();
    for (round_now = 1; round_now <= 6 * ROUNDS; round_now++)
        diffs_are_served();
}

/* Who is home stays home. */
LITMUS_SET(MOVE_HOMES, "off")

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
                expect_word(data[b * BLOCK_WORDS + i], r << 32 | b,
                            "round %ju, block %ju, word %ju", (uintmax_t)r, (uintmax_t)b,
                            (uintmax_t)i);
        hlrc_barrier();
    }
    for (int i = 0; i < 300; i++) /* nothing to tell */
        hlrc_barrier();
    expect_word(data[0], (uint64_t)ROUNDS << 32, "the first word in the end");
    if (nodes == 3)
        early_and_late();
}
