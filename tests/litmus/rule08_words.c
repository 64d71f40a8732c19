/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 8, words of shared memory: hlrc_word_fetch and hlrc_word_compare happen one after the other
 * (rule 8, [word.copy]), see what was stored before them [word.ordered], and are seen like stores
 * [word.announced].
 */
#include "tests/litmus/litmus.h"

#include <errno.h>

LITMUS("rule 8, words of shared memory", 1, 2, 3, 4)

#define THREADS 2
#define COUNT   60u
#define ROUNDS  12u
#define PAGES   4u
#define FRESH   6u /* pages behind them, for first_operation */

static volatile uint64_t *pages; /* homes: 0; the last node; two whose first touch decides */
static volatile unsigned char *taken;
static bool narrow; /* words of 4 bytes can be operated on */

static volatile uint64_t *word(uint64_t page, uint64_t k)
{
    return &pages[page * PAGE_WORDS + k];
}

static void *at(volatile void *word)
{
    return (void *)(uintptr_t)word;
}

static uint64_t fetch(volatile uint64_t *w, hlrc_op op, uint64_t value)
{
    uint64_t old = 0;
    expect(hlrc_word_fetch(hlrc_word_shared(at(w)), HLRC_UINT64, op, &value, &old, HLRC_RELAXED) ==
               0,
           "hlrc_word_fetch");
    return old;
}

static uint64_t total(void)
{
    return COUNT * THREADS * (uint64_t)nodes;
}

/* ---- each operation on its own, against what C makes of the values ---- */

#define CHECK(T, type, op, before, value, after)                                                 \
    do {                                                                                         \
        T b = (before), v = (value), a = (after), old = 0, *w = at(word(0, 8));                  \
        *w = b;                                                                                  \
        int rc = hlrc_word_fetch(hlrc_word_shared(w), type, op, &v, &old, HLRC_RELAXED);         \
        if (rc == -ENOTSUP && sizeof(T) == 4 && !async)                                          \
            break;                                                                               \
        expect(rc == 0 && old == b && *w == a, #type ", " #op ": %d, %g was %g, becomes %g", rc, \
               (double)b, (double)old, (double)*w);                                              \
    } while (0)

static void each_operation(void)
{
    CHECK(int32_t, HLRC_INT32, HLRC_SUM, INT32_MAX, 1, INT32_MIN);
    CHECK(uint32_t, HLRC_UINT32, HLRC_MAX, 1, UINT32_MAX, UINT32_MAX);
    CHECK(int32_t, HLRC_INT32, HLRC_MAX, 1, -1, 1);
    CHECK(int64_t, HLRC_INT64, HLRC_SUM, -5, -6, -11);
    CHECK(int64_t, HLRC_INT64, HLRC_MIN, 5, -6, -6);
    CHECK(uint64_t, HLRC_UINT64, HLRC_MIN, 5, UINT64_MAX, 5);
    CHECK(uint64_t, HLRC_UINT64, HLRC_PRODUCT, 7, 9, 63);
    CHECK(uint64_t, HLRC_UINT64, HLRC_AND, 12, 10, 8);
    CHECK(uint64_t, HLRC_UINT64, HLRC_OR, 12, 10, 14);
    CHECK(uint32_t, HLRC_UINT32, HLRC_XOR, 12, 10, 6);
    CHECK(uint64_t, HLRC_UINT64, HLRC_REPLACE, 12, 10, 10);
    CHECK(uint64_t, HLRC_UINT64, HLRC_NO_OP, 12, 10, 12);
    CHECK(double, HLRC_DOUBLE, HLRC_SUM, 0.5, 0.25, 0.75);
    CHECK(float, HLRC_FLOAT, HLRC_MAX, -0.5f, 0.25f, 0.25f);
    CHECK(double, HLRC_DOUBLE, HLRC_REPLACE, 0.5, 0.25, 0.25);
}

