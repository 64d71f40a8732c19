/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The format of --trace-sim (base/record.h), files of it, and what a script puts in (sim/script.h):
 * what is read is what was written, and what is no trace is refused whatever is in it.
 */
#include "sim/random.h"
#include "sim/script.h"
#include "tests/sim/harness.h"
#include "tests/sim/trace_make.h"

#include <stdlib.h>

#define ITEMS 20000
#define PAGES UINT64_C(1) << 31

static struct record_item items[ITEMS];
static unsigned char bytes[ITEMS * RECORD_LONGEST];
static struct sim_random chance = { 7 };
static struct made made;

/* Of any length, short ones as often as long ones. */
static uint64_t any_number(unsigned bits)
{
    return random_next(&chance) >> (64 - 1 - random_number_below(&chance, bits));
}

static void any_item(struct record_item *item)
{
    *item = (struct record_item){ .kind = (enum record_kind)random_number_below(&chance,
                                                                                RECORD_KIND_COUNT),
                                  .time = any_number(59) };
    for (int i = 0; record_args[item->kind][i] != '\0'; i++)
        item->arg[i] = record_args[item->kind][i] == 'p' ? any_number(31) : any_number(64);
}

static size_t write_items(void)
{
    unsigned char *at = bytes;
    uint64_t page = 0;

    for (size_t i = 0; i < ITEMS; i++) {
        unsigned char *before = at;
        any_item(&items[i]);
        at = record_put(at, &page, items[i].kind, items[i].time, items[i].arg);
        assert_true(at - before <= RECORD_LONGEST);
    }
    return (size_t)(at - bytes);
}

/* Items and bytes. */
TEST(test_round_trip)
{
    size_t length = write_items();
    struct record_reader r = { bytes, bytes + length, 0, PAGES };
    unsigned char again[RECORD_LONGEST];
    struct record_item got;
    uint64_t page = 0;

    for (size_t i = 0; i < ITEMS; i++) {
        const unsigned char *before = r.at;
        assert_int_equal(record_get(&r, &got), 1);
        assert_memory_equal(&got, &items[i], sizeof got);
        size_t took = (size_t)(record_put(again, &page, got.kind, got.time, got.arg) - again);
        assert_int_equal(took, r.at - before);
        assert_memory_equal(again, before, took);
    }
    assert_int_equal(record_get(&r, &got), 0);
}

/* Cut at each byte of an item, in memory that ends there. */
TEST(test_cut)
{
    struct record_item item, got;
    uint64_t page;

    for (int i = 0; i < 2000; i++) {
        any_item(&item);
        page = 0;
        size_t length = (size_t)(record_put(bytes, &page, item.kind, item.time, item.arg) - bytes);
        for (size_t cut = 1; cut < length; cut++) {
            unsigned char *part = malloc(cut);
            memcpy(part, bytes, cut);
            struct record_reader r = { part, part + cut, 0, PAGES };
            got.kind = RECORD_KIND_COUNT;
            assert_int_equal(record_get(&r, &got), -1);
            assert_int_equal(got.kind, RECORD_KIND_COUNT);
            free(part);
        }
    }
}

/* Any bytes end, and what is got from them is as it would have been written. */
TEST(test_any_bytes)
{
    unsigned char again[RECORD_LONGEST];
    struct record_item got;

    for (int round = 0; round < 20000; round++) {
        size_t length = random_number_below(&chance, 40);
        unsigned char *part = malloc(length + 1);
        for (size_t i = 0; i < length; i++)
            part[i] = (unsigned char)random_next(&chance);
        struct record_reader r = { part, part + length, 0, 1000 };
        uint64_t page = 0;
        const unsigned char *before = r.at;
        while (record_get(&r, &got) == 1) {
            size_t took = (size_t)(record_put(again, &page, got.kind, got.time, got.arg) - again);
            assert_int_equal(took, r.at - before);
            assert_memory_equal(again, before, took);
            assert_true(page < 1000);
            before = r.at;
        }
        free(part);
    }
}

