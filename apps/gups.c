/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gups.c - RandomAccess of the HPC Challenge: updates of random words of a table; giga-updates per
 * second.
 *
 * By its published rules: the table has 2^k words, and word i is initially i. There are four
 * updates per word. Update x, the next number of the stream, is an exclusive or of x into
 * word x modulo 2^k. A node may look ahead: at most 1,024 of the updates that it has taken
 * from the stream may be pending. One word in a hundred may be wrong at the end; here none is.
 *
 * Each node generates a part of the stream and has a part of the table. It updates words of other
 * nodes
 *
 *   --by atomics  by an operation of hlrc_word_fetch_nb() on the word, which is in a window
 *        puts     by hlrc_put() of x to a bucket in the window of the word's owner, which applies
 *                 it after a barrier
 *        locks    by a load and a store, as its own words, under the lock of that stretch of the
 *                 table, which is shared memory; 1,024 updates at a time, sorted by lock
 *
 * Buckets. There are two alternating sets of them; in each set a node has one for every other
 * node:
 *
 *   round r     put up to 512 updates and their number into set r mod 2 of the owners; barrier;
 *               apply the updates that others have put here
 *
 * A set is written again two rounds later, after the barrier of the round between, which its owner
 * reaches with the set empty. Until that barrier the updates of both rounds may be pending: 1,024.
 *
 * How pages move. With locks, nearly every update fetches a page, once the table has more pages
 * than a node makes updates at a time. Otherwise only the verification's pages move.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/common.h"

#define DEFAULT_WORDS (UINT64_C(1) << 20)
#define MAX_WORDS     (UINT64_C(1) << 34)
#define DEFAULT_LOCKS 64
#define UPDATES       4                             /* per word */
#define PERIOD        UINT64_C(1317624576693539401) /* of the stream: (2^63 - 1) / 7 */

#define OUTSTANDING 1024
#define ROUND       (OUTSTANDING / 2) /* per round, with two rounds pending */

enum way { ATOMICS, PUTS, LOCKS };
static const char *const way_names[] = { "atomics", "puts", "locks", NULL };

struct problem {
    uint64_t words, first;
    uint64_t locks;
    enum way by;
};

/* Updates of one node for another. */
struct bucket {
    uint64_t count;
    uint64_t update[ROUND];
};

struct gups {
    struct problem problem;
    unsigned bits;          /* of a word index */
    uint64_t *table;        /* with locks: shared, the whole table; otherwise in a window, the
                             * node's part */
    uint64_t *begin;        /* by node: first word of its part; then the end of the last part */
    uint64_t begun, end;    /* this node's updates: numbers in the stream, minus `first` */
    uint64_t x;             /* previous update */
    struct bucket *buckets; /* with puts: in a window, [2][node] */
    uint64_t *counts;       /* with puts: by node, updates of this round for it */
};

/* Findings of a node, on its own page. */
struct note {
    _Alignas(APP_PAGE) uint64_t different;
    uint64_t checksum;
};

/*
 * ---- the stream ----
 *
 * Its numbers are polynomials over GF(2), each of which is the previous one times x, modulo x^64 +
 * x^2 + x + 1. The first one is 1. Bit i of a number is the coefficient of x^i. None is 0.
 */

static inline uint64_t stream_next(uint64_t x)
{
    return x << 1 ^ (x >> 63) * 7;
}

/* In GF(2) the square of a sum is the sum of the squares, as twice anything is 0. */
static uint64_t square(const uint64_t squares[64], uint64_t a)
{
    uint64_t sum = 0;

    for (int i = 0; i < 64; i++)
        sum ^= squares[i] & -(a >> i & 1);
    return sum;
}

/* Number `n` of the stream, from 0 on: x^n. By the bits of n, highest first: square for each bit,
 * and one more step for a set bit. */
static uint64_t stream_at(uint64_t n)
{
    uint64_t squares[64], x = 1;

    squares[0] = 1;
    for (int i = 1; i < 64; i++)
        squares[i] = stream_next(stream_next(squares[i - 1]));
    for (int i = 63; i >= 0; i--) {
        x = square(squares, x);
        if (n >> i & 1)
            x = stream_next(x);
    }
    return x;
}

/* ---- partition ---- */

/* Parts of `total` differ by at most 1. The owner of index i is i nodes / total, rounded down. */
static uint64_t part_begin(uint64_t total, int node)
{
    uint64_t nodes = (uint64_t)app.nodes;

    return (total * (uint64_t)node + nodes - 1) / nodes;
}

static uint64_t word_of(const struct gups *g, uint64_t x)
{
    return x & (g->problem.words - 1);
}

static int owner_of(const struct gups *g, uint64_t word)
{
    return (int)(word * (uint64_t)app.nodes >> g->bits);
}

static uint64_t lock_of(const struct gups *g, uint64_t word)
{
    return word * g->problem.locks >> g->bits;
}

static uint64_t own_words(const struct gups *g)
{
    return g->begin[app.node + 1] - g->begin[app.node];
}

static uint64_t *own_part(const struct gups *g)
{
    return g->problem.by == LOCKS ? &g->table[g->begin[app.node]] : g->table;
}