static void refusals(void)
{
    uint64_t private = 0, value = 1;
    expect(hlrc_word_fetch(hlrc_word_shared(&private), HLRC_UINT64, HLRC_SUM, &value, NULL,
                           HLRC_RELAXED) == -EINVAL,
           "private");
    expect(hlrc_word_fetch(hlrc_word_shared((char *)at(word(0, 0)) + 4), HLRC_UINT64, HLRC_SUM,
                           &value, NULL, HLRC_RELAXED) == -EINVAL,
           "not aligned");
    expect(hlrc_word_fetch(hlrc_word_shared(at(word(0, 0))), HLRC_DOUBLE, HLRC_AND, &value, NULL,
                           HLRC_RELAXED) == -EINVAL,
           "bits of a double");
    expect(hlrc_reduce(&value, &private, 1, HLRC_UINT64, HLRC_REPLACE) == -EINVAL,
           "a reduction by HLRC_REPLACE");
    int rc = hlrc_word_fetch(hlrc_word_shared(at(word(0, 9))), HLRC_INT32, HLRC_NO_OP, &value, NULL,
                             HLRC_RELAXED);
    expect(rc == 0 || (rc == -ENOTSUP && !async), "four bytes: %d", rc);
    narrow = rc == 0;
}

/* ---- all at once, on pages that nobody has touched ---- */

/* Every ticket is given out once; sums of doubles and maxima come by compare-and-swap. In the same
 * words' neighbours this thread's own bytes. */
static void tickets(int thread)
{
    uint64_t mine = (uint64_t)(me * THREADS + thread);
    volatile uint32_t *half = (volatile uint32_t *)word(2, 4);
    for (uint64_t k = 0; k < COUNT; k++) {
        uint64_t ticket = fetch(word(2, 0), HLRC_SUM, 1);
        expect(ticket < total(), "ticket %ju of %ju", (uintmax_t)ticket, (uintmax_t)total());
        taken[(mine * total()) + ticket] = 1;
        double quarter = 0.25;
        expect(hlrc_word_fetch(hlrc_word_shared(at(word(2, 1))), HLRC_DOUBLE, HLRC_SUM, &quarter,
                               NULL, HLRC_RELAXED) == 0,
               "sum");
        uint64_t seen = fetch(word(2, 2), HLRC_NO_OP, 0), next;
        do {
            next = seen + 3;
        } while (hlrc_word_compare(hlrc_word_shared(at(word(2, 2))), HLRC_UINT64, &seen, &next,
                                   HLRC_RELAXED) == 0);
        word(2, 100)[mine] = k + 1;
        int32_t one = 1;
        if (narrow)
            expect(hlrc_word_fetch(hlrc_word_shared(at(half)), HLRC_INT32, HLRC_SUM, &one, NULL,
                                   HLRC_RELAXED) == 0,
                   "half a word");
        if (narrow && me == nodes - 1 && thread == 0)
            half[1] = (uint32_t)k + 1; /* rule 6: beside it */
    }
}

static void check_tickets(void)
{
    for (uint64_t t = 0; t < total(); t++) {
        unsigned times = 0;
        for (uint64_t i = 0; i < THREADS * (uint64_t)nodes; i++)
            times += taken[(i * total()) + t];
        expect(times == 1, "ticket %ju was given out %u times", (uintmax_t)t, times);
    }
    expect_word(*word(2, 0), total(), "the counter of tickets");
    expect(*(volatile double *)word(2, 1) == 0.25 * (double)total(), "the sum of doubles is %g",
           *(volatile double *)word(2, 1));
    expect_word(*word(2, 2), 3 * total(), "by compare-and-swap");
    for (uint64_t i = 0; i < THREADS * (uint64_t)nodes; i++)
        expect_word(word(2, 100)[i], COUNT, "what thread %ju has stored", (uintmax_t)i);
    volatile uint32_t *half = (volatile uint32_t *)word(2, 4);
    expect(!narrow || (half[0] == total() && half[1] == COUNT), "halves are %u and %u", half[0],
           half[1]);
}

/* ---- stores and operations, one after the other ---- */

/* A node stores to the word, and operates on it at once: [word.ordered], what is not sent. Then
 * with stores beside it that a release has sent just before: what is on its way. */
static void own_store(uint64_t page, uint64_t r)
{
    if (me == nodes - 1) {
        volatile uint64_t *w = word(page, 20);
        *w = 1000 * r;
        expect_word(fetch(w, HLRC_SUM, 1), 1000 * r, "stored, and operated on");
        expect_word(*w, 1000 * r + 1, "operated on, and loaded");
        for (uint64_t k = 0; k < 4; k++) {
            *w = 1000 * r + 10 * k;
            *word(page, 21) = k;
            hlrc_lock(70);
            hlrc_unlock(70);
            expect_word(fetch(w, HLRC_SUM, 1), 1000 * r + 10 * k, "stored, sent, operated on");
        }
    }
    hlrc_barrier();
    expect_word(*word(page, 20), 1000 * r + 31, "page %ju: operated on before a barrier",
                (uintmax_t)page);
    expect_word(fetch(word(page, 20), HLRC_NO_OP, 0), 1000 * r + 31, "looked at");
    hlrc_barrier();
}

