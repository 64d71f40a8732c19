/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: hlrc_stats_reset begins all figures of this node anew, and those of no other: the
 * counters, those that the fabric keeps, the wall time, each part of it, the handler's time.
 * hlrc_stats_get keeps to the size that it is given.
 *
 * A counter that is 0 before the reset shows nothing, so the script moves every one of them.
 */
#include "tests/litmus/litmus.h"
#include "tests/stats_counters.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

LITMUS("hlrc_stats_reset", 2)

LITMUS_SET(MEMORY, "16M") /* default homes alternate from page to page */

enum { PAGES = 8, WAIT_MS = 600, SHORT_MS = 300, TRIES = 3 };

static volatile uint64_t *data;
static hlrc_cond_t cond[2];
static hlrc_atomic_t word;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- counters ---- */

/* Four pages each, of either default home; then the other node's, twice; and requests to a node
 * that sleeps. */
static void move_all(void)
{
    for (uint64_t p = 0; p < PAGES / 2; p++)
        data[(p + (uint64_t)me * PAGES / 2) * PAGE_WORDS] = 1;
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], 1, "page %ju", (uintmax_t)p);
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        data[p * PAGE_WORDS + 1 + (uint64_t)me] = 2;
    hlrc_lock(7);
    hlrc_unlock(7);
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS + 2 - (uint64_t)me], 2, "the other's word of page %ju",
                    (uintmax_t)p);
    hlrc_atomic_fetch_add(word, 1);
    for (int n = 0; n < 2; n++) {
        await_rest();
        for (int i = 0; n == me && i < 50; i++)
            hlrc_cond_signal(cond[1 - me]);
    }
    await_rest();
}

static void counters_begin_anew(void)
{
    struct hlrc_stats before = stats(), after;
    for (size_t i = 0; i < COUNTERS; i++)
        expect(counter(&before, i) > 0 || counters[i].moved < (async ? 2 : 1),
               "%s: the script does not move it", counters[i].name);
    expect(before.handler_s > 0, "the handler has taken no time");
    await_rest();
    if (me == 0)
        hlrc_stats_reset();
    await_rest();
    after = stats();
    for (size_t i = 0; i < COUNTERS; i++)
        if (counters[i].moved != KERNELS)
            expect_word(counter(&after, i), me == 0 ? 0 : counter(&before, i),
                        "%s after node 0's reset", counters[i].name);
    expect(me == 0 ? after.minor_faults < before.minor_faults
                   : after.minor_faults >= before.minor_faults,
           "minor_faults were %ju and are %ju", (uintmax_t)before.minor_faults,
           (uintmax_t)after.minor_faults);
    expect(me == 0 ? after.handler_s < before.handler_s : after.handler_s >= before.handler_s,
           "the handler's time was %f and is %f", before.handler_s, after.handler_s);
    expect(me == 0 || after.wall_s >= before.wall_s,
           "the wall time of a node without a reset was %f and is %f", before.wall_s, after.wall_s);
    await_rest(); /* the locks below make the other node serve */
    for (int i = 0; i < 3; i++) {
        hlrc_lock(11);
        hlrc_unlock(11);
    }
    after = stats();
    expect_word(after.lock_acquires, 3 + (me == 0 ? 0 : before.lock_acquires),
                "lock_acquires, three locks later");
}

/* ---- times ---- */

static void wall_begins_at_init(double begun)
{
    double least = now() - begun;
    struct hlrc_stats s = stats();
    expect(s.wall_s >= least, "wall %f, %f after hlrc_init", s.wall_s, least);
}

static void wall_begins_anew(void)
{
    double t0 = now(), t1, t2, t3;
    hlrc_stats_reset();
    t1 = now();
    sleep_ms(20);
    t2 = now();
    struct hlrc_stats s = stats();
    t3 = now();
    expect(s.wall_s >= t2 - t1 - 1e-6 && s.wall_s <= t3 - t0 + 1e-6,
           "wall %f after the reset, not between %f and %f", s.wall_s, t2 - t1, t3 - t0);
    double parts = s.compute_s + s.page_s + s.lock_s + s.barrier_s + s.diff_s;
    expect(parts > s.wall_s - 1e-6 && parts < s.wall_s + 1e-6, "parts of together %f, wall %f",
           parts, s.wall_s);
}

