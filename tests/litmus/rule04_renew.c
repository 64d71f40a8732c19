/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, copies that are renewed [update.pending], [update.own-stores]: a node that reads the same
 * pages after each barrier, or under a lock, finds what was written last, while its other threads
 * store to them and load from them all the time, whose stores stay and whose loads never go back.
 * Copies that nobody reads any more are renewed no longer.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>

LITMUS("rule 4, copies that are renewed", 2, 3)

#define PAGES   12u
#define MORE    6u
#define ROUNDS  60u
#define BUDGET  32u
#define WRITTEN 7u   /* by the home */
#define OWN     32u  /* and on: by node, then page */
#define COUNTED 200u /* under the lock */

LITMUS_SET(RENEW, "32")
LITMUS_SET(LAZY_RELEASE, "0") /* each unlock sends its diffs */

static volatile uint64_t *data;
static atomic_bool over;

static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    return data + page * PAGE_WORDS + at;
}

static bool home_here(uint64_t page)
{
    return page % (uint64_t)nodes == (uint64_t)me;
}

static uint64_t renewed(void)
{
    return stats().renewed_pages;
}

static void write_own(uint64_t round)
{
    for (uint64_t p = 0; p < PAGES; p++)
        if (home_here(p))
            *word(p, WRITTEN) = round;
}

static void check_all(uint64_t round)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, WRITTEN), round, "round %ju, page %ju", (uintmax_t)round,
                    (uintmax_t)p);
}

/* Those rounds behind `before`, of writing at home and reading everywhere. */
static void rounds(uint64_t before)
{
    for (uint64_t round = before + 1; round <= before + ROUNDS; round++) {
        write_own(round);
        hlrc_barrier();
        check_all(round);
        hlrc_barrier();
    }
}

static void read_again(void)
{
    rounds(0);
    expect(renewed() > 0, "no copy was renewed");
}

/* What this thread has stored stays, in each page, and what the homes write is never older than
 * what it has seen. */
static void store_meanwhile(void)
{
    static uint64_t seen[PAGES], mine[PAGES];
    for (uint64_t n = 1; !atomic_load(&over); n++)
        for (uint64_t p = 0; p < PAGES; p++) {
            uint64_t at = OWN + (uint64_t)me, now = *word(p, WRITTEN);
            expect(now >= seen[p], "page %ju: %ju was seen, then %ju", (uintmax_t)p,
                   (uintmax_t)seen[p], (uintmax_t)now);
            seen[p] = now;
            expect_word(*word(p, at), mine[p], "page %ju, stored by this thread", (uintmax_t)p);
            if (n % 4 != 0) /* now and then a page is left alone: it is sealed, and opened again */
                *word(p, at) = ++mine[p];
        }
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, OWN + (uint64_t)me), mine[p], "page %ju, stored last", (uintmax_t)p);
}

static void one_of_two(int thread)
{
    if (thread == 1) {
        store_meanwhile();
        return;
    }
    rounds(ROUNDS);
    atomic_store(&over, true);
}

static void written_meanwhile(void)
{
    in_threads(2, one_of_two);
    hlrc_barrier();
    uint64_t here[PAGES][8];
    for (uint64_t p = 0; p < PAGES; p++)
        for (int n = 0; n < nodes; n++)
            here[p][n] = *word(p, OWN + (uint64_t)n);
    hlrc_barrier();
    /* all nodes see the same */
    for (uint64_t p = 0; p < PAGES; p++) {
        *word(p, 100 + (uint64_t)me) = here[p][(me + 1) % nodes];
        hlrc_barrier();
        expect_word(*word(p, 100 + (uint64_t)((me + nodes - 1) % nodes)), here[p][me],
                    "page %ju, as the neighbour sees it", (uintmax_t)p);
    }
}

/* Each thread has a lock and counts of its own, on the same pages; so what one acquires tells of
 * what the other has not acquired yet. All counts are equal whenever the lock is held. */
static void count(int thread)
{
    hlrc_lock_t lock = 3 + (hlrc_lock_t)thread;
    uint64_t at = COUNTED + (uint64_t)thread;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        hlrc_lock(lock);
        uint64_t before = *word(0, at);
        for (uint64_t p = 0; p < PAGES; p++) {
            expect_word(*word(p, at), before, "page %ju, counted", (uintmax_t)p);
            *word(p, at) = before + 1;
        }
        hlrc_unlock(lock);
    }
}