/* The word goes from node to node under a lock, stored to and operated on in turn: each sees what
 * came before [word.ordered], [word.announced], though all have copies. */
static void hand_over(uint64_t page, uint64_t r)
{
    volatile uint64_t *w = word(page, 40), *turn = word(3, 60 + page);
    uint64_t n = (uint64_t)nodes, first = r * n;
    for (uint64_t k = first; k < first + n; k++) {
        if (k % n == (uint64_t)me) {
            await(71, turn, k);
            expect_word((k & 1) ? *w : fetch(w, HLRC_NO_OP, 0), k, "page %ju: handed over",
                        (uintmax_t)page);
            if (k & 2)
                *w = k + 1;
            else
                expect_word(fetch(w, HLRC_SUM, 1), k, "page %ju: operated on", (uintmax_t)page);
            post(71, turn, k + 1);
        }
    }
    hlrc_barrier();
}

/* Only operated on, and announced [word.announced]: between two barriers on one node, then read by
 * all. */
static void announced(uint64_t page, uint64_t r)
{
    if ((uint64_t)me == r % (uint64_t)nodes)
        fetch(word(page, 50), HLRC_SUM, r + 1);
    hlrc_barrier();
    expect_word(*word(page, 50), (r + 1) * (r + 2) / 2, "page %ju, in round %ju", (uintmax_t)page,
                (uintmax_t)r);
    hlrc_barrier();
}

/* The first that anybody does to a page of which all have read that it is zero: an operation, or a
 * store and an operation behind it. Whoever becomes the page's home, or was it by default,
 * announces it [word.announced], though what the operation did is in its twin, if it has one
 * [page.retained-twin]. */
static void first_operation(void)
{
    for (uint64_t page = PAGES; page < PAGES + FRESH; page++)
        expect_word(*word(page, 10) + *word(page, 11), 0, "page %ju at first", (uintmax_t)page);
    hlrc_barrier();
    for (uint64_t page = PAGES; page < PAGES + FRESH; page++) {
        if (page % (uint64_t)nodes != (uint64_t)me)
            continue;
        if (page & 1)
            *word(page, 10) = 8;
        fetch(word(page, 10), HLRC_SUM, 5);
    }
    hlrc_barrier();
    for (uint64_t page = PAGES; page < PAGES + FRESH; page++)
        expect_word(*word(page, 10), page & 1 ? 13 : 5, "page %ju, first operated on",
                    (uintmax_t)page);
    hlrc_barrier();
}

/* Two threads of a node operate on a word: what they leave in the copy is that of both
 * [word.copy]. */
static void twice(int thread)
{
    (void)thread;
    volatile uint64_t *w = word(0, 70) + me;
    for (uint64_t k = 0; k < COUNT; k++) {
        uint64_t before = fetch(w, HLRC_SUM, 1) + 1;
        for (unsigned look = 0; look < 500; look++) {
            uint64_t now = *w;
            expect(now >= before, "it was %ju, and is %ju", (uintmax_t)before, (uintmax_t)now);
            before = now;
        }
    }
}

/* Who looks again and again sees what others do, though it acquires nothing. */
static void without_acquire(void)
{
    if (me == 0)
        fetch(word(1, 80), HLRC_REPLACE, 7);
    while (fetch(word(1, 80), HLRC_NO_OP, 0) != 7)
        ;
    hlrc_barrier();
}

void litmus_run(void)
{
    pages = shared_words((PAGES + FRESH) * PAGE_WORDS);
    taken = shared_bytes(total() * THREADS * (uint64_t)nodes);
    if (me == 0) {
        place(word(0, 0), PAGE, 0);
        place(word(1, 0), PAGE, nodes - 1);
        each_operation();
    }
    hlrc_barrier();
    refusals();
    first_operation();
    in_threads(THREADS, tickets);
    hlrc_barrier();
    check_tickets();
    hlrc_barrier();
    for (uint64_t r = 0; r < ROUNDS; r++)
        for (uint64_t page = 0; page < 3; page++) {
            own_store(page, r + 1);
            hand_over(page, r);
            announced(page, r);
        }
    in_threads(THREADS, twice);
    expect_word(word(0, 70)[me], THREADS * COUNT, "by two threads of this node");
    hlrc_barrier();
    without_acquire();
}