/* ---- the updates ---- */

static uint64_t next_update(struct gups *g)
{
    g->begun++;
    return g->x = stream_next(g->x);
}

/* Remaining updates, at most `most`. */
static uint64_t next_count(const struct gups *g, uint64_t most)
{
    uint64_t left = g->end - g->begun;

    return left < most ? left : most;
}

/* Without other nodes it is a store: a call for each would make the sequential program 1.5 times as
 * slow, and speedups as much larger. */
static inline void update_word(uint64_t *word, uint64_t x, int owner)
{
#ifdef SEQUENTIAL
    (void)owner;
    *word ^= x;
#else
    hlrc_word_fetch_nb(hlrc_word_window(word, owner), HLRC_UINT64, HLRC_XOR, &x, NULL, NULL);
#endif
}

static void update_by_atomics(struct gups *g)
{
    uint64_t count = next_count(g, OUTSTANDING);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = next_update(g), word = word_of(g, x);
        int owner = owner_of(g, word);

        update_word(&g->table[word - g->begin[owner]], x, owner);
    }
    hlrc_fence_all();
}

/* The word belongs to this node. */
static void update_own(struct gups *g, uint64_t x)
{
    g->table[word_of(g, x) - g->begin[app.node]] ^= x;
}

static struct bucket *bucket_of(const struct gups *g, uint64_t round, int node)
{
    return &g->buckets[(round & 1) * (uint64_t)app.nodes + (uint64_t)node];
}

static void fill_buckets(struct gups *g, struct bucket *to, uint64_t updates[ROUND])
{
    uint64_t count = next_count(g, ROUND);

    memset(g->counts, 0, (size_t)app.nodes * sizeof *g->counts);
    for (uint64_t i = 0; i < count; i++) {
        int owner;

        updates[i] = next_update(g);
        owner = owner_of(g, word_of(g, updates[i]));
        if (owner == app.node)
            update_own(g, updates[i]);
        else
            hlrc_put_nb(&to->update[g->counts[owner]++], &updates[i], sizeof *updates, owner, NULL);
    }
    for (int node = 0; node < app.nodes; node++)
        if (node != app.node)
            hlrc_put_nb(&to->count, &g->counts[node], sizeof to->count, node, NULL);
    hlrc_fence_all();
}

static void update_by_puts(struct gups *g, uint64_t round)
{
    uint64_t updates[ROUND];

    fill_buckets(g, bucket_of(g, round, app.node), updates);
    hlrc_barrier();
    for (int node = 0; node < app.nodes; node++) {
        const struct bucket *from = bucket_of(g, round, node);

        for (uint64_t i = 0; node != app.node && i < from->count; i++)
            update_own(g, from->update[i]);
    }
}

/* Counting sort of `count` updates by lock; `ends` is by lock. */
static void sort_by_lock(const struct gups *g, const uint64_t *updates, uint64_t count,
                         uint64_t *sorted, uint64_t ends[HLRC_STATIC_LOCKS])
{
    uint64_t sum = 0;

    memset(ends, 0, g->problem.locks * sizeof *ends);
    for (uint64_t i = 0; i < count; i++)
        ends[lock_of(g, word_of(g, updates[i]))]++;
    for (uint64_t lock = 0; lock < g->problem.locks; lock++) {
        uint64_t of_lock = ends[lock];

        ends[lock] = sum;
        sum += of_lock;
    }
    for (uint64_t i = 0; i < count; i++)
        sorted[ends[lock_of(g, word_of(g, updates[i]))]++] = updates[i];
}

/* Each node starts at a different lock. */
static void update_by_locks(struct gups *g)
{
    uint64_t updates[OUTSTANDING], sorted[OUTSTANDING], ends[HLRC_STATIC_LOCKS];
    uint64_t count = next_count(g, OUTSTANDING), locks = g->problem.locks;

    for (uint64_t i = 0; i < count; i++)
        updates[i] = next_update(g);
    sort_by_lock(g, updates, count, sorted, ends);
    for (uint64_t turn = 0; turn < locks; turn++) {
        uint64_t lock = (part_begin(locks, app.node) + turn) % locks;
        uint64_t i = lock == 0 ? 0 : ends[lock - 1];

        if (i == ends[lock])
            continue;
        hlrc_lock((hlrc_lock_t)lock);
        for (; i < ends[lock]; i++)
            g->table[word_of(g, sorted[i])] ^= sorted[i];
        hlrc_unlock((hlrc_lock_t)lock);
    }
}

/* All nodes run the same number of rounds, since rounds contain barriers. */
static double timed_updates(struct gups *g)
{
    uint64_t each = g->problem.by == PUTS ? ROUND : OUTSTANDING;
    uint64_t most = (UPDATES * g->problem.words + (uint64_t)app.nodes - 1) / (uint64_t)app.nodes;
    uint64_t rounds = (most + each - 1) / each;
    double start;

    hlrc_barrier();
    start = app_now();
    for (uint64_t round = 0; round < rounds; round++) {
        if (g->problem.by == ATOMICS)
            update_by_atomics(g);
        else if (g->problem.by == PUTS)
            update_by_puts(g, round);
        else
            update_by_locks(g);
        app_progress(round + 1, rounds);
    }
    hlrc_barrier();
    return app_now() - start;
}

