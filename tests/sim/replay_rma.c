/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replays of put and get, and of atomic words: sim/replay.h; of operations on words of shared
 * memory; of accumulate and of atomics in windows; of put and get of shared memory; of what an
 * adapter does at once. */
#include "tests/sim/replay_run.h"

/* A post, 4,096 bytes and a head at 1 byte a nanosecond, there and back. */
TEST(test_put)
{
    made_begin(&made, 2);
    made_put4(&made, 0, RECORD_PUT, 7000, 1, 4096, RECORD_AWAITED, 1);
    run(REPLAY_ARDMAR, &machine);
    expect(0, rdma_writes, 1);
    expect(0, messages, 0);
    assert_int_equal(ends_at(0), 7000 + 100 + 4096 + 64 + 1000 + 1000);
    end();
}

/* The node goes on: three of them take three posts. */
TEST(test_goes_on)
{
    made_begin(&made, 2);
    for (int i = 0; i < 3; i++)
        made_put4(&made, 0, i == 1 ? RECORD_GET : RECORD_PUT, 0, 1, 4096, RECORD_LEFT, 1);
    run(REPLAY_ARDMAR, &machine);
    expect(0, rdma_writes, 2);
    expect(0, rdma_reads, 1);
    assert_int_equal(ends_at(0), 300);
    end();
}

/* Of three puts, the last of which goes to node 2, those that were begun there by then. */
TEST(test_fence)
{
    static const struct {
        uint64_t at, since, puts;
    } fences[] = { { 0, 0, 3 }, { 2, 0, 2 }, { 2, 1, 2 }, { 2, 2, 1 }, { 2, 3, 0 }, { 3, 0, 3 } };

    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) {
        made_begin(&made, 3);
        for (uint64_t k = 0; k < 3; k++)
            made_put4(&made, 0, RECORD_PUT, 0, k == 2 ? 2 : 1, 4096, RECORD_LEFT, 1);
        made_put(&made, 0, RECORD_FENCE, 0, fences[i].at, fences[i].since);
        run(REPLAY_ARDMAR, &machine);
        uint64_t there = 100 + fences[i].puts * 4160 + 2000;
        assert_int_equal(ends_at(0), fences[i].puts == 0 ? 300 : there);
        end();
    }
}

/* The request of a head, the adapter, and the answer. */
TEST(test_get)
{
    made_begin(&made, 2);
    made_put4(&made, 0, RECORD_GET, 0, 1, 1000, RECORD_AWAITED, 1);
    run(REPLAY_ONESIDED, &machine);
    expect(0, rdma_reads, 1);
    assert_int_equal(ends_at(0), 100 + 64 + 1000 + 200 + 1000 + 64 + 1000);
    end();
}

/* Two pieces of 500 and, with the item that waits for them, a third one. */
TEST(test_pieces)
{
    for (int last = 0; last < 2; last++) {
        made_begin(&made, 2);
        made_put4(&made, 0, RECORD_PUT, 0, 1, 1000, RECORD_LATER, 2);
        made_put4(&made, 0, RECORD_PUT, 0, 1, last ? 4096 : 0, RECORD_AWAITED, (uint64_t)last);
        run(REPLAY_ARDMAR, &machine);
        expect(0, rdma_writes, 2 + last);
        assert_int_equal(ends_at(0), 100 + 2 * (500 + 64) + (last ? 4096 + 64 : 0) + 1000 + 1000);
        end();
    }
}

/* A block is asked for once, or three times; its values are read with the first try where reads
 * keep their order, and again behind the last. */
TEST(test_accumulate)
{
    for (int tries = 1; tries <= 3; tries += 2)
        for (int ordered = 0; ordered < 2; ordered++) {
            struct machine m = machine;
            m.reads_ordered = (uint64_t)ordered;
            made_begin(&made, 2);
            made_put4(&made, 0, RECORD_ACC, 0, 1, 800, 2 << 1, (uint64_t)tries);
            run(REPLAY_ASYNC, &m);
            expect(0, atomics, tries + 1);
            expect(0, rdma_reads, ordered && tries > 1 ? 4 : 2);
            expect(0, rdma_writes, 2);
            end();
        }
}

