/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: a scripted program has exactly predicted counts for every counter of struct
 * hlrc_stats, per protocol.
 *
 * Two nodes act in turn; while one acts the other sleeps outside of the library, so that its
 * handler serves. The predictions are built from what a step costs: requests, answers, one-sided
 * reads and writes of known sizes. The wire's sizes are those of msg.h, bulk.h, notices.h and
 * diff.h. Only `wakes` is a range: whether a waiting node is woken for an answer depends on how far
 * it has come towards polling for it.
 */
#include "hlrc/core/engine.h"
#include "hlrc/memory/default_home.h" /* for engine_default_home */
#include "tests/litmus/litmus.h"
#include "tests/stats_counters.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LITMUS("exact counts", 2)

LITMUS_SET(RENEW, "0")      /* a fetch for each copy that is read again */
LITMUS_SET(SPIN, "1000000") /* who waits polls: nobody has to be woken for an answer */
LITMUS_SET(MEMORY, "16M")   /* default homes alternate from page to page */
/* What the runtime does beyond the protocol has exact counts of its own: hot.c. */
LITMUS_SET(HOT_PAGES, "0")
LITMUS_SET(AHEAD, "0")
LITMUS_SET(EXCLUSIVE_PAGES, "off")
LITMUS_SET(MOVE_HOMES, "off")
LITMUS_SET(LAZY_RELEASE, "0")

enum { REQUEST = 32, ANSWER = 16, VECTOR = 16, BULK = 16 };
enum { DIFF_ENTRY = 8, RECORD = 16, RUN = 8, WORD = 8, DIFF_HEAD = 4, DIFF_RUN = 4 };

static struct hlrc_stats want[2];
static uint64_t wakes_more[2]; /* wakes that may or may not be */

/* ---- what things cost ---- */

static void one_write(int from, uint64_t bytes)
{
    want[from].rdma_writes++;
    want[from].bytes_out += bytes;
    want[1 - from].bytes_in += bytes;
}

static void one_read(int by, uint64_t bytes)
{
    want[by].rdma_reads++;
    want[by].bytes_in += bytes;
    want[1 - by].bytes_out += bytes;
}

/* A request to a node that sleeps: its handler is woken. */
static void request(int from, uint64_t bytes)
{
    one_write(from, bytes);
    want[from].messages++;
    want[from].wakes++;
}

static void answer(int from, uint64_t bytes)
{
    one_write(from, bytes);
    wakes_more[from]++;
}

/* The first use of a handle of the other node: how many it has created. */
static void foreign_handle(int by)
{
    one_read(by, WORD);
}

/* The home of a page is asked of its default home, `at`, or claimed there: a compare-and-swap and a
 * read beside it, through the fabric even where the word is the node's own. */
static void home_word(int by, int at)
{
    want[by].atomics++;
    want[by].rdma_reads++;
    want[by].bytes_in += WORD;
    want[at].bytes_out += WORD;
}

/* `needed`: versions that are asked for, of writers side by side */
static void fetch(int by, bool home_known, int default_at, int needed)
{
    want[by].page_fetches++;
    want[by].fetch_round_trips += async || home_known ? 1 : 2;
    if (async) {
        request(by, REQUEST + VECTOR);
        one_write(1 - by, PAGE);
        answer(1 - by, WORD);
        return;
    }
    if (!home_known)
        home_word(by, default_at);
    one_read(by, (uint64_t)needed * WORD); /* the versions */
    one_read(by, PAGE);
}

static void notice(int by, uint64_t runs)
{
    want[by].write_notices += runs;
    one_write(by, RECORD + RUN * runs);
    one_write(by, WORD); /* the tail */
}

/* One diff of `runs` runs of together `bytes` bytes, in a message of its own, and the credit that
 * comes back. */
static void diff(int by, uint64_t runs, uint64_t bytes)
{
    uint64_t encoded = DIFF_HEAD + DIFF_RUN * runs + bytes;
    request(by, BULK + DIFF_ENTRY + (encoded + 7) / 8 * 8);
    one_write(1 - by, WORD);
    want[by].diffs++;
    want[by].diff_bytes += bytes;
}

static void barrier_costs(void)
{
    request(1, REQUEST + VECTOR);
    want[1].wakes--; /* arrivals wake nobody */
    answer(0, ANSWER + VECTOR);
    for (int n = 0; n < 2; n++)
        want[n].barriers++;
}

/* ---- the script ---- */

/* pages: a and b have default home 0, d and e default home 1 */
static volatile uint64_t *a, *b, *d, *e;
static hlrc_atomic_t atomic_at_0;
static hlrc_cond_t cond_at_1;

enum { LOCK_AT_0 = 2, LOCK_AT_1 = 3, LOCK_AT_1_TOO = 5 };

#define ALL_BYTES UINT64_C(0x0101010101010101)

static void in_lock(hlrc_lock_t lock)
{
    hlrc_lock(lock);
    hlrc_unlock(lock);
}

