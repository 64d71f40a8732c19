/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: what costs nothing costs nothing, and the accounts balance. Reading again after a
 * barrier what nobody wrote takes no fault and no fetch; a barrier revokes what was written and no
 * more; bytes that leave arrive; the parts of the time add up to the whole.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

#include <string.h>

LITMUS("what costs nothing", 2, 3, 4)

#define PAGES   200u
#define WRITTEN 7u

static volatile uint64_t *data;

static void read_all(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], p < WRITTEN ? k : 0, "page %ju", (uintmax_t)p);
}

static void expect_nothing(const struct hlrc_stats *a, const struct hlrc_stats *b)
{
    expect_word(b->read_faults, a->read_faults, "the number of read faults");
    expect_word(b->write_faults, a->write_faults, "the number of write faults");
    expect_word(b->page_fetches, a->page_fetches, "the number of fetches");
    expect_word(b->invalidations, a->invalidations, "the number of revoked pages");
    expect_word(b->write_notices, a->write_notices, "the number of notices");
    expect_word(b->diffs, a->diffs, "the number of diffs");
    expect_word(b->twins, a->twins, "the number of twins");
}

static void read_again(void)
{
    read_all(0);
    hlrc_barrier();
    struct hlrc_stats before = stats();
    for (int k = 0; k < 10; k++) {
        hlrc_barrier();
        read_all(0);
        hlrc_lock(3);
        hlrc_unlock(3);
    }
    hlrc_barrier();
    struct hlrc_stats after = stats();
    expect_nothing(&before, &after);
    hlrc_barrier();
}

/* Of 200 cached pages seven are written by node 0: seven are revoked and fetched. */
static void only_what_was_written(uint64_t k)
{
    struct hlrc_stats before = stats();
    for (uint64_t p = 0; me == 0 && p < WRITTEN; p++)
        data[p * PAGE_WORDS] = k;
    hlrc_barrier();
    read_all(k);
    struct hlrc_stats after = stats();
    uint64_t revoked = me == 0 ? 0 : WRITTEN;
    expect_word(after.invalidations - before.invalidations, revoked, "the number of revoked pages");
    expect(after.read_faults - before.read_faults <= revoked, "%ju read faults",
           (uintmax_t)(after.read_faults - before.read_faults)); /* they are neighbours: ahead.h */
    expect_word(after.page_fetches - before.page_fetches, revoked, "the number of fetches");
    expect_word(after.write_notices - before.write_notices, me == 0 ? WRITTEN : 0,
                "the number of notices");
    hlrc_barrier();
}

/* At rest: nothing is under way, nobody is in the library. */
static struct hlrc_stats stats_at_rest(void)
{
    meet_outside();
    for (int n = 0; me == 0 && n < nodes; n++)
        if (n != me)
            await_asleep(n);
    meet_outside();
    sleep_ms(5);
    struct hlrc_stats s = stats();
    meet_outside();
    return s;
}

static void balance(void)
{
    struct hlrc_stats all[HLRC_MAX_NODES];
    uint64_t in = 0, out = 0;
    memset(all, 0, sizeof all);
    all[me] = stats_at_rest();
    for (int n = 0; n < nodes; n++)
        expect(hlrc_broadcast(&all[n], sizeof all[n], n) == 0, "hlrc_broadcast");
    for (int n = 0; n < nodes; n++) {
        in += all[n].bytes_in;
        out += all[n].bytes_out;
        expect(all[n].bytes_in > 0 && all[n].bytes_out > 0, "node %d counted no bytes", n);
    }
    expect_word(in, out, "the sum of bytes_in, against that of bytes_out,");
}

static void times(void)
{
    struct hlrc_stats s = stats();
    double sum = s.compute_s + s.page_s + s.lock_s + s.barrier_s + s.diff_s;
    expect(s.wall_s > 0 && sum > s.wall_s * 0.98 && sum < s.wall_s * 1.02,
           "the parts add up to %.6f s of %.6f s", sum, s.wall_s);
    expect(s.fault_s <= s.compute_s && s.handler_s >= 0 && s.barrier_s > 0,
           "fault %f, compute %f, handler %f, barrier %f", s.fault_s, s.compute_s, s.handler_s,
           s.barrier_s);
}

/* A caller that knows fewer fields gets those, and nothing behind them. */
static void short_struct(void)
{
    union {
        struct hlrc_stats s;
        unsigned char byte[sizeof(struct hlrc_stats)];
    } u;
    memset(&u, 0xaa, sizeof u);
    u.s.size = offsetof(struct hlrc_stats, twins);
    hlrc_stats_get(&u.s);
    for (size_t i = u.s.size; i < sizeof u; i++)
        expect(u.byte[i] == 0xaa, "hlrc_stats_get wrote behind the size given to it");
    expect(u.s.size == offsetof(struct hlrc_stats, twins) && u.s.wall_s > 0,
           "hlrc_stats_get of a short struct");
}

static void reset(void)
{
    hlrc_stats_reset();
    struct hlrc_stats s = stats();
    expect(s.barriers == 0 && s.lock_acquires == 0 && s.page_fetches == 0 && s.messages == 0,
           "counts after a reset");
    hlrc_barrier();
    s = stats();
    expect_word(s.barriers, 1, "the number of barriers since the reset");
}

/* Of a page that stays writable, or is opened ahead, it is announced whether or not it was written
 * [page.equal-twin]. */
LITMUS_SET(HOT_PAGES, "0")
LITMUS_SET(AHEAD, "0")

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    meet_pids();
    if (me == 0)
        place(data, PAGES * PAGE, 0);
    hlrc_barrier();
    read_again();
    for (uint64_t k = 1; k <= 3; k++)
        only_what_was_written(k);
    balance();
    times();
    short_struct();
    hlrc_barrier();
    reset();
}