/* In time, what is left under way is not there when the node ends. */
TEST(test_accumulate_left)
{
    uint64_t ends[2];

    for (uint64_t left = 0; left < 2; left++) {
        made_begin(&made, 2);
        made_put4(&made, 0, RECORD_ACC, 0, 1, 800, 2 << 1 | left, 1);
        run(REPLAY_ARDMAR, &machine);
        expect(0, atomics, 2);
        expect(0, rdma_writes, 2);
        ends[left] = ends_at(0);
        end();
    }
    assert_true(ends[1] + 2000 <= ends[0]);
}

/* As many atomics as in the traced run, or a read. */
TEST(test_change)
{
    for (uint64_t atomics = 0; atomics < 3; atomics++) {
        made_begin(&made, 2);
        made_put(&made, 0, RECORD_RMW, 0, 1, atomics);
        run(REPLAY_ASYNC, &machine);
        expect(0, atomics, atomics);
        expect(0, rdma_reads, atomics == 0);
        expect(0, messages, 0);
        end();
    }
}

/* Node 0 has what three others want, four times each: how many times 10 us that takes. */
static uint64_t turns(enum record_kind kind, uint64_t at_once)
{
    struct machine m = machine;
    uint64_t last = 0;

    m.read_ns = m.atomic_ns = 10000;
    m.reads_at_once = at_once;
    made_begin(&made, 4);
    for (unsigned node = 1; node < 4; node++)
        if (kind == RECORD_GET)
            made_put4(&made, node, kind, 0, 0, (uint64_t)4 * 8, RECORD_AWAITED, 4);
        else
            made_put(&made, node, kind, 0, 0, 4);
    run(REPLAY_ARDMAR, &m);
    for (unsigned node = 1; node < 4; node++)
        last = ends_at(node) > last ? ends_at(node) : last;
    end();
    return last / 10000;
}

/* An atomic of a node comes behind the answer to the one before: of three there is always one that
 * waits. */
TEST(test_at_once)
{
    assert_int_equal(turns(RECORD_GET, 1), 12);
    assert_int_equal(turns(RECORD_GET, 2), 6);
    assert_int_equal(turns(RECORD_GET, 5), 3);
    assert_int_equal(turns(RECORD_GET, 12), 1);
    assert_int_equal(turns(RECORD_RMW, 1), 12);
    assert_int_equal(turns(RECORD_RMW, 12), 12);
}

/* rule 8: by the adapter, or by the handler of the node that has the word. */
TEST(test_atomic)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 2);
        made_put(&made, 0, RECORD_ATOMIC, 0, 1, 0);
        run((enum replay_protocol)protocol, &machine);
        expect(0, atomics, protocol != REPLAY_ASYNC);
        expect(0, messages, protocol == REPLAY_ASYNC);
        end();
    }
}

/* Node 1 is home; node 0 operates on a word, and announces it with an empty diff:
 * [word.announced]. */
TEST(test_word)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 2);
        wrote(1, 0, PAGE, 0, 0);
        meet();
        made_put(&made, 0, RECORD_WORD, 0, PAGE, 1);
        made_close(&made, 0, UINT64_MAX, 0, 0);
        meet();
        run((enum replay_protocol)protocol, &machine);
        expect(0, word_ops, 1);
        expect(0, write_faults, 0);
        expect(0, page_fetches, 1);
        expect(0, twins, 0);
        expect(0, diffs, 1);
        expect(0, diff_bytes, 0);
        expect(0, write_notices, 1);
        end();
    }
}

/* ---- put and get of shared memory ---- */

static void part(uint64_t page, uint64_t bytes, bool put)
{
    made_put3(&made, 0, RECORD_PART, 0, page, bytes, put);
}

/* Node 0 gets 100 bytes of a page of node 1's. The home, the version and the bytes are read; where
 * homes send pages, one is fetched, and stays closed. */