/* One node acts; before and after, the other one is at rest. */
static void step(int actor, void (*act)(void))
{
    meet_outside();
    if (me == actor) {
        await_asleep(1 - me);
        act();
        await_asleep(1 - me);
    }
    meet_outside();
}

/* The master comes last, so that the other one polls already. */
static void barrier_step(void)
{
    meet_outside();
    if (me == 0)
        await_asleep(1);
    hlrc_barrier();
    barrier_costs();
}

static void first_write_away(void)
{
    a[0] = ALL_BYTES;
}
static void first_write_at_default(void)
{
    b[0] = ALL_BYTES;
}
static void first_read(void)
{
    expect_word(d[0], 0, "a new page");
}
static void ask_home(void)
{
    expect(hlrc_home((void *)(uintptr_t)e) == -1, "a new page has a home");
}

static void first_touches(void)
{
    step(1, first_write_away);
    want[1].write_faults++;
    want[1].first_write_faults++;
    want[1].homes_assigned++;
    if (async) {
        request(1, REQUEST + VECTOR);
        answer(0, WORD);
    } else {
        home_word(1, 0);
    }
    step(0, first_write_at_default);
    want[0].write_faults++;
    if (!async) { /* ASYNC opens its block, and asks nobody [page.unshared-block] */
        want[0].first_write_faults++;
        want[0].homes_assigned++;
        home_word(0, 0);
    }
    step(0, first_read);
    if (async) { /* ARDMAR: readable from the start */
        want[0].read_faults++;
        want[0].homes_assigned++;
        request(0, REQUEST + VECTOR);
        answer(1, WORD);
    }
    step(0, ask_home);
    if (async) {
        request(0, REQUEST);
        answer(1, ANSWER);
    } else {
        one_read(0, WORD);
    }
    barrier_step();
    notice(1, 1);
    want[0].invalidations++;
    if (!async) { /* ASYNC did not track node 0's page, of which nobody has a copy */
        notice(0, 1);
        want[1].invalidations++;
    }
}

static void read_a(void)
{
    expect_word(a[0], ALL_BYTES, "a");
}
static void read_b(void)
{
    expect_word(b[0], ALL_BYTES, "b");
}

static void fetches(void)
{
    step(0, read_a);
    want[0].read_faults++;
    fetch(0, false, 0, 1);
    step(1, read_b);
    want[1].read_faults++;
    fetch(1, false, 0, 1);
    if (async)
        want[0].homes_assigned++; /* node 0 had written b: now that somebody asks, it is the home */
    step(0, read_a);
    step(1, read_b);
}

static void three_bytes(void)
{
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)a;
    bytes[100] = bytes[200] = bytes[300] = 1;
    in_lock(LOCK_AT_0);
}

static void read_three(void)
{
    const volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)a;
    hlrc_lock(LOCK_AT_0);
    expect(bytes[100] == 1 && bytes[200] == 1 && bytes[300] == 1, "three bytes of a");
    hlrc_unlock(LOCK_AT_0);
}

static void take_back(void)
{
    in_lock(LOCK_AT_0);
}

/* Node 0 has changed so many runs of one byte of a page of node 1, under a lock. */
static void changed(unsigned runs)
{
    want[0].write_faults++;
    want[0].twins++;
    want[0].lock_acquires++;
    diff(0, runs, runs);
    notice(0, 1);
}

static void locks(void)
{
    step(0, three_bytes);
    changed(3);
    step(1, read_three); /* at the home: no fault */
    want[1].lock_acquires++;
    request(1, REQUEST);
    answer(0, ANSWER + VECTOR);
    step(0, take_back);
    want[0].lock_acquires++;
    request(0, REQUEST + VECTOR); /* as the manager, to the owner */
    answer(1, ANSWER + VECTOR);
    step(0, take_back); /* cached */
    want[0].lock_acquires++;
}

static void dirty_word(void)
{
    a[64] = ALL_BYTES;
}

static void home_writes(void)
{
    hlrc_lock(LOCK_AT_1);
    a[65] = ALL_BYTES;
    hlrc_unlock(LOCK_AT_1);
}

static void merge(void)
{
    hlrc_lock(LOCK_AT_1);
    expect_word(a[65], ALL_BYTES, "the word of node 1");
    expect_word(a[64], ALL_BYTES, "the own word");
    a[64] = 2 * ALL_BYTES;
    hlrc_unlock(LOCK_AT_1);
}

static void false_sharing(void)
{
    step(0, dirty_word);
    want[0].write_faults++;
    want[0].twins++;
    step(1, home_writes);
    want[1].lock_acquires++;
    want[1].write_faults++;
    notice(1, 1);
    step(0, merge);
    want[0].lock_acquires++;
    want[0].invalidations++;
    want[0].read_faults++;
    request(0, REQUEST);
    answer(1, ANSWER + VECTOR);
    fetch(0, true, 0, 2);
    diff(0, 1, 8);
    notice(0, 1);
}

