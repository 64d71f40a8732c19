/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, prefetches. A prefetched copy is held against what the node needs, as any copy is, while
 * threads of the node read and write the same pages, diffs are on their way, and homes refuse. Over
 * the hook fabric, too: chaos.sh.
 */
#include "tests/litmus/litmus.h"

#include <sched.h>

LITMUS("rule 4, prefetches", 2, 3, 4)

#define PAGES   72u
#define THREADS 4
#define ROUNDS  6u
#define REFUSED 40u /* times all pages: more than can be in flight, should none of them end */

LITMUS_SET(RENEW, "0") /* what is renewed need not be sent for */

static volatile uint64_t *data, *flag;
static uint64_t round_now;

static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    return data + page * PAGE_WORDS + at;
}

static void prefetch_all(void)
{
    expect(hlrc_prefetch((void *)(uintptr_t)data, PAGES * PAGE) == 0, "hlrc_prefetch");
}

static uint64_t value(uint64_t k, uint64_t page)
{
    return k * PAGES + page + 1;
}

static void write_all(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        *word(p, 7) = value(k, p);
}

static void check_all(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, 7), value(k, p), "round %ju, page %ju", (uintmax_t)k, (uintmax_t)p);
}

/* One thread prefetches what the others read and write, from both ends and from the middle. */
static void at_once(int thread)
{
    for (uint64_t i = 0; i < PAGES; i++) {
        uint64_t p = thread == 1 ? i : thread == 2 ? PAGES - 1 - i : (i + PAGES / 2) % PAGES;
        if (thread == 0 && i % 24 == 0)
            prefetch_all();
        if (thread == 3 && p % 3 == 0)
            *word(p, 20 + (uint64_t)me) = round_now;
        if (thread != 0)
            expect_word(*word(p, 7), value(round_now, p), "round %ju, page %ju, thread %d",
                        (uintmax_t)round_now, (uintmax_t)p, thread);
    }
}

/* One node writes all pages, whose homes are all nodes; the others see it by a lock, when diffs are
 * still under way. */
static void together(void)
{
    for (round_now = 1; round_now <= ROUNDS; round_now++) {
        if ((uint64_t)me == round_now % (uint64_t)nodes) {
            write_all(round_now);
            post(3, flag, round_now);
        } else {
            await(3, flag, round_now);
            in_threads(THREADS, at_once);
        }
        hlrc_barrier();
        check_all(round_now);
        for (uint64_t p = 0; p < PAGES; p += 3)
            for (uint64_t n = 0; n < (uint64_t)nodes; n++)
                if (n != round_now % (uint64_t)nodes)
                    expect_word(*word(p, 20 + n), round_now,
                                "round %ju, page %ju, the word of node %ju", (uintmax_t)round_now,
                                (uintmax_t)p, (uintmax_t)n);
        hlrc_barrier();
    }
}

static uint64_t operations(void)
{
    struct hlrc_stats s = stats();
    return s.messages + s.rdma_reads;
}

/* A prefetch of pages that another node is home of still sends for them. */
static void expect_prefetches(uint64_t k)
{
    if (me == nodes - 1)
        write_all(k);
    hlrc_barrier();
    if (me < nodes - 1) {
        uint64_t before = operations();
        prefetch_all();
        while (operations() - before < PAGES / (uint64_t)nodes) /* a fabric may count them later */
            sleep_ms(1);
    }
    check_all(k);
    hlrc_barrier();
}

/* Whoever comes second waits for the first one's fetch, which takes long. */
static void read_one(int thread)
{
    expect_word(*word(2, 7), value(round_now, 2), "the page that all threads read, thread %d",
                thread);
}

/*
 * Node 1 asks for pages whose home, node 2, stands still before the diffs of node 0: ARDMAR's
 * prefetches are refused, those of ASYNC are on their way until the home goes on.
 */
static void refused(uint64_t k)
{
    hlrc_lock_t lock = (hlrc_lock_t)nodes * 4 + 1; /* managed by node 1 */
    meet_outside(); /* nobody that is stopped now has to release others from a barrier */
    if (me == 0) {
        for (uint64_t p = 2; p < PAGES; p += (uint64_t)nodes)
            *word(p, 8) = k; /* the pages are writable before the home stops */
        stop_node(2);
        for (uint64_t p = 2; p < PAGES; p += (uint64_t)nodes)
            *word(p, 7) = value(k, p);
        post(lock, flag, k);
    } else if (me == 1) {
        await(lock, flag, k);
        for (unsigned i = 0; i < REFUSED * (unsigned)nodes; i++)
            prefetch_all();
        continue_node_after(2, 20);
        round_now = k;
        in_threads(THREADS, read_one);
        await_continued();
        for (uint64_t p = 2; p < PAGES; p += (uint64_t)nodes)
            expect_word(*word(p, 7), value(k, p), "page %ju, whose prefetch was refused",
                        (uintmax_t)p);
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    meet_pids();
    data = shared_words(PAGES * PAGE_WORDS);
    flag = shared_words(PAGE_WORDS);
    for (uint64_t p = 0; p < PAGES; p++)
        if (p % (uint64_t)nodes == (uint64_t)me)
            place(word(p, 0), PAGE, me);
    if (me == 0)
        place(flag, PAGE, 0);
    hlrc_barrier();
    together();
    expect_prefetches(ROUNDS + 1);
    if (nodes > 2)
        refused(ROUNDS + 2);
    expect_prefetches(ROUNDS + 3);
}
