/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be outstanding at a node fits into an adapter's receive queue: msg.h. */
#include <stdint.h>

#include "hlrc/core/engine.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/msg.h"
#include "tests/unit/unit.h"

#define RECEIVES 32767 /* max_srq_wr of widespread adapters */

static const uint32_t threads[] = { 1, 2, 4, 16, 39, 40, 64, 256, 1024 };

#define THREADS (sizeof threads / sizeof threads[0])

static uint32_t receives(int nodes, uint32_t t, uint32_t prefetches)
{
    return (uint32_t)nodes * msg_rx_depth(nodes, msg_token_count(t, prefetches));
}

/* All that fits is used, nothing more, within the limits; beyond them only the threads are to
 * blame. */
static void test_receives(void)
{
    for (int nodes = 2; nodes <= NODES_MAX; nodes++) {
        for (size_t i = 0; i < THREADS; i++) {
            uint32_t p = msg_prefetch_count(nodes, threads[i]);
            assert_in_range(p, 14, 1024);
            if (receives(nodes, threads[i], 14) > RECEIVES)
                assert_int_equal(p, 14);
            else
                assert_true(receives(nodes, threads[i], p) <= RECEIVES);
            if (p > 14 && p < 1024)
                assert_true(receives(nodes, threads[i], p + 1) > RECEIVES);
        }
    }
}

/* With the default of 64 threads: worked out by hand. 2 * (2 * 66 + 1 + p) + 64 = 330 + 2p. */
static void test_default(void)
{
    assert_int_equal(msg_prefetch_count(2, 64), 1024);
    /* 2520 receives for each; 2378 are wanted */
    assert_int_equal(msg_prefetch_count(13, 64), 1024);
    assert_int_equal(msg_prefetch_count(14, 64), 1005); /* 2340 */
    assert_int_equal(msg_prefetch_count(32, 64), 346);  /* 1023 */
    assert_int_equal(msg_prefetch_count(64, 64), 90);   /* 511 */
    /* from 65 nodes on rings of 32 slots: 298 + 2p */
    assert_int_equal(msg_prefetch_count(65, 64), 103); /* 504 */
    assert_int_equal(msg_prefetch_count(100, 64), 14); /* 327: with 326 it is enough */
    assert_int_equal(msg_prefetch_count(101, 64), 14); /* 324: with 326 it is too many */
    assert_true(receives(100, 64, msg_prefetch_count(100, 64)) <= RECEIVES);
    assert_true(receives(101, 64, msg_prefetch_count(101, 64)) > RECEIVES);
    assert_true(receives(128, 39, msg_prefetch_count(128, 39)) <= RECEIVES);
}

/* What the depth has to hold: requests of everybody's tokens, answers to one's own, bulk messages,
 * and two wakes of each thread. */
static void test_depth(void)
{
    for (int nodes = 2; nodes <= NODES_MAX; nodes++) {
        for (size_t i = 0; i < THREADS; i++) {
            uint32_t tokens = msg_token_count(threads[i], msg_prefetch_count(nodes, threads[i])),
                     n = (uint32_t)nodes;
            uint32_t wakes = (n - 1) * 2 * threads[i];
            assert_true((n - 1) * tokens + tokens + (n - 1) * bulk_slots(nodes) + wakes <=
                        n * msg_rx_depth(nodes, tokens));
        }
    }
}

UNIT_MAIN(NULL, NULL, TEST(test_receives), TEST(test_default), TEST(test_depth))
