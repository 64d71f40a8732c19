/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replays of put and get, and of atomic words: sim/replay.h RY10; of accumulate and of atomics in
 * windows: RY14; of operations on words of shared memory: RY11. */
#include "tests/sim/replay_run.h"

static sim_time ends_at(unsigned node)
{
    return r.node[node].ends / SIM_NS;
}

/* A post, 4,096 bytes and a head at 1 byte a nanosecond, there and back. */
static void test_put(void **unused)
{
    (void)unused;
    made_begin(&made, 2);
    made_put4(&made, 0, RECORD_PUT, 7000, 1, 4096, RECORD_AWAITED, 1);
    run(REPLAY_ARDMAR, &machine);
    expect(0, rdma_writes, 1);
    expect(0, messages, 0);
    assert_int_equal(ends_at(0), 7000 + 100 + 4096 + 64 + 1000 + 1000);
    end();
}

/* The node goes on: three of them take three posts. */
static void test_goes_on(void **unused)
{
    (void)unused;
    made_begin(&made, 2);
    for (int i = 0; i < 3; i++)
        made_put4(&made, 0, i == 1 ? RECORD_GET : RECORD_PUT, 0, 1, 4096, RECORD_LEFT, 1);
    run(REPLAY_ARDMAR, &machine);
    expect(0, rdma_writes, 2);
    expect(0, rdma_reads, 1);
    assert_int_equal(ends_at(0), 300);
    end();
}

/* The request of a head, the adapter, and the answer. */
static void test_get(void **unused)
{
    (void)unused;
    made_begin(&made, 2);
    made_put4(&made, 0, RECORD_GET, 0, 1, 1000, RECORD_AWAITED, 1);
    run(REPLAY_ONESIDED, &machine);
    expect(0, rdma_reads, 1);
    assert_int_equal(ends_at(0), 100 + 64 + 1000 + 200 + 1000 + 64 + 1000);
    end();
}

/* Two pieces of 500 and, with the item that waits for them, a third one. */
static void test_pieces(void **unused)
{
    (void)unused;
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
static void test_accumulate(void **unused)
{
    (void)unused;
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

/* RA4: in time, what is left under way is not there when the node ends. */
static void test_accumulate_left(void **unused)
{
    uint64_t ends[2];

    (void)unused;
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
static void test_change(void **unused)
{
    (void)unused;
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

/* AT1: by the adapter, or by the handler of the node that has the word. */
static void test_atomic(void **unused)
{
    (void)unused;
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 2);
        made_put(&made, 0, RECORD_ATOMIC, 0, 1, 0);
        run((enum replay_protocol)protocol, &machine);
        expect(0, atomics, protocol != REPLAY_ASYNC);
        expect(0, messages, protocol == REPLAY_ASYNC);
        end();
    }
}

/* Node 1 is home; node 0 operates on a word, and announces it with an empty diff: WD4. */
static void test_word(void **unused)
{
    (void)unused;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_get),        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_accumulate), cmocka_unit_test(test_accumulate_left),
        cmocka_unit_test(test_change),     cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