static void under_lock(void)
{
    in_threads(2, count);
    hlrc_barrier();
    for (uint64_t i = 0; i < 2 * PAGES; i++)
        expect_word(*word(i / 2, COUNTED + i % 2), ROUNDS * (uint64_t)nodes, "page %ju, in the end",
                    (uintmax_t)i / 2);
    hlrc_barrier();
}

static uint64_t page_now; /* behind the others, at home at node 2 */

/* One acquires, the other looks at what this node has stored. */
static void acquire_or_look(int thread)
{
    hlrc_lock_t lock1 = (hlrc_lock_t)nodes * 10 + 1;
    if (thread == 0) {
        hlrc_lock(lock1);
        continue_node(2);
        atomic_store(&over, true);
        hlrc_unlock(lock1);
    }
    while (thread == 1 && !atomic_load(&over))
        expect_word(*word(page_now, 20), page_now, "page %ju, this node's store",
                    (uintmax_t)page_now);
}

/*
 * Node 1's diff is in the page of home 2, then the home stands still. Node 0 writes the page and
 * releases: its diff lies before the home. Then it acquires from node 1, and what it reads at home
 * lacks its own store, which its threads must not see.
 */
static void own_store(hlrc_atomic_t step)
{
    hlrc_lock_t lock0 = (hlrc_lock_t)nodes * 10, lock1 = lock0 + 1;
    if (me == 1) {
        hlrc_lock(lock1);
        *word(page_now, 10) = page_now;
        hlrc_unlock(lock1);
    } else if (me == 2) {
        while (*word(page_now, 10) != page_now) /* a race, on purpose: the diff is in the page */
            sleep_ms(1);
        sleep_ms(5);
        hlrc_atomic_fetch_add(step, 1);
    } else if (me == 0) {
        await_atomic(step, page_now - PAGES + 1);
        stop_node(2);
        *word(page_now, 20) = page_now;
        hlrc_lock(lock0);
        hlrc_unlock(lock0);
        atomic_store(&over, false);
        in_threads(2, acquire_or_look);
        expect_word(*word(page_now, 20), page_now, "page %ju, in the end", (uintmax_t)page_now);
    }
    hlrc_barrier();
    expect_word(*word(page_now, 10), page_now, "page %ju, node 1's store", (uintmax_t)page_now);
    hlrc_barrier();
}

static void own_stores(void)
{
    hlrc_atomic_t step = shared_atomic();
    for (uint64_t p = PAGES; p < PAGES + MORE; p++)
        if (me == 2)
            place(word(p, 0), PAGE, 2);
    hlrc_barrier();
    for (uint64_t round = 1; round <= 8; round++) { /* so that node 0 renews them */
        for (uint64_t p = PAGES; p < PAGES + MORE && me == 1; p++)
            *word(p, 11) = round;
        hlrc_barrier();
        for (uint64_t p = PAGES; p < PAGES + MORE; p++)
            expect_word(*word(p, 11), round, "page %ju, round %ju", (uintmax_t)p, (uintmax_t)round);
        hlrc_barrier();
    }
    for (page_now = PAGES; page_now < PAGES + MORE; page_now++)
        own_store(step);
}

/* Nobody reads: no page is renewed for ever. What was expected in vain is not charged to a page,
 * and may come up to twice for each time that is. */
static void unread(void)
{
    uint64_t before = renewed(), copies = PAGES - PAGES / (uint64_t)nodes;
    for (uint64_t round = 1; round <= 4 * BUDGET; round++) {
        write_own(2 * ROUNDS + round);
        hlrc_barrier();
    }
    uint64_t after = renewed();
    expect(after - before <= 3 * copies * BUDGET, "unread pages were renewed %ju times",
           (uintmax_t)(after - before));
    check_all(2 * ROUNDS + 4 * BUDGET);
    hlrc_barrier();
}

void litmus_run(void)
{
    meet_pids();
    data = shared_words((PAGES + MORE) * PAGE_WORDS);
    write_own(0);
    hlrc_barrier();
    read_again();
    written_meanwhile();
    under_lock();
    unread();
    if (nodes > 2)
        own_stores();
}