TEST(test_get_part)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ARDMAR; protocol++) {
        made_begin(&made, 2);
        wrote(1, 0, PAGE, 0, 0);
        meet();
        part(PAGE, 100, false);
        run((enum replay_protocol)protocol, &machine);
        expect(0, read_faults, 0);
        expect(0, page_fetches, protocol == REPLAY_ASYNC);
        expect(0, rdma_reads, protocol == REPLAY_ASYNC ? 0 : 3);
        expect(0, atomics, protocol == REPLAY_ARDMAR); /* [unshared.reader-mark] */
        assert_int_equal(replay_copy_of(&r.node[0], PAGE)->access, CLOSED);
        end();
    }
}

/* The second one finds the page, or its home, and nothing has to be introduced again. */
TEST(test_get_again)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ARDMAR; protocol++) {
        made_begin(&made, 2);
        wrote(1, 0, PAGE, 0, 0);
        meet();
        part(PAGE, 100, false);
        part(PAGE, 100, false);
        made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
        run((enum replay_protocol)protocol, &machine);
        expect(0, read_faults, 1);
        expect(0, page_fetches, 1);
        expect(0, atomics, protocol == REPLAY_ARDMAR);
        end();
    }
}

/* The bytes alone go, and the page is announced; or it is stored to, of which the diff has as many
 * bytes. */
TEST(test_put_part)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        bool stores = protocol == REPLAY_ASYNC;
        made_begin(&made, 2);
        wrote(1, 0, PAGE, 0, 0);
        meet();
        part(PAGE, 100, true);
        made_close(&made, 0, UINT64_MAX, 0, 0);
        meet();
        run((enum replay_protocol)protocol, &machine);
        expect(0, write_faults, stores);
        expect(0, page_fetches, stores);
        expect(0, twins, stores);
        expect(0, diffs, 1);
        expect(0, diff_bytes, stores ? 100 : 0);
        expect(0, write_notices, 1);
        end();
    }
}

/* What is dirty here is loaded and stored to: [part.stale-only]. */
TEST(test_part_of_dirty)
{
    made_begin(&made, 2);
    wrote(1, 0, PAGE, 0, 0);
    meet();
    made_put(&made, 0, RECORD_WRITE, 0, PAGE, 0);
    part(PAGE, 100, true);
    part(PAGE, 100, false);
    made_close(&made, 0, PAGE, 108, 100);
    meet();
    run(REPLAY_ARDMAR, &machine);
    expect(0, write_faults, 1);
    expect(0, read_faults, 0);
    expect(0, page_fetches, 1);
    expect(0, diff_bytes, 100);
    end();
}

/* [part.stale-only]: of eight pages that come whole, one is awaited, not eight. */
TEST(test_expect)
{
    uint64_t ends[2];

    for (int expects = 0; expects < 2; expects++) {
        made_begin(&made, 2);
        for (uint64_t p = PAGE; p < PAGE + 8; p++)
            made_put(&made, 1, RECORD_WRITE, 0, p, 0);
        made_close(&made, 1, PAGE, 0, 0);
        meet();
        if (expects)
            made_put(&made, 0, RECORD_EXPECT, 0, PAGE, 8);
        for (uint64_t p = PAGE; p < PAGE + 8; p++)
            part(p, 4096, false);
        run(REPLAY_ASYNC, &machine);
        expect(0, page_fetches, 8);
        expect(0, read_faults, 0);
        ends[expects] = ends_at(0);
        end();
    }
    assert_true(ends[1] + (uint64_t)7 * 2000 <= ends[0]);
}

TEST_MAIN(cmocka_unit_test(test_put), cmocka_unit_test(test_goes_on), cmocka_unit_test(test_fence),
          cmocka_unit_test(test_get), cmocka_unit_test(test_pieces),
          cmocka_unit_test(test_accumulate), cmocka_unit_test(test_accumulate_left),
          cmocka_unit_test(test_change), cmocka_unit_test(test_at_once),
          cmocka_unit_test(test_atomic), cmocka_unit_test(test_word),
          cmocka_unit_test(test_get_part), cmocka_unit_test(test_get_again),
          cmocka_unit_test(test_put_part), cmocka_unit_test(test_part_of_dirty),
          cmocka_unit_test(test_expect))
