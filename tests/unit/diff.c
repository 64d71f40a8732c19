/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diffs against an independent reference that works byte by byte. Every test runs once per
 * instruction set that this CPU has. The invariants are those of hlrc/memory/diff.h.
 *
 * A page under test lies at the end of a mapping that an inaccessible page follows, and the output
 * buffer likewise: an access beyond either ends the test.
 */
#include "hlrc/memory/diff.h"
#include "tests/unit/instructions.h"
#include "tests/unit/rng.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/mman.h>

struct pages {
    uint8_t *page;
    uint8_t *twin;
    uint8_t *other;
    uint8_t *out; /* DIFF_MAX bytes */
};

#ifdef HLRC_INSTRUMENTED
#    define ROUNDS(n) ((n) / 20)
#    define STEP      17 /* odd: all alignments occur */
#else
#    define ROUNDS(n) (n)
#    define STEP      1
#endif
static struct pages p;

static void fill_random(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)rng_next();
}

/* SIZE bytes that end where an inaccessible page begins; never freed. */
static uint8_t *guarded(size_t size)
{
    size_t room = (size + 4095) / 4096 * 4096;
    uint8_t *base = mmap(NULL, room + 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(base, MAP_FAILED);
    assert_int_equal(mprotect(base + 4096, room, PROT_READ | PROT_WRITE), 0);
    return base + 4096 + room - size;
}

static void change(size_t at)
{
    p.page[at] = (uint8_t)(p.page[at] + 1 + rng_next() % 255);
}

/* ---- The reference --------------------------------------------------------------------------- */

static size_t reference_changed(void)
{
    size_t n = 0;
    for (size_t i = 0; i < DIFF_PAGE; i++)
        n += p.page[i] != p.twin[i];
    return n;
}

static size_t reference_length(void)
{
    size_t runs = 0;
    for (size_t i = 0; i < DIFF_PAGE; i++)
        runs += p.page[i] != p.twin[i] && (i == 0 || p.page[i - 1] == p.twin[i - 1]);
    size_t index = 4 * runs < 512 ? 4 * runs : 512;
    return runs == 0 ? 0 : 4 + index + reference_changed();
}

/* On whatever it is applied: TARGET keeps its own bytes where the writer changed nothing. */
static void reference_apply(uint8_t *target)
{
    for (size_t i = 0; i < DIFF_PAGE; i++)
        if (p.page[i] != p.twin[i])
            target[i] = p.page[i];
}

static void check_list(const uint8_t *wire, size_t len)
{
    static struct fabric_run run[DIFF_RUNS_MOST];
    const void *from = NULL;
    uint32_t count = diff_list(wire, len, run, &from), k = 0; /* ascending, none longer */
    for (size_t i = 0, n; i < DIFF_PAGE; i += n ? n : 1) {
        for (n = 0; i + n < DIFF_PAGE && p.page[i + n] != p.twin[i + n]; n++)
            ;
        assert_true(n == 0 || (k < count && run[k].offset == i && run[k++].bytes == n));
        assert_memory_equal(from, p.page + i, n);
        from = (const uint8_t *)from + n;
    }
    assert_int_equal(k, count);
}

static void check_mask(const uint8_t *wire, size_t len)
{
    uint64_t of_diff[DIFF_MASK_WORDS], scanned[2][DIFF_MASK_WORDS];
    uint8_t twin[DIFF_PAGE];
    assert_true(diff_mask(wire, len, of_diff));
    assert_int_equal(diff_scan(p.page, p.twin, scanned[0]), len != 0);
    assert_int_equal(diff_track(p.page, memcpy(twin, p.twin, DIFF_PAGE), scanned[1]), len != 0);
    assert_memory_equal(twin, p.page, DIFF_PAGE);
    for (size_t i = 0; i < DIFF_PAGE; i++)
        assert_int_equal(of_diff[i / 64] >> i % 64 & 1, p.page[i] != p.twin[i]);
    assert_memory_equal(of_diff, scanned[0], sizeof of_diff);
    assert_memory_equal(of_diff, scanned[1], sizeof of_diff);
}

/* Encode p.page against p.twin, apply to a random page, compare everything with the reference. */
static void check_pair(void)
{
    uint8_t expected[DIFF_PAGE], page[DIFF_PAGE], twin[DIFF_PAGE];
    memcpy(page, p.page, DIFF_PAGE);
    memcpy(twin, p.twin, DIFF_PAGE);
    size_t len = diff_encode(p.page, p.twin, p.out);
    assert_int_equal(len, reference_length());
    assert_true(len <= DIFF_MAX);
    assert_int_equal(diff_changed_bytes(p.out, len), reference_changed());
    assert_memory_equal(p.page, page, DIFF_PAGE);
    assert_memory_equal(p.twin, twin, DIFF_PAGE);

    fill_random(p.other, DIFF_PAGE);
    memcpy(expected, p.other, DIFF_PAGE);
    reference_apply(expected);
    /* The diff ends where the accessible memory ends: reading past it is caught too. */
    uint8_t *wire = p.out + DIFF_MAX - len;
    memmove(wire, p.out, len);
    assert_int_equal(diff_apply(p.other, wire, len), 0);
    assert_memory_equal(p.other, expected, DIFF_PAGE);
    check_list(wire, len);
    check_mask(wire, len);
}

/* ---- Encoding and applying ------------------------------------------------------------------- */

static void test_unchanged(void)
{
    fill_random(p.page, DIFF_PAGE);
    memcpy(p.twin, p.page, DIFF_PAGE);
    assert_int_equal(diff_encode(p.page, p.twin, p.out), 0);
    memcpy(p.other, p.page, DIFF_PAGE);
    assert_int_equal(diff_apply(p.other, p.out, 0), 0);
    assert_memory_equal(p.other, p.page, DIFF_PAGE);
    assert_int_equal(diff_changed_bytes(p.out, 0), 0);
}

static void test_each_byte_alone(void)
{
    fill_random(p.page, DIFF_PAGE);
    for (size_t at = 0; at < DIFF_PAGE; at += STEP) {
        memcpy(p.twin, p.page, DIFF_PAGE);
        change(at);
        check_pair();
    }
}

/* One run of every length, at the begin of the page, at its end, and somewhere between. */
static void test_each_run_length(void)
{
    fill_random(p.page, DIFF_PAGE);
    for (size_t length = 1; length <= DIFF_PAGE; length += STEP) {
        size_t last = DIFF_PAGE - length;
        const size_t begins[] = { 0, last, rng_next() % (last + 1) };
        for (size_t k = 0; k < 3; k++) {
            memcpy(p.twin, p.page, DIFF_PAGE);
            for (size_t i = 0; i < length; i++)
                change(begins[k] + i);
            check_pair();
        }
    }
}

/*
 * Every period and phase: alternating bytes, changed words, unchanged single bytes, ... around the
 * change of form.
 */
static void test_periodic(void)
{
    fill_random(p.page, DIFF_PAGE);
    for (size_t period = 2; period <= 80; period++) {
        for (size_t width = 1; width < period; width += 1 + width / 4) {
            memcpy(p.twin, p.page, DIFF_PAGE);
            for (size_t at = 0; at < DIFF_PAGE; at++)
                if (at % period < width)
                    change(at);
            check_pair();
        }
    }
}

/* The longest encoding: 127 to 130 runs that cover all they can. */
static void test_largest(void)
{
    size_t largest = 0;
    fill_random(p.page, DIFF_PAGE);
    for (size_t gaps = 126; gaps <= 130; gaps++) {
        memcpy(p.twin, p.page, DIFF_PAGE);
        for (size_t at = 0; at < DIFF_PAGE; at++)
            if (at % 31 != 30 || at / 31 >= gaps)
                change(at);
        check_pair();
        largest = reference_length() > largest ? reference_length() : largest;
    }
    assert_true(largest > DIFF_MAX - 130 && largest <= DIFF_MAX);
}

static void test_random_density(void)
{
    for (int round = 0; round < ROUNDS(20000); round++) {
        uint64_t limit = rng_next() % 4 == 0 ? 256 : 1 + rng_next() % 256, sticky = rng_next() % 16;
        bool on = false;
        fill_random(p.twin, DIFF_PAGE);
        memcpy(p.page, p.twin, DIFF_PAGE);
        for (size_t at = 0; at < DIFF_PAGE; at++) {
            uint64_t r = rng_next();
            if ((r >> 32) % (sticky + 1) == 0)
                on = (r & 255) < limit / (1 + (uint64_t)round % 8);
            if (on)
                p.page[at] = (uint8_t)(r >> 16); /* may hit the old value */
        }
        check_pair();
    }
}

static void test_unaligned(void)
{
    uint8_t page[DIFF_PAGE + 8], twin[DIFF_PAGE + 8], out[DIFF_MAX + 8], back[DIFF_PAGE + 8];
    for (size_t shift = 1; shift < 8; shift++) {
        fill_random(twin, sizeof(twin));
        memcpy(page, twin, sizeof(page));
        memcpy(back, twin, sizeof(back));
        for (size_t at = shift; at < DIFF_PAGE + shift; at += 1 + rng_next() % (8 * shift))
            page[at]++;
        size_t len = diff_encode(page + shift, twin + shift, out + shift);
        assert_int_equal(diff_apply(back + shift, out + shift, len), 0);
        assert_memory_equal(back, page, sizeof(page));
        diff_merge(page + shift, twin + shift, back + shift);
        assert_memory_equal(back, page, sizeof(page));
    }
}

/*
 * Two nodes write disjoint bytes of one page: the order in which the home applies their diffs does
 * not matter.
 */
static void test_two_writers(void)
{
    static uint8_t first[DIFF_PAGE], second[DIFF_PAGE], both[DIFF_PAGE], out[2][DIFF_MAX];
    for (int round = 0; round < ROUNDS(3000); round++) {
        size_t stripe = round < 64 ? (size_t)round + 1 : 1 + rng_next() % 200;
        fill_random(p.twin, DIFF_PAGE);
        memcpy(first, p.twin, DIFF_PAGE);
        memcpy(second, p.twin, DIFF_PAGE);
        memcpy(both, p.twin, DIFF_PAGE);
        for (size_t at = 0; at < DIFF_PAGE; at++) {
            uint8_t value = (uint8_t)rng_next();
            both[at] = value;
            (at / stripe % 2 == 0 ? first : second)[at] = value;
        }
        size_t len[2] = { diff_encode(first, p.twin, out[0]), diff_encode(second, p.twin, out[1]) };
        for (int order = 0; order < 2; order++) {
            memcpy(p.page, p.twin, DIFF_PAGE);
            assert_int_equal(diff_apply(p.page, out[order], len[order]), 0);
            assert_int_equal(diff_apply(p.page, out[1 - order], len[1 - order]), 0);
            assert_memory_equal(p.page, both, DIFF_PAGE);
        }
    }
}

/* ---- [diff.exact-bytes]: nobody else's byte is written
 * ------------------------------------------------------- */

struct hammer {
    uint8_t *page;
    const uint8_t *foreign; /* 1: a byte of the diff, leave it alone */
    atomic_bool stop;
    size_t lost;
};

static uint8_t hammer_value(size_t at, unsigned turn)
{
    return (uint8_t)(at * 7 + turn * 13 + 1);
}

/*
 * A thread of the home: writes its bytes over and over, and finds that each still has what it wrote
 * last.
 */
static void *hammer_run(void *arg)
{
    struct hammer *h = arg;
    for (unsigned turn = 1; !atomic_load_explicit(&h->stop, memory_order_relaxed); turn++) {
        for (size_t at = 0; at < DIFF_PAGE; at++) {
            volatile uint8_t *byte = h->page + at;
            if (h->foreign[at])
                continue;
            h->lost += turn > 1 && *byte != hammer_value(at, turn - 1);
            *byte = hammer_value(at, turn);
        }
    }
    return NULL;
}

static void hammer_stripes(size_t stripe)
{
    static uint8_t foreign[DIFF_PAGE];
    struct hammer h = { .page = p.other, .foreign = foreign };
    pthread_t thread;

    memset(p.twin, 0, DIFF_PAGE);
    for (size_t at = 0; at < DIFF_PAGE; at++) {
        foreign[at] = at / stripe % 2 == 0;
        p.page[at] = foreign[at];
    }
    size_t len = diff_encode(p.page, p.twin, p.out);
    atomic_init(&h.stop, false);
    assert_int_equal(pthread_create(&thread, NULL, hammer_run, &h), 0);
    for (int i = 0; i < ROUNDS(20000); i++)
        assert_int_equal(diff_apply(p.other, p.out, len), 0);
    atomic_store(&h.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(h.lost, 0);
}

static void test_neighbours_keep_writing(void)
{
    static const size_t stripes[] = { 1, 3, 4, 7, 20, 33, 64, 100 };
    for (size_t i = 0; i < sizeof(stripes) / sizeof(stripes[0]); i++)
        hammer_stripes(stripes[i]);
}

/* ---- comparing what is written meanwhile ---- */

static void test_differs(void)
{
    fill_random(p.twin, DIFF_PAGE);
    memcpy(p.page, p.twin, DIFF_PAGE);
    assert_false(diff_differs(p.page, p.twin));
    for (size_t at = 0; at < DIFF_PAGE; at++) {
        p.page[at] ^= 0x10;
        assert_true(diff_differs(p.page, p.twin));
        p.page[at] ^= 0x10;
    }
    assert_false(diff_differs(p.page, p.twin));
}

static atomic_bool compared;

/* A byte at the front of the page differs from the twin, and does not, and does. */
static void *come_and_go(void *arg)
{
    volatile uint8_t *byte = p.page + 100;

    while (!atomic_load(&compared))
        *byte ^= 1;
    return arg;
}

/* Another one, further on, differs all the time. */
static void test_differs_while_written(void)
{
    pthread_t thread;
    int missed = 0;
    fill_random(p.twin, DIFF_PAGE);
    memcpy(p.page, p.twin, DIFF_PAGE);
    p.page[3000] ^= 1;
    atomic_store(&compared, false);
    assert_int_equal(pthread_create(&thread, NULL, come_and_go, NULL), 0);
    for (int i = 0; i < ROUNDS(1000000); i++)
        missed += !diff_differs(p.page, p.twin);
    atomic_store(&compared, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(missed, 0);
}

/* ---- Merging --------------------------------------------------------------------------------- */

static void test_merge(void)
{
    uint8_t expected[DIFF_PAGE];
    for (int round = 0; round < ROUNDS(5000); round++) {
        fill_random(p.twin, DIFF_PAGE);
        memcpy(p.page, p.twin, DIFF_PAGE);
        memcpy(p.other, p.twin, DIFF_PAGE);
        for (uint64_t n = rng_next() % 2048; n > 0; n--)
            change(rng_next() % DIFF_PAGE);
        for (uint64_t n = rng_next() % 2048; n > 0; n--)
            p.other[rng_next() % DIFF_PAGE]++;
        memcpy(expected, p.other, DIFF_PAGE);
        reference_apply(expected);
        diff_merge(p.page, p.twin, p.other);
        assert_memory_equal(p.page, expected, DIFF_PAGE);
        assert_memory_equal(p.twin, p.other, DIFF_PAGE);
    }
}

/* ---- malformed input --------------------------------------------------------------------- */

static void refused(const void *diff, size_t len)
{
    static uint8_t before[DIFF_PAGE];
    memcpy(before, p.page, DIFF_PAGE);
    /* At the very end of accessible memory. */
    uint8_t *wire = p.out + DIFF_MAX - len;
    memmove(wire, diff, len);
    assert_int_equal(diff_apply(p.page, wire, len), -EINVAL);
    assert_int_equal(diff_changed_bytes(wire, len), 0);
    assert_memory_equal(p.page, before, DIFF_PAGE);
}

static void refused_runs(unsigned count, const uint16_t *runs, size_t bytes)
{
    uint16_t wire[(DIFF_MAX + 1) / 2] = { 1, (uint16_t)count };

    memcpy(wire + 2, runs, 4 * count);
    refused(wire, 4 + 4 * count + bytes);
}

static void test_malformed(void)
{
    static const uint16_t no_form[] = { 0, 1, 0, 1, 7 }, bad_form[] = { 3, 1, 0, 1, 7 },
                          empty_runs[] = { 1, 0 };
    static const uint16_t cut[] = { 1, 2, 0, 4 };
    static uint16_t many[2 * 129];
    uint16_t bitmap[(DIFF_MAX + 1) / 2] = { 2, 0 };

    for (size_t len = 1; len <= sizeof(empty_runs); len++)
        refused(empty_runs, len);
    refused(no_form, 9);
    refused(bad_form, 9);
    refused_runs(1, (const uint16_t[]){ 4096, 1 }, 1);
    refused_runs(1, (const uint16_t[]){ 4095, 2 }, 2);
    refused_runs(1, (const uint16_t[]){ 65535, 65535 }, 1);
    refused_runs(1, (const uint16_t[]){ 10, 0 }, 0);
    refused_runs(1, (const uint16_t[]){ 0, 4 }, 3);
    refused_runs(1, (const uint16_t[]){ 0, 4 }, 5);
    refused_runs(2, (const uint16_t[]){ 8, 4, 0, 4 }, 8); /* descending */
    refused_runs(2, (const uint16_t[]){ 0, 4, 3, 4 }, 8); /* overlapping */
    refused_runs(2, (const uint16_t[]){ 0, 4, 4, 4 }, 8); /* no gap: one run, not two */
    refused(cut, sizeof(cut));                            /* the second run is missing */
    for (uint16_t i = 0; i < 129; i++)
        many[2 * i] = (uint16_t)(2 * i), many[2 * i + 1] = 1;
    refused_runs(129, many, 129);
    refused(bitmap, 4 + 512); /* says nothing changed */
    bitmap[1] = 1;
    refused(bitmap, 4 + 512 + 1); /* count without a bit */
    bitmap[2] = 3;
    refused(bitmap, 4 + 512 + 1); /* two bits, count 1 */
    bitmap[1] = 2;
    refused(bitmap, 4 + 512 + 1); /* a byte short */
    refused(bitmap, 4 + 512 + 3); /* a byte too many */
    refused(bitmap, 4 + 511);
}

/* Noise and valid diffs with a few bits flipped: refused, or within the page; the guard pages
 * tell. */
static void test_fuzz(void)
{
    unsigned taken = 0, turned_away = 0;
    uint64_t mask[DIFF_MASK_WORDS];
    for (int round = 0; round < ROUNDS(60000); round++) {
        size_t len = 1 + rng_next() % 700;
        if (round % 2 == 0) {
            memcpy(p.twin, p.page, DIFF_PAGE);
            for (uint64_t n = 1 + rng_next() % (round % 4 == 0 ? 20 : 600); n > 0; n--)
                change(rng_next() % DIFF_PAGE);
            len = diff_encode(p.page, p.twin, p.out);
            for (uint64_t n = rng_next() % 3; n > 0; n--)
                p.out[rng_next() % (len < 520 ? len : 520)] ^= (uint8_t)(1u << rng_next() % 8);
            len -= rng_next() % 8 == 0;
        } else {
            fill_random(p.out, len);
            p.out[0] = (uint8_t)(1 + rng_next() % 2);
            p.out[1] = 0;
            p.out[3] &= 1;
        }
        uint8_t *wire = p.out + DIFF_MAX - len;
        memmove(wire, p.out, len);
        size_t bytes = diff_changed_bytes(wire, len);
        int rc = diff_apply(p.other, wire, len);
        assert_int_equal(diff_mask(wire, len, mask), rc == 0);
        assert_true(rc == 0 ? bytes > 0 || len == 0 : rc == -EINVAL && bytes == 0);
        taken += rc == 0;
        turned_away += rc != 0;
    }
    assert_true(taken > ROUNDS(1000) && turned_away > ROUNDS(1000));
}

/* ---- The instruction sets -------------------------------------------------------------------- */

static void test_names(void)
{
    assert_int_equal(diff_use("z80"), -ENOENT);
    assert_int_equal(diff_use(NULL), 0);
    assert_int_equal(diff_use("portable"), 0);
    assert_string_equal(diff_in_use(), "portable");
}

/* All instruction sets make the same bytes: nodes need not have the same CPU. */
static void test_same_encoding(void)
{
    static const char *const names[] = { "avx2", "avx512" };
    static uint8_t other[DIFF_MAX];
    for (int round = 0; round < ROUNDS(2000); round++) {
        fill_random(p.twin, DIFF_PAGE);
        memcpy(p.page, p.twin, DIFF_PAGE);
        for (uint64_t n = rng_next() % 1000; n > 0; n--)
            change(rng_next() % DIFF_PAGE);
        assert_int_equal(diff_use("portable"), 0);
        size_t len = diff_encode(p.page, p.twin, p.out);
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            if (diff_use(names[i]) != 0)
                continue;
            assert_int_equal(diff_encode(p.page, p.twin, other), len);
            assert_memory_equal(other, p.out, len);
        }
    }
}

int main(void)
{
    struct unit_test tests[] = { TEST(test_unchanged),
                                 TEST(test_each_byte_alone),
                                 TEST(test_each_run_length),
                                 TEST(test_periodic),
                                 TEST(test_largest),
                                 TEST(test_random_density),
                                 TEST(test_unaligned),
                                 TEST(test_two_writers),
                                 TEST(test_neighbours_keep_writing),
                                 TEST(test_differs),
                                 TEST(test_differs_while_written),
                                 TEST(test_merge),
                                 TEST(test_malformed),
                                 TEST(test_fuzz) };
    struct unit_test common[] = { TEST(test_names), TEST(test_same_encoding) };

    p = (struct pages){ guarded(DIFF_PAGE), guarded(DIFF_PAGE), guarded(DIFF_PAGE),
                        guarded(DIFF_MAX) };
    rng_state = 1;
    int failed = instructions_each(tests, sizeof tests / sizeof *tests);
    failed += unit_group("all instruction sets", NULL, NULL, common, 2);
    return failed != 0;
}
