/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, access. A page may be read or written only if it holds all versions that the node needs. The home is stopped, so
 * that the writer's diff lies before it, unapplied, when another node acquires the interval and touches the page.
 */
#include "tests/litmus/litmus.h"

const char litmus_rule[] = "rule 4, access needs the versions";
const int litmus_nodes[] = { 3, 4, 0 };

enum touch { READ, WRITE, DIRTY, PREFETCH, TOUCH, WAYS };

static volatile uint64_t *page, *flag;

static uint64_t retries(void)
{
    struct hlrc_stats s = { .size = sizeof s };
    hlrc_stats_get(&s);
    return s.fetch_retries;
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
    expect_word(retries() - before, async ? 0 : 1, "the number of fetches that had to be repeated");
    await_continued();
}

static void way(enum touch how)
{
    uint64_t k = (uint64_t)how + 1;
    hlrc_lock_t lock = (hlrc_lock_t)nodes * 4 + 1;
    expect_word(page[3], k - 1, "the word before");
    hlrc_barrier();
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

void litmus_run(void)
{
    page = shared_words(PAGE_WORDS);
    flag = shared_words(PAGE_WORDS);
    meet_pids();
    if (me == 0) {
        place(page, PAGE, 2);
        place(flag, PAGE, 1);
    }
    hlrc_barrier();
    expect_word(*flag, 0, "the flag before");
    hlrc_barrier();
    for (enum touch how = READ; how < WAYS; how++)
        way(how);
}