/* Node 0 waits for a lock and in a barrier. */
static void wait_long(void)
{
    if (me == 1)
        hlrc_lock(5);
    hlrc_barrier();
    if (me == 1)
        sleep_ms(WAIT_MS);
    else
        hlrc_lock(5);
    hlrc_unlock(5);
    if (me == 1)
        sleep_ms(WAIT_MS);
    hlrc_barrier();
}

/* What was waited before a reset is in no part after it. */
static void waits_begin_anew(void)
{
    wait_long();
    hlrc_stats_reset();
    sleep_ms(SHORT_MS);
    struct hlrc_stats s = stats();
    double waited = s.page_s + s.lock_s + s.barrier_s + s.diff_s;
    expect(waited < 0.001, "%f s of %f were spent waiting; since the reset nothing was called",
           waited, s.wall_s);
}

/* What was computed before a reset, up to the last call and since then, is not in the computing
 * after it, which is all that is not in the barrier. Whoever is stopped between the barrier's call
 * and its wait seems to compute: hence several tries. */
static bool computing_begins_anew(void)
{
    sleep_ms(WAIT_MS);
    hlrc_barrier();
    sleep_ms(WAIT_MS);
    double begun = now();
    hlrc_stats_reset();
    if (me == 1)
        sleep_ms(SHORT_MS);
    double called = now();
    hlrc_barrier();
    double back = now();
    struct hlrc_stats s = stats();
    double outside = called - begun + now() - back;
    hlrc_barrier();
    return me == 1 || s.compute_s < outside + WAIT_MS / 4000.0;
}

static void parts(void)
{
    int right = 0;
    waits_begin_anew();
    for (int i = 0; i < TRIES && !right; i++) {
        right = computing_begins_anew();
        expect(hlrc_broadcast(&right, sizeof right, 0) == 0, "hlrc_broadcast");
    }
    expect(right, "what was computed before a reset counts after it");
}

/* ---- sizes ---- */

static void keeps_to_size(void)
{
    static const size_t sizes[] = { sizeof(size_t), offsetof(struct hlrc_stats, page_s),
                                    offsetof(struct hlrc_stats, read_faults),
                                    sizeof(struct hlrc_stats) };
    union {
        struct hlrc_stats stats;
        unsigned char bytes[sizeof(struct hlrc_stats) + 64];
    } u;
    for (size_t i = 0; i <= sizeof sizes / sizeof sizes[0]; i++) {
        size_t given = i < sizeof sizes / sizeof sizes[0] ? sizes[i] : sizeof u,
               known = sizeof u.stats;
        size_t want = given < known ? given : known;
        memset(&u, 0xa5, sizeof u);
        u.stats.size = given;
        hlrc_stats_get(&u.stats);
        expect_word(u.stats.size, want, "the size, %zu given", given);
        for (size_t b = want; b < sizeof u; b++)
            expect(u.bytes[b] == 0xa5, "of %zu bytes given, number %zu was written", given, b);
        expect(want < known || u.stats.lock_acquires >= 3, "the last fields are not filled");
    }
}

void litmus_run(void)
{
    double begun = now();
    meet_pids();
    data = shared_words(PAGES * PAGE_WORDS);
    word = shared_atomic();
    for (int n = 0; n < 2; n++) {
        if (me == n)
            expect(hlrc_cond_create(&cond[n]) == 0, "hlrc_cond_create");
        expect(hlrc_broadcast(&cond[n], sizeof cond[n], n) == 0, "hlrc_broadcast");
    }
    move_all();
    wall_begins_at_init(begun);
    counters_begin_anew();
    keeps_to_size();
    await_rest();
    wall_begins_anew();
    await_rest();
    if (!async) /* the clocks know no protocol */
        parts();
}
