/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notices that are read from their writer, without a network: one process is the writer, node 0,
 * while it publishes, and the reader, node 1, while it takes; two buffers are their control
 * windows. A read of the writer's window goes word by word, and the writer goes on between any two
 * of them. What the reader revokes is compared with a model: which pages were written in which
 * interval. The invariants are those of onesided/notices_read.c.
 */
#include "base/perturb.h"
#include "hlrc/core/engine.h"
#include "hlrc/layout.h"
#include "hlrc/memory/notices.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/stats.h"
#include "tests/unit/rng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES      10000u /* no multiple of a block */
#define INTERVALS  30000u
#define READS_MOST 20000u /* far more than one call needs */

static char *control[2];                            /* of the two nodes */
static unsigned char written[INTERVALS][PAGES / 8]; /* model: a bit per interval and page */
static uint64_t latest[PAGES];                      /* model: last interval with the page */
static uint64_t revoked[PAGES]; /* latest interval for which the reader revoked it */
static uint64_t published;      /* intervals so far */
static uint64_t taken;          /* up to this one the reader has taken them */
static unsigned reads, calls;
static unsigned reads_before; /* when the reader began to take */
static uint32_t goes_on;      /* the writer, between two words, once in so many; 0: never */
static uint32_t longest;      /* pages of an interval while it goes on */
static uint32_t looks;        /* the reader, amid a publication, once in so many; 0: never; */
static int looks_at;          /* at this point, negative: at any */

static void become(int node)
{
    engine.node = node;
    engine.control.base = control[node];
}

/* The writer's next interval: `count` pages from `first` on, `step` apart. */
static void publish(uint32_t first, uint32_t count, uint32_t step)
{
    static uint32_t pages[PAGES];
    uint32_t n = 0;
    int before = engine.node;

    become(0);
    assert_true(++published < INTERVALS);
    for (uint32_t p = first; n < count && p < PAGES; p += step) {
        pages[n++] = p;
        written[published][p / 8] |= (unsigned char)(1u << p % 8);
        latest[p] = published;
    }
    notices_by_read.publish(published, pages, n);
    become(before);
}

/* One in eight is of no pages. */
static void publish_any(uint32_t most)
{
    publish(rng(PAGES), rng(8) ? 1 + rng(most) : 0, 1 + rng(3));
}

/* ---- what lies below and beside ---- */

/* By words, from any of them on: nothing is promised of their order. */
static void read_window(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                        struct fabric_op *op)
{
    uint32_t words = (uint32_t)(len / 8), from = rng(words);

    (void)f, (void)win, (void)op;
    assert_int_equal(engine.node, 1);
    assert_int_equal(peer, 0);
    assert_true(len > 0 && len % 8 == 0 && off % 8 == 0 && off + len <= engine.at.end);
    assert_true(++reads - reads_before < READS_MOST);
    for (uint32_t i = 0; i < words; i++) {
        size_t at = (from + i) % words * 8;
        memcpy((char *)dst + at, control[0] + off + at, 8);
        if (goes_on && rng(goes_on) == 0)
            publish_any(longest);
    }
}

static void wait_nothing(struct fabric *f, struct fabric_op *op)
{
    (void)f, (void)op;
}

/* Each is one that the writer did publish. */
void __wrap_page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval);
void __wrap_page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval)
{
    assert_int_equal(writer, 0);
    assert_true(count > 0 && first < PAGES && count <= PAGES - first);
    assert_in_range(interval, 1, published);
    calls++;
    for (uint32_t p = first; p < first + count; p++) {
        assert_true(written[interval][p / 8] >> p % 8 & 1);
        if (revoked[p] < interval)
            revoked[p] = interval;
    }
}

/* How often the table was read. */
static unsigned overflows(void)
{
    return (unsigned)atomic_load(&stats_counters[STAT_LOG_OVERFLOWS]);
}