static void try_away(void)
{
    expect(hlrc_trylock(LOCK_AT_1) == 0, "hlrc_trylock");
    expect_word(a[64], 2 * ALL_BYTES, "the word of node 0, at the home");
    hlrc_unlock(LOCK_AT_1);
}

static void add_one(void)
{
    hlrc_atomic_fetch_add(atomic_at_0, 1);
}
static void signal_nobody(void)
{
    hlrc_cond_signal(cond_at_1);
}

static void calls(void)
{
    step(1, try_away); /* the manager asks the owner, which answers the manager */
    want[1].lock_acquires++;
    request(1, REQUEST + VECTOR);
    request(0, REQUEST + VECTOR);
    want[0].wakes--;
    wakes_more[0]++;
    step(1, add_one);
    foreign_handle(1);
    if (async) {
        request(1, REQUEST);
        answer(0, ANSWER);
    } else {
        want[1].atomics++;
    }
    step(0, signal_nobody);
    foreign_handle(0);
    request(0, BULK + VECTOR);
    one_write(1, WORD);
}

static void home_writes_again(void)
{
    hlrc_lock(LOCK_AT_1);
    a[66] = ALL_BYTES;
    hlrc_unlock(LOCK_AT_1);
}

static void prefetch(void)
{
    in_lock(LOCK_AT_1);
    expect(hlrc_prefetch((void *)(uintptr_t)a, PAGE) == 0, "hlrc_prefetch");
    await_asleep(1);
    sleep_ms(5);
    expect(hlrc_prefetch((void *)(uintptr_t)a, PAGE) == 0, "hlrc_prefetch of what has arrived");
    expect_word(a[66], ALL_BYTES, "the word, prefetched");
}

static void touch_only(void)
{
    expect(hlrc_touch((void *)(uintptr_t)b, PAGE, 1) == 0, "hlrc_touch");
    b[0] = ALL_BYTES; /* what it was */
    in_lock(LOCK_AT_1_TOO);
}

static void hints(void)
{
    step(1, home_writes_again);
    want[1].lock_acquires++;
    want[1].write_faults++;
    notice(1, 1);
    step(0, prefetch);
    want[0].lock_acquires++;
    want[0].invalidations++;
    request(0, REQUEST);
    answer(1, ANSWER + VECTOR);
    fetch(0, true, 0, 2);
    step(1, touch_only); /* no change: no diff, no interval */
    want[1].lock_acquires++;
    want[1].twins++;
}

static void hundred_bytes(void)
{
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)a;
    for (unsigned i = 0; i < 100; i++)
        bytes[1000 + 2 * i] = 9;
    in_lock(LOCK_AT_0);
}

static void more_diffs(void)
{
    step(0, hundred_bytes);
    changed(100);
    barrier_step();
    barrier_step();
}

/* ---- comparing ---- */

static struct hlrc_stats stats_at_rest(void)
{
    await_rest();
    struct hlrc_stats s = stats();
    meet_outside();
    return s;
}

static void compare(const struct hlrc_stats *before, const struct hlrc_stats *after)
{
    char text[1024] = "";
    for (size_t i = 0; i < COUNTERS; i++) {
        uint64_t got = counter(after, i) - counter(before, i), low = counter(&want[me], i),
                 high = low;
        if (counters[i].at == offsetof(struct hlrc_stats, wakes))
            high += wakes_more[me];
        if (counters[i].moved == KERNELS)
            continue;
        if (got < low || got > high)
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s %ju, not %ju;",
                     counters[i].name, (uintmax_t)got, (uintmax_t)low);
    }
    meet_outside();
    expect(text[0] == '\0', "%s", text);
    meet_outside();
}

/* Two pages of each default home, next to each other. */
static void choose_pages(void)
{
    volatile uint64_t *page = shared_words(8 * PAGE_WORDS);
    if (default_home_of(engine_page_of((void *)(uintptr_t)page)) == 1)
        page += PAGE_WORDS;
    a = page;
    d = page + PAGE_WORDS;
    b = page + 2 * PAGE_WORDS;
    e = page + 3 * PAGE_WORDS;
    expect(default_home_of(engine_page_of((void *)(uintptr_t)b)) == 0 &&
               default_home_of(engine_page_of((void *)(uintptr_t)d)) == 1 &&
               default_home_of(engine_page_of((void *)(uintptr_t)a)) == 0 &&
               default_home_of(engine_page_of((void *)(uintptr_t)e)) == 1,
           "default homes do not alternate");
}

void litmus_run(void)
{
    meet_pids();
    choose_pages();
    atomic_at_0 = shared_atomic();
    if (me == 1)
        expect(hlrc_cond_create(&cond_at_1) == 0, "hlrc_cond_create");
    expect(hlrc_broadcast(&cond_at_1, sizeof cond_at_1, 1) == 0, "hlrc_broadcast");
    struct hlrc_stats before = stats_at_rest();
    first_touches();
    fetches();
    locks();
    false_sharing();
    calls();
    hints();
    more_diffs();
    struct hlrc_stats after = stats_at_rest();
    compare(&before, &after);
}
