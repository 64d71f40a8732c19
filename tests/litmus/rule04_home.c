/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4 at the home: it writes its own page while the diffs of others arrive, and reads it only
 * when it has what it needs; when it only reads, nothing is announced and nobody's copy is revoked.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("rule 4, the home's own accesses", 2, 3, 4)

#define ROUNDS 40u
#define DIFFS  4000u

static volatile unsigned char *bytes;
static volatile uint64_t *words;

static unsigned char value(uint64_t k, uint64_t i)
{
    return (unsigned char)(k * 7 + i * 3 + 1);
}

/* Every node writes its bytes of each page, the home among them, at the same time. */
static void all_write(void)
{
    uint64_t pages = (uint64_t)nodes, n = (uint64_t)nodes;
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (uint64_t i = (uint64_t)me; i < pages * PAGE; i += n)
            bytes[i] = value(k, i);
        hlrc_barrier();
        for (uint64_t i = k % 5; i < pages * PAGE; i += 5)
            expect(bytes[i] == value(k, i), "round %ju: byte %ju, of node %ju, is %u, not %u",
                   (uintmax_t)k, (uintmax_t)i, (uintmax_t)(i % n), bytes[i], value(k, i));
        hlrc_barrier();
    }
}

static void only_reads(void)
{
    if (me == 1)
        words[5] = 77;
    hlrc_barrier();
    expect_word(words[5], 77, "what node 1 wrote");
    hlrc_barrier();
    struct hlrc_stats before = stats();
    for (int k = 0; k < 10; k++) {
        if (me == 0)
            for (uint64_t i = 0; i < PAGE_WORDS; i++)
                expect_word(words[i], i == 5 ? 77 : 0, "word %ju", (uintmax_t)i);
        hlrc_barrier();
        hlrc_lock(3);
        hlrc_unlock(3);
        expect_word(words[5], 77, "a word that nobody wrote since");
    }
    struct hlrc_stats after = stats();
    expect_word(after.write_notices, before.write_notices, "the number of pages announced");
    expect_word(after.invalidations, before.invalidations, "the number of pages revoked");
    expect_word(after.read_faults + after.write_faults, before.read_faults + before.write_faults,
                "the number of faults");
    expect_word(after.page_fetches, before.page_fetches, "the number of fetches");
    hlrc_barrier();
}

/* The home rewrites its word all the time while a neighbour's diffs land beside it. */
static void writes_under_locks(void)
{
    volatile uint64_t *mine = &words[PAGE_WORDS + (uint64_t)me];
    for (uint64_t k = 1; k <= 100; k++) {
        hlrc_lock((hlrc_lock_t)(30 + me));
        expect_word(*mine, k - 1, "the own word");
        *mine = k;
        hlrc_unlock((hlrc_lock_t)(30 + me));
        uint64_t other = (uint64_t)(me + 1) % (uint64_t)nodes;
        hlrc_lock((hlrc_lock_t)(30 + other));
        uint64_t seen = words[PAGE_WORDS + other];
        expect(seen <= 100, "the neighbour's word is %ju", (uintmax_t)seen);
        hlrc_unlock((hlrc_lock_t)(30 + other));
    }
    hlrc_barrier();
    for (uint64_t n = 0; n < (uint64_t)nodes; n++)
        expect_word(words[PAGE_WORDS + n], 100, "the word of node %ju", (uintmax_t)n);
}

/*
 * The home writes all words of its page but one over and over, without a call of the library, while
 * the diffs of that one arrive: applying them leaves the other words alone, were it only to write
 * the values that they have just had.
 */
static void writes_beside_diffs(volatile uint64_t *page, hlrc_atomic_t done)
{
    if (me == 1)
        for (uint64_t k = 1; k <= DIFFS; k++) {
            hlrc_lock((hlrc_lock_t)nodes * 4 + 1); /* managed by node 1 */
            page[PAGE_WORDS - 1] = k;
            hlrc_unlock((hlrc_lock_t)nodes * 4 + 1);
        }
    if (me == 1)
        hlrc_atomic_fetch_add(done, 1);
    for (uint64_t k = 1; me == 0 && (k % 256 || hlrc_atomic_load(done) == 0); k++)
        for (uint64_t i = 0; i < PAGE_WORDS - 1; i++) {
            expect_word(page[i], k - 1, "word %ju, written here alone", (uintmax_t)i);
            page[i] = k;
        }
    hlrc_barrier();
    expect_word(page[PAGE_WORDS - 1], DIFFS, "the word of node 1");
    hlrc_barrier();
}

/* Of a page that stays writable, or is opened ahead, it is announced whether or not it was written
 * [page.equal-twin]. */
LITMUS_SET(HOT_PAGES, "0")
LITMUS_SET(AHEAD, "0")

void litmus_run(void)
{
    bytes = shared_bytes((uint64_t)nodes * PAGE);
    words = shared_words(3 * PAGE_WORDS);
    hlrc_atomic_t done = shared_atomic();
    if (me == 0) {
        for (int n = 0; n < nodes; n++)
            place(bytes + (uint64_t)n * PAGE, PAGE, n);
        place(words, 3 * PAGE, 0);
    }
    hlrc_barrier();
    all_write();
    only_reads();
    writes_under_locks();
    writes_beside_diffs(words + 2 * PAGE_WORDS, done);
}