TEST(test_limits)
{
    static const unsigned char most[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
    static const unsigned char more[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2 };
    static const unsigned char longer[] = { 0x80, 0 };
    uint64_t value = 0;
    struct record_reader r = { most, most + sizeof most, 0, 1 };

    assert_true(record_number(&r, &value));
    assert_int_equal(value, UINT64_MAX);
    r = (struct record_reader){ more, more + sizeof more, 0, 1 };
    assert_false(record_number(&r, &value));
    r = (struct record_reader){ longer, longer + sizeof longer, 0, 1 };
    assert_false(record_number(&r, &value)); /* written in one way alone */
    for (int64_t v = -3; v < 4; v++)
        assert_int_equal(record_unfold(record_fold(v)), v);
    assert_int_equal(record_unfold(record_fold(INT64_MIN)), INT64_MIN);
}

static void make_file(void)
{
    made_begin(&made, 2);
    made_put(&made, 0, RECORD_WRITE, 500, 100, 0);
    made_close(&made, 0, 101, 40, 7);
    made_put(&made, 0, RECORD_ARRIVE, 3, 1, 0);
    made_put(&made, 0, RECORD_DEPART, 0, 0, 0);
    made_put(&made, 0, RECORD_END, 9, 0, 0);
    made_put(&made, 1, RECORD_ARRIVE, 3, 1, 0);
    made_put(&made, 1, RECORD_DEPART, 0, 0, 0);
    made.node[1].count[RECORD_COUNT_read_faults] = 12;
    made_end(&made);
}

TEST(test_file)
{
    struct trace t;

    make_file();
    assert_null(trace_read(&t, made.bytes, made.length));
    assert_memory_equal(t.set, made.set, sizeof t.set);
    assert_int_equal(t.part[1].count[RECORD_COUNT_read_faults], 12);
    assert_int_equal(t.part[0].closing_count, 1);
    trace_free(&t);
}

/* Each prefix, and each byte changed. */
TEST(test_damage)
{
    struct trace t;

    make_file();
    for (size_t cut = 0; cut < made.length; cut++)
        assert_non_null(trace_read(&t, made.bytes, cut));
    for (size_t i = 0; i < made.length; i++) {
        made.bytes[i] ^= 0x10;
        assert_non_null(trace_read(&t, made.bytes, made.length));
        made.bytes[i] ^= 0x10;
    }
    assert_null(trace_read(&t, made.bytes, made.length));
    trace_free(&t);
    made.bytes[8]++;
    made.length -= 8;
    made_sign(&made);
    assert_non_null(strstr(trace_read(&t, made.bytes, made.length), "another version"));
}

/* Signed anew, whatever is in it: read without an error, or refused. */
TEST(test_signed_damage)
{
    struct trace t;
    struct script s;

    for (int round = 0; round < 5000; round++) {
        make_file();
        made.length -= 8;
        for (uint64_t k = random_number_below(&chance, 4) + 1; k > 0; k--)
            made.bytes[12 + random_number_below(&chance, made.length - 12)] =
                (unsigned char)random_next(&chance);
        made_sign(&made);
        if (trace_read(&t, made.bytes, made.length) != NULL)
            continue;
        for (unsigned n = 0; n < t.set[RECORD_SET_nodes]; n++) {
            script_open(&s, &t, n);
            for (int i = 0; i < 1000 && script_next(&s) != NULL; i++)
                ;
            script_close(&s);
        }
        trace_free(&t);
    }
}

static void expect(struct script *s, unsigned kind, uint64_t time, uint64_t arg)
{
    const struct script_op *op = script_next(s);

    assert_non_null(op);
    assert_int_equal(op->kind, kind);
    assert_int_equal(op->time, time);
    assert_int_equal(op->arg[0], arg);
}

TEST(test_script)
{
    struct trace t;
    struct script s;

    made_begin(&made, 2);
    made_put(&made, 0, RECORD_LOCK, 10, 3, 0);
    made_put(&made, 0, RECORD_WRITE, 500, 100, 0);
    made_close(&made, 0, 101, 40, 7); /* 100 was written as it was */
    made_put(&made, 0, RECORD_UNLOCK, 3, 3, 0);
    made_close(&made, 0, UINT64_MAX, 0, 0);
    made_put(&made, 0, RECORD_WRITE, 5, 200, 0);
    made_close(&made, 0, 200, 0, 0);
    made_put(&made, 0, RECORD_END, 9, 0, 0);
    made_end(&made);
    assert_null(trace_read(&t, made.bytes, made.length));
    script_open(&s, &t, 0);
    expect(&s, RECORD_LOCK, 10, 3);
    expect(&s, SCRIPT_STORE, 0, 101); /* behind the acquire, not at the fault of another page */
    expect(&s, RECORD_WRITE, 500, 100);
    expect(&s, SCRIPT_WROTE, 0, 101);
    expect(&s, RECORD_UNLOCK, 3, 3);
    expect(&s, RECORD_WRITE, 5, 200);
    expect(&s, SCRIPT_WROTE, 0, 200); /* no store beside its fault */
    expect(&s, RECORD_END, 9, 0);
    assert_null(script_next(&s));
    assert_null(s.wrong);
    script_close(&s);
    trace_free(&t);
}

/* Items that cannot follow each other: a second half without the first, a lock released twice, a
 * range of pages beyond the space. */
TEST(test_wrong_order)
{
    static const struct {
        struct {
            enum record_kind kind;
            uint64_t arg[RECORD_ARGS];
        } item[3];
        const char *wrong;
    } some[] = {
        { { { RECORD_DEPART, { 0 } } }, "half a barrier" },
        { { { RECORD_ARRIVE, { 0 } }, { RECORD_ARRIVE, { 0 } } }, "half a barrier" },
        { { { RECORD_ARRIVE, { 0 } }, { RECORD_DEPART, { 0 } }, { RECORD_DEPART, { 0 } } },
          "half a barrier" },
        { { { RECORD_WOKEN, { 0 } } }, "half a wait" },
        { { { RECORD_UNLOCK, { 3 } } }, "does not hold" },
        { { { RECORD_LOCK, { 3 } }, { RECORD_LOCK, { 3 } } }, "that it holds" },
        { { { RECORD_LOCK, { 3 } }, { RECORD_UNLOCK, { 4 } } }, "does not hold" },
        { { { RECORD_MUTEX, { 3, 1 } }, { RECORD_UNMUTEX, { 3, 0 } } }, "does not hold" },
        { { { RECORD_MUTEX, { 1024, 1 } } }, "beyond the highest" },
        { { { RECORD_TOUCH, { 65535, 2, 1 } } }, "beyond the space" },
        { { { RECORD_RESET, { 0, UINT64_MAX } } }, "beyond the space" },
    };

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct trace t;
        struct script s;
        made_begin(&made, 2);
        for (int k = 0; k < 3 && (k == 0 || some[i].item[k].kind != RECORD_END); k++)
            made_put3(&made, 0, some[i].item[k].kind, 1, some[i].item[k].arg[0],
                      some[i].item[k].arg[1], some[i].item[k].arg[2]);
        made_put(&made, 0, RECORD_END, 1, 0, 0);
        made_end(&made);
        assert_null(trace_read(&t, made.bytes, made.length));
        script_open(&s, &t, 0);
        while (script_next(&s) != NULL)
            ;
        assert_non_null(s.wrong);
        assert_non_null(strstr(s.wrong, some[i].wrong));
        script_close(&s);
        trace_free(&t);
    }
}

