/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replays of put and get, and of atomic words: sim/replay.h RY10; of operations on words of shared
 * memory: RY11. */
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
    made_put3(&made, 0, RECORD_PUT, 7000, 1, 4096, 0);
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
        made_put3(&made, 0, i == 1 ? RECORD_GET : RECORD_PUT, 0, 1, 4096, 1);
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
    made_put3(&made, 0, RECORD_GET, 0, 1, 1000, 0);
    run(REPLAY_ONESIDED, &machine);
    expect(0, rdma_reads, 1);
    assert_int_equal(ends_at(0), 100 + 64 + 1000 + 200 + 1000 + 64 + 1000);
    end();
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
        cmocka_unit_test(test_put),    cmocka_unit_test(test_goes_on), cmocka_unit_test(test_get),
        cmocka_unit_test(test_atomic), cmocka_unit_test(test_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
