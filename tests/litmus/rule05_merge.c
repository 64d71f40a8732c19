/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 5, dirty and announced. A page that is dirty here and announced by another keeps the writes
 * of both, is clean but for the own ones afterwards, and stays in this node's next notice.
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 5, dirty and announced", 2, 3, 4)

#define ROUNDS 12u

enum { A = 3, B = 400 }; /* words of one page, written by node 0 and node 1 */
enum { LOCK_A = 1, LOCK_B = 2, LOCK_AGAIN = 3 };

static volatile uint64_t *page;
static hlrc_atomic_t posted, merged, rewritten;

static void node_a(uint64_t k)
{
    post(LOCK_A, &page[A], 2 * k - 1);
    hlrc_atomic_fetch_add(posted, 1);
    await_atomic(merged, k);
    /* node 1 holds the value before, merged into its dirty page */
    post(LOCK_AGAIN, &page[A], 2 * k);
    hlrc_atomic_fetch_add(rewritten, 1);
}

static void node_b(uint64_t k)
{
    page[B] = k;
    await_atomic(posted, k);
    hlrc_lock(LOCK_A); /* revokes the page, which is dirty */
    page[B + 1] = k;
    expect_word(page[A], 2 * k - 1, "what was announced");
    expect_word(page[B], k, "the own write to a page that was revoked while dirty");
    hlrc_atomic_fetch_add(merged, 1);
    await_atomic(rewritten, k);
    page[B + 2] = k;
    hlrc_unlock(LOCK_A); /* must send the own words alone */
}

static void clean_merge(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        if (me == 0)
            node_a(k);
        else if (me == 1)
            node_b(k);
        hlrc_barrier();
        expect_word(page[A], 2 * k, "the word of node 0, written twice");
        for (uint64_t i = 0; i < 3; i++)
            expect_word(page[B + i], k, "word %ju of node 1", (uintmax_t)i);
        hlrc_barrier();
    }
}

/* Every node keeps its words of the page dirty while the others' notices come in, hundreds of
 * times. */
static void many_times(volatile uint64_t *words)
{
    uint64_t n = (uint64_t)nodes, last[16] = { 0 };
    for (uint64_t k = 1; k <= 100; k++) {
        for (uint64_t i = (uint64_t)me; i < PAGE_WORDS; i += 16 * n)
            words[i] = k;
        hlrc_lock(LOCK_B);
        for (uint64_t m = 0; m < n && m < 16; m++) {
            expect(words[m] >= last[m] && words[m] <= 100,
                   "the word of node %ju went from %ju to %ju", (uintmax_t)m, (uintmax_t)last[m],
                   (uintmax_t)words[m]);
            last[m] = words[m];
        }
        expect_word(words[me], k, "the own word");
        hlrc_unlock(LOCK_B);
        for (uint64_t i = (uint64_t)me; i < PAGE_WORDS; i += 16 * n)
            expect_word(words[i], k, "the own word %ju", (uintmax_t)i);
    }
    hlrc_barrier();
    for (uint64_t m = 0; m < n; m++)
        expect_word(words[m], 100, "the word of node %ju in the end", (uintmax_t)m);
}

void litmus_run(void)
{
    page = shared_words(2 * PAGE_WORDS);
    posted = shared_atomic();
    merged = shared_atomic();
    rewritten = shared_atomic();
    if (me == 0)
        place(page, 2 * PAGE, nodes - 1);
    hlrc_barrier();
    clean_merge();
    many_times(page + PAGE_WORDS);
}