/* What a stream has opened ahead is stored to behind that. */
TEST(test_script_ahead)
{
    static const uint64_t run[RECORD_ARGS] = { 51, 1, 8, 1 };
    struct trace t;
    struct script s;
    struct made_node *n = &made.node[0];

    made_begin(&made, 2);
    made_put(&made, 0, RECORD_ARRIVE, 0, 0, 0);
    made_put(&made, 0, RECORD_DEPART, 10, 0, 0);
    made_put(&made, 0, RECORD_WRITE, 5, 50, 0);
    n->stream_bytes =
        (size_t)(record_put(n->stream + n->stream_bytes, &n->page, RECORD_AHEAD, 0, run) -
                 n->stream);
    made_close(&made, 0, 53, 0, 0);
    made_end(&made);
    assert_null(trace_read(&t, made.bytes, made.length));
    script_open(&s, &t, 0);
    expect(&s, RECORD_ARRIVE, 0, 0);
    expect(&s, RECORD_DEPART, 10, 0);
    expect(&s, RECORD_WRITE, 5, 50);
    expect(&s, RECORD_AHEAD, 0, 51);
    expect(&s, SCRIPT_STORE, 0, 53);
    expect(&s, SCRIPT_WROTE, 0, 53);
    script_close(&s);
    trace_free(&t);
}

TEST_MAIN(cmocka_unit_test(test_round_trip), cmocka_unit_test(test_cut),
          cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_limits),
          cmocka_unit_test(test_file), cmocka_unit_test(test_damage),
          cmocka_unit_test(test_signed_damage), cmocka_unit_test(test_script),
          cmocka_unit_test(test_wrong_order), cmocka_unit_test(test_script_ahead))