static void begin(void)
{
    static struct fabric fabric;

    fabric.ops.read = read_window;
    fabric.ops.wait = wait_nothing;
    engine.fabric = &fabric;
    engine.nodes = 2;
    engine.pages = PAGES;
    engine.config.notices = NOTICES_READ;
    layout_init(&engine.at, 2, PAGES, 16, 0);
    for (int n = 1; n >= 0; n--) {
        control[n] = mmap(NULL, engine.at.end, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_ptr_not_equal(control[n], MAP_FAILED);
        become(n);
        assert_int_equal(notices_by_read.init(), 0);
    }
    memset(written, 0, (published + 1) * sizeof written[0]);
    memset(latest, 0, sizeof latest);
    memset(revoked, 0, sizeof revoked);
    published = taken = 0;
    reads = calls = 0;
    atomic_store(&stats_counters[STAT_LOG_OVERFLOWS], 0);
    goes_on = looks = 0;
    looks_at = -1;
}

static void end(void)
{
    notices_by_read.end();
    for (int n = 0; n < 2; n++)
        munmap(control[n], engine.at.end);
}

/* Nothing up to this interval lacks. */
static void check_covered(uint64_t interval)
{
    for (uint32_t p = 0; p < PAGES; p++) {
        uint64_t i = latest[p] < interval ? latest[p] : interval;
        while (i > revoked[p] && !(written[i][p / 8] >> p % 8 & 1))
            i--;
        assert_true(i <= revoked[p]);
    }
}

static void take(uint64_t interval)
{
    become(1);
    reads_before = reads;
    notices_by_read.take(&(struct parts_notices_wanted){ 0, interval }, 1);
    taken = interval;
    check_covered(interval);
}

/* Where the writer may be late: in the middle of a publication. */
void __wrap_perturb_at(enum perturb_point at);
void __wrap_perturb_at(enum perturb_point at)
{
    uint64_t behind = published - 1 - taken;

    if (engine.node == 1 || !looks || behind == 0 || rng(looks) != 0 ||
        (looks_at >= 0 && looks_at != (int)at))
        return;
    assert_true(at == PERTURB_notice_tabled || at == PERTURB_notice_room ||
                at == PERTURB_notice_written);
    take(published - 1 - (rng(2) ? rng((uint32_t)behind) : 0));
    become(0);
}

static void check_all_revoked(void)
{
    assert_memory_equal(revoked, latest, sizeof revoked);
}

/* ---- the tests ---- */

static void an_interval_is_two_reads(void)
{
    for (int i = 1; i <= 3; i++) {
        publish(5, 10, 1);
        take(published);
        check_all_revoked();
        assert_int_equal(calls, i); /* neighbouring pages are one run, revoked in one call */
        assert_int_equal(reads, 2 * i);
    }
    assert_int_equal(overflows(), 0);
}

/* Of what is not asked for nothing is read to its end, nor needed. */
static void taken_up_to_an_interval(void)
{
    for (int i = 0; i < 10; i++)
        publish((uint32_t)i * 100, 3, 2);
    take(5);
    for (int i = 0; i < 10; i++)
        assert_int_equal(revoked[i * 100], i < 5 ? i + 1 : 0);
    take(10);
    check_all_revoked();
    assert_int_equal(overflows(), 0);
}

/* The ring goes round many times, and the reader keeps up. */
static void the_ring_goes_round(void)
{
    rng_state = 12;
    for (int i = 0; i < 6000; i++) {
        publish_any(40);
        if (rng(8) == 0)
            take(published - rng(2) * rng((uint32_t)(published - taken)));
    }
    take(published);
    check_all_revoked();
    assert_int_equal(overflows(), 0);
}

/* [notices-read.oldest]: what the ring has lost is in the table, and the reader goes on behind
 * it. */
static void a_ring_that_went_on_loses_nothing(void)
{
    rng_state = 13;
    for (unsigned round = 1; round <= 5; round++) {
        for (int i = 0; i < 1500; i++)
            publish_any(12);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows(), round);
        publish_any(5);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows(), round);
    }
}

/* [notices-read.oldest]: of more runs than fit, and of as many as just do. */
static void an_interval_that_the_ring_cannot_hold(void)
{
    for (uint32_t runs = NOTICE_RING / 2 - 2; runs <= NOTICE_RING / 2 + 1; runs++) {
        unsigned before = overflows();
        publish(3, 1, 1);
        publish(1, runs, 2);
        take(published);
        assert_int_equal(overflows() - before, runs + 1 > NOTICE_RING / 2);
        publish(2, 2, 2);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows() - before, runs + 1 > NOTICE_RING / 2);
    }
    publish(0, PAGES, 2);
    publish(0, PAGES, 1);
    take(published);
    check_all_revoked();
}

/* ---- intervals of no pages [interval.own-time]: of a node that only reads, with --check races
 * ---- */

static void publish_empty(uint32_t times)
{
    while (times-- > 0)
        publish(0, 0, 1);
}

/* Each costs a word of the ring, two reads, and nothing is revoked for it. */
static void an_interval_of_no_pages(void)
{
    for (unsigned i = 1; i <= 3; i++) {
        publish_empty(1);
        take(published);
        assert_int_equal(reads, 4 * i - 2);
        assert_int_equal(calls, i - 1);
        publish(7 * i, 2, 1);
        take(published);
        check_all_revoked();
        assert_int_equal(reads, 4 * i);
        assert_int_equal(calls, i);
    }
    assert_int_equal(overflows(), 0);
}

/* So many in a row, taken at once, between intervals of pages. What the reader had taken to be
 * theirs is not applied a second time, nor for another interval. */
static void many_intervals_of_no_pages(void)
{
    static const uint32_t rows[] = { 1,
                                     2,
                                     30,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     510,
                                     511,
                                     512,
                                     513,
                                     514,
                                     1023,
                                     1024,
                                     1025,
                                     NOTICE_RING - 3,
                                     NOTICE_RING - 2 };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        unsigned before = calls;
        publish_empty(rows[k]);
        publish((uint32_t)k, 1, 1);
        take(published);
        check_all_revoked();
        assert_int_equal(calls, before + 1);
        publish_empty(rows[k]);
        take(published);
        assert_int_equal(calls, before + 1);
    }
    assert_int_equal(overflows(), 0);
}

