/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 2, home. Diffs and versions of one (page, writer) land in interval order, whichever thread
 * sent them; a page that was written without being changed disturbs nobody; a node's own interval
 * is among the versions that it needs.
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 2, home", 3, 4)

#define COUNT   150u
#define THREADS 4
#define BACKLOG 300u /* intervals: more than there is room for on the way to a home */

LITMUS_SET(LAZY_RELEASE, "0") /* each unlock closes an interval */

static volatile uint64_t *data, *flag;

/* A lock that stays in this node closes an interval at every unlock, in whatever thread. */
static void count_up(int thread)
{
    for (uint64_t k = 0; k < COUNT; k++) {
        hlrc_lock(5);
        uint64_t value = data[0];
        expect_word(data[PAGE_WORDS - 1], value, "the last word, in thread %d", thread);
        data[0] = value + 1;
        data[100 + value % 100] = value;
        data[PAGE_WORDS - 1] = value + 1;
        hlrc_unlock(5);
    }
}

static void interval_order(void)
{
    if (me == 1)
        place(data, PAGE, nodes - 1);
    hlrc_barrier();
    if (me == 0)
        in_threads(THREADS, count_up);
    else if (me == 1)
        for (int k = 0; k < 40; k++) {
            hlrc_lock(5);
            expect_word(data[PAGE_WORDS - 1], data[0], "the last word, in a reader");
            hlrc_unlock(5);
        }
    hlrc_barrier();
    expect_word(data[0], COUNT * THREADS, "the counter of all threads");
    hlrc_barrier();
}

/* Stores that change nothing, alone and beside one that does. */
static void silent_stores(void)
{
    for (uint64_t k = 0; k < 20; k++) {
        if (me == 0)
            for (uint64_t p = 1; p < 9; p++) {
                data[p * PAGE_WORDS] = 0;
                data[p * PAGE_WORDS + 1] = p == 4 ? k : 0;
            }
        if (me == 0)
            post(6, flag, k + 1);
        else
            await(6, flag, k + 1);
        for (uint64_t p = 1; p < 9; p++)
            expect_word(data[p * PAGE_WORDS + 1], p == 4 ? k : 0, "page %ju", (uintmax_t)p);
        hlrc_barrier();
    }
}

/*
 * Node 1's diff is in the page of home 2, then the home stands still. Node 0 writes the page and
 * releases: its diff lies before the home. Then it acquires from node 1, which revokes its copy;
 * the one that it fetches must have its own write. Locks 0 and 1 have managers that run.
 */
static void own_interval(uint64_t k, volatile uint64_t *page, hlrc_atomic_t step)
{
    hlrc_lock_t lock0 = (hlrc_lock_t)nodes * 10, lock1 = lock0 + 1;
    expect_word(page[10], k - 1, "word 10 before");
    hlrc_barrier();
    if (me == 1) {
        hlrc_lock(lock1);
        page[10] = k;
        hlrc_unlock(lock1);
    } else if (me == 2) {
        /* a race, on purpose: the home sees the diff when it is in the page */
        while (page[10] != k)
            sleep_ms(1);
        sleep_ms(5);
        hlrc_atomic_fetch_add(step, 1);
    } else if (me == 0) {
        await_atomic(step, k);
        stop_node(2);
        page[20] = k;
        hlrc_lock(lock0);
        hlrc_unlock(lock0);
        hlrc_lock(lock1);
        continue_node_after(2, 100);
        expect_word(page[20], k, "the own write, fetched back");
        expect_word(page[10], k, "the other's write");
        hlrc_unlock(lock1);
        await_continued();
    }
    hlrc_barrier();
    expect_word(page[20], k, "word 20 in the end");
}

/*
 * The home stands still while node 0 closes interval after interval, each with a diff for it; then
 * all of them are served at once. None is lost, and the last to be sent is the last to be applied.
 */
static void home_falls_behind(volatile uint64_t *page)
{
    hlrc_lock_t lock = (hlrc_lock_t)nodes * 10; /* managed by node 0 */
    if (me == 0) {
        place(page, PAGE, 2);
        page[1] = 1; /* the home is known before it stops */
        hlrc_lock(lock);
        hlrc_unlock(lock);
        stop_node(2);
        continue_node_after(2, 30);
        for (uint64_t k = 2; k <= BACKLOG; k++) {
            hlrc_lock(lock);
            page[0] = page[k] = k;
            hlrc_unlock(lock);
        }
        await_continued();
    }
    hlrc_barrier();
    expect_word(page[0], BACKLOG, "the word of all intervals");
    for (uint64_t k = 1; k <= BACKLOG; k++)
        expect_word(page[k], k, "the word of interval %ju", (uintmax_t)k);
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(16 * PAGE_WORDS);
    flag = shared_words(1);
    hlrc_atomic_t step = shared_atomic();
    meet_pids();
    interval_order();
    silent_stores();
    home_falls_behind(data + 14 * PAGE_WORDS);
    volatile uint64_t *page = data + 12 * PAGE_WORDS;
    if (me == 0)
        place(page, PAGE, 2);
    hlrc_barrier();
    for (uint64_t k = 1; k <= 3; k++)
        own_interval(k, page, step);
}
