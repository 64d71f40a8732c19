/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, access. A page may be read or written only if it holds all versions that the node needs.
 * The home is stopped, so that the writer's diff lies before it, unapplied, when another node
 * acquires the interval and touches the page.
 */
#include <string.h>

#include "tests/litmus/litmus.h"

LITMUS("rule 4, access needs the versions", 3, 4)

#define RACES 400u

enum touch { READ, WRITE, DIRTY, PREFETCH, TOUCH, WAYS };

static volatile uint64_t *page, *flag;
static bool written_diffs; /* --diffs write: there before anybody is told of them */

static uint64_t retries(void)
{
    return stats().fetch_retries;
}

static void reader(uint64_t k, enum touch way)
{
    hlrc_lock_t lock = (hlrc_lock_t)nodes * 4 + 1; /* managed by node 1 */
    if (way == DIRTY)
        page[100] = k;
    await(lock, flag, k);
    uint64_t before = retries();
    continue_node_after(2, 80);
    if (way == WRITE)
        page[101] = k;
    if (way == PREFETCH)
        expect(hlrc_prefetch((void *)(uintptr_t)page, PAGE) == 0, "hlrc_prefetch");
    if (way == TOUCH)
        expect(hlrc_touch((void *)(uintptr_t)page, PAGE, 1) == 0, "hlrc_touch");
    expect_word(page[3], k, "what the writer wrote, way %d", (int)way);
    expect_word(page[100], way >= DIRTY ? DIRTY + 1 : 0, "the reader's own word, way %d", (int)way);
    expect_word(retries() - before, async || written_diffs ? 0 : 1,
                "the number of fetches that had to be repeated");
    await_continued();
}

/* All nodes have left it: one that is stopped now may not be one that releases another. */
static void leave_barrier(void)
{
    hlrc_barrier();
    meet_outside();
}

static void way(enum touch how)
{
    uint64_t k = (uint64_t)how + 1;
    hlrc_lock_t lock = (hlrc_lock_t)nodes * 4 + 1;
    expect_word(page[3], k - 1, "the word before");
    leave_barrier();
    if (me == 0) {
        page[4] = k; /* the page is writable and its home known before the home stops */
        stop_node(2);
        page[3] = k;
        post(lock, flag, k);
    } else if (me == 1) {
        reader(k, how);
    }
    hlrc_barrier();
    expect_word(page[3], k, "the word in the end");
    hlrc_barrier();
}

/*
 * A prefetch is under way to a home that stands still, when its node acquires a later interval of
 * that page. The copy that arrives is complete by what was needed then, and too old now.
 */
static void outdated_prefetch(uint64_t k, volatile uint64_t *data, hlrc_atomic_t started)
{
    hlrc_lock_t lock = (hlrc_lock_t)nodes * 4 + 1; /* managed by node 1 */
    if (me == 0)
        data[5] = 2 * k - 1;
    leave_barrier();
    if (me == 0) {
        await_atomic(started, k);
        data[5] = 2 * k;
        post(lock, flag + 8, k);
    } else if (me == 1) {
        stop_node(2);
        expect(hlrc_prefetch((void *)(uintptr_t)data, PAGE) == 0, "hlrc_prefetch");
        hlrc_atomic_fetch_add(started, 1);
        await(lock, flag + 8, k);
        continue_node(2);
        expect_word(data[5], 2 * k, "what was written while a prefetch was under way");
    }
    hlrc_barrier();
}

/*
 * The whole page is written under a lock, and the next owner of the lock fetches it while the diff
 * is on its way to a home that sleeps: many fetches look at the page in the very moment of the
 * diff's arrival.
 */
static void race_the_diff(volatile uint64_t *data)
{
    uint64_t mine = 0;
    for (uint64_t seen = 0; me < 2 && seen < 2 * RACES;) {
        hlrc_lock((hlrc_lock_t)nodes * 4);
        seen = data[0];
        for (uint64_t i = 1; i < PAGE_WORDS; i++)
            expect_word(data[i], seen, "word %ju of a page that was written as a whole",
                        (uintmax_t)i);
        expect(seen >= mine, "the page went back from %ju to %ju", (uintmax_t)mine,
               (uintmax_t)seen);
        if (seen < 2 * RACES && seen % 2 == (uint64_t)me) {
            mine = ++seen;
            for (uint64_t i = 0; i < PAGE_WORDS; i++)
                data[i] = mine;
        }
        hlrc_unlock((hlrc_lock_t)nodes * 4);
    }
    hlrc_barrier();
    expect_word(data[PAGE_WORDS - 1], 2 * RACES, "the page in the end");
}

void litmus_run(void)
{
    const char *diffs = getenv("HLRC_DIFFS"), *protocol = getenv("HLRC_PROTOCOL");
    written_diffs =
        diffs ? strcmp(diffs, "write") == 0 : protocol && strcmp(protocol, "onesided") == 0;
    page = shared_words(PAGE_WORDS);
    flag = shared_words(PAGE_WORDS);
    volatile uint64_t *data = shared_words(2 * PAGE_WORDS);
    hlrc_atomic_t started = shared_atomic();
    meet_pids();
    if (me == 0) {
        place(page, PAGE, 2);
        place(flag, PAGE, 1);
        place(data, 2 * PAGE, 2);
    }
    hlrc_barrier();
    expect_word(*flag, 0, "the flag before");
    hlrc_barrier();
    for (enum touch how = READ; how < WAYS; how++)
        way(how);
    for (uint64_t k = 1; k <= 5; k++)
        outdated_prefetch(k, data + PAGE_WORDS, started);
    race_the_diff(data);
}