/* At each place around the end of the ring: a row of up to `most` of them begins, and what comes
 * next is taken right, all at once or one after the other. */
static void no_pages_at_the_end_of_the_ring(void)
{
    const uint32_t most = 4;
    for (uint32_t place = NOTICE_RING - 6; place <= NOTICE_RING + 1; place++) {
        for (uint32_t row = 1; row <= most; row++) {
            for (int at_once = 0; at_once < 2; at_once++) {
                for (uint32_t left = place, words; left > 0; left -= words) {
                    words = left > 300 ? 256 : left;
                    publish(left, words - 1, 2);
                    take(published);
                }
                for (uint32_t i = 0; i < row; i++) {
                    publish_empty(1);
                    if (!at_once)
                        take(published);
                }
                publish(1000 + place, 2, 2);
                publish_empty(1);
                publish(2000 + place, 1, 1);
                if (!at_once)
                    take(published - 1);
                take(published);
                check_all_revoked();
                assert_int_equal(overflows(), 0);
                end();
                begin();
            }
        }
    }
}

/* [notices-read.oldest]: those that the ring has lost, before and after one that it has not; and
 * where the oldest record of the ring is one of them. The table knows none of them. */
static void lost_intervals_of_no_pages(void)
{
    for (unsigned round = 1; round <= 6; round++) {
        publish(50 * round, 3, 2);
        publish_empty(NOTICE_RING - 3 + round);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows(), round);
        publish_empty(round);
        publish(60 * round, 3, 2);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows(), round);
    }
}

/* [notices-read.oldest]: beside one that has more runs than the ring may hold. */
static void no_pages_beside_a_long_interval(void)
{
    for (unsigned round = 1; round <= 8; round++) {
        if (round & 1)
            publish_empty(round);
        publish(round, NOTICE_RING, 2);
        if (round & 2)
            publish_empty(2);
        if (round & 4)
            publish(round, 1, 1);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows(), round);
        publish_empty(1);
        publish(round + 1, 1, 1);
        take(published);
        check_all_revoked();
        assert_int_equal(overflows(), round);
    }
}

/* [notices-read.record-first], [notices-read.oldest]: the writer goes on between any two words that
 * the reader reads. */
static void the_writer_goes_on(void)
{
    static const uint32_t often[] = { 3, 30, 200, 2000 }, lengths[] = { 2, 30, 300, 9000 };

    for (uint32_t k = 0; k < 16; k++) {
        rng_state = 100 + k;
        longest = lengths[k / 4];
        while (published < INTERVALS / 6) {
            goes_on = 0;
            for (uint32_t n = rng(6); n > 0; n--)
                publish_any(longest);
            if (published == taken)
                continue;
            goes_on = often[k % 4] + longest / 8;
            take(published - rng(2) * rng((uint32_t)(published - taken)));
            if (rng(50) == 0)
                break;
        }
        goes_on = 0;
        take(published);
        check_all_revoked();
        end();
        begin();
    }
}

/* [notices-read.record-first], [notices-read.oldest]: the reader looks in the middle of
 * publications. It has come to where the ring begins when it looks rarely. */
static void the_reader_looks_meanwhile(void)
{
#ifndef HLRC_PERTURB
    skip();
#endif
    for (uint32_t k = 0; k < 8; k++) {
        rng_state = 200 + k;
        while (published < INTERVALS / 6) {
            looks = k < 4 ? 5 : 1500;
            publish_any(k % 2 ? 4 : 200);
        }
        looks = 0;
        take(published);
        check_all_revoked();
        end();
        begin();
    }
}

/* [notices-read.oldest]: its record is the oldest, and is written over while it looks. */
static void the_oldest_record(void)
{
#ifndef HLRC_PERTURB
    skip();
#endif
    for (uint32_t k = 0; k < 100; k++) {
        static const int points[] = { PERTURB_notice_tabled, PERTURB_notice_room,
                                      PERTURB_notice_written };
        rng_state = 300 + k;
        looks_at = points[k % 3];
        uint32_t runs = 1 + rng(30), room = NOTICE_RING;
        looks = 0;
        publish(rng(100), runs, 3);
        take(published); /* from here on the reader lacks */
        for (; room >= runs + 1; room -= runs + 1)
            publish(rng(100), runs, 3);
        looks = 1;
        publish(rng(100), 1 + rng(60), 2);
        looks = 0;
        take(published);
        check_all_revoked();
        end();
        begin();
    }
}

UNIT_MAIN(begin, end, TEST(an_interval_is_two_reads), TEST(taken_up_to_an_interval),
          TEST(the_ring_goes_round), TEST(a_ring_that_went_on_loses_nothing),
          TEST(an_interval_that_the_ring_cannot_hold), TEST(an_interval_of_no_pages),
          TEST(many_intervals_of_no_pages), TEST(no_pages_at_the_end_of_the_ring),
          TEST(lost_intervals_of_no_pages), TEST(no_pages_beside_a_long_interval),
          TEST(the_writer_goes_on), TEST(the_reader_looks_meanwhile), TEST(the_oldest_record))