/* ---- start and end ---- */

static void *window(const char *what, size_t size)
{
    void *p = hlrc_window_create(size);

    if (p == NULL)
        app_no_memory(what, size);
    return p;
}

static void gups_init(struct gups *g, const struct problem *problem)
{
    uint64_t updates = UPDATES * problem->words;
    size_t nodes = (size_t)app.nodes;

    *g = (struct gups){ .problem = *problem, .bits = app_log2(problem->words) };
    g->begin = app_private("parts", (nodes + 1) * sizeof *g->begin);
    g->counts = app_private("counts", nodes * sizeof *g->counts);
    for (int node = 0; node <= app.nodes; node++)
        g->begin[node] = part_begin(problem->words, node);
    g->begun = part_begin(updates, app.node);
    g->end = part_begin(updates, app.node + 1);
    g->x = stream_at(problem->first + g->begun);
    if (problem->by == LOCKS)
        g->table = app_shared("the table", problem->words * sizeof *g->table);
    else
        g->table = window("the table", g->begin[1] * sizeof *g->table);
    if (problem->by == PUTS)
        g->buckets = window("buckets", 2 * nodes * sizeof *g->buckets);
    for (uint64_t i = 0; i < own_words(g); i++)
        own_part(g)[i] = g->begin[app.node] + i;
}

/* The words of this node's part that differ from the result of the stream: it goes through the
 * updates of all nodes, with a way to find the word of an update that is independent of the
 * first. */
static uint64_t count_different(const struct gups *g)
{
    uint64_t begin = g->begin[app.node], count = own_words(g), words = g->problem.words;
    uint64_t *expected = app_private("a second table", count * sizeof *expected);
    uint64_t x = stream_at(g->problem.first), different = 0;

    for (uint64_t i = 0; i < count; i++)
        expected[i] = begin + i;
    for (uint64_t i = 0; i < UPDATES * words; i++) {
        uint64_t at;

        x = stream_next(x);
        at = x % words - begin; /* wraps to a huge value if the word is below `begin` */
        if (at < count)
            expected[at] ^= x;
    }
    for (uint64_t i = 0; i < count; i++)
        different += own_part(g)[i] != expected[i];
    free(expected);
    return different;
}

/* Collective, after a barrier that follows the updates. */
static void check(const struct gups *g, struct app_result *result)
{
    struct note *notes = app_shared("notes", (size_t)app.nodes * sizeof *notes);
    struct note *mine = &notes[app.node], sum = { 0 };
    uint64_t allowed = g->problem.words / 100;

    /* any differing bit changes the sum */
    for (uint64_t i = 0; i < own_words(g); i++)
        mine->checksum += own_part(g)[i] * (2 * (g->begin[app.node] + i) + 1);
    if (app.verify)
        mine->different = count_different(g);
    hlrc_barrier();
    for (int node = 0; node < app.nodes; node++) {
        sum.different += notes[node].different;
        sum.checksum += notes[node].checksum;
    }
    result->verified = sum.different <= allowed;
    APP_PRINT(result->evidence,
              "%" PRIu64 " of %" PRIu64 " words differ in a second pass, %" PRIu64 " may",
              sum.different, g->problem.words, allowed);
    APP_PRINT(result->checksum, "%016" PRIx64, sum.checksum);
}

static void report(const struct gups *g, struct app_result *result)
{
    const struct problem *p = &g->problem;
    double updates = (double)(UPDATES * p->words);

    APP_PRINT(result->size, "2^%u", g->bits);
    APP_PRINT(result->problem, "2^%u words, %.0f updates from number %" PRIu64 " on, by %s",
              g->bits, updates, p->first, way_names[p->by]);
    result->mops = 1e-6 * updates / result->time_s;
    APP_PRINT(result->rate, "%.6f GUP/s", 1e-3 * result->mops);
}

static const struct app_option options[] = {
    { "table", 't', "WORDS", "Words of 8 bytes, a power of two (default 2^20)",
      APP_POWER(problem, words, 1, MAX_WORDS) },
    { "by", 'w', "HOW", "atomics (default), puts or locks", APP_WORD_OF(problem, by, way_names) },
    { "locks", 'l', "N", "By locks: how many the table has (default 64)",
      APP_NUMBER(problem, locks, 1, HLRC_STATIC_LOCKS) },
    { "first", 'f', "N", "Start after this number of the stream (default 0)",
      APP_NUMBER(problem, first, 0, PERIOD) },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct gups g;
    struct problem problem = { .words = DEFAULT_WORDS, .locks = DEFAULT_LOCKS };
    struct app_result result = { 0 };

    app_begin("gups", "RandomAccess of the HPC Challenge: giga-updates per second.", options,
              &problem, argc, argv);
    gups_init(&g, &problem);
    result.time_s = timed_updates(&g);
    check(&g, &result);
    report(&g, &result);
    return app_end(&result);
}
