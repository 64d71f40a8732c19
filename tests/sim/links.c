/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links of the simulator: times that were worked out by hand, and what goes in comes out. The
 * invariants are those of sim/link.h.
 */
#include "sim/link.h"
#include "sim/random.h"
#include "tests/sim/harness.h"

static struct event_loop loop;
static struct link link_;
static sim_time came[8];
static uint64_t arrived, arrived_bytes;

static void note(void *self, uint64_t arg)
{
    (void)self;
    came[arg] = loop.now;
}

static void begin(sim_time latency, uint64_t rate)
{
    event_loop_init(&loop);
    link_init(&link_, &loop, latency, rate);
}

static void end(void)
{
    event_loop_run(&loop);
    event_loop_free(&loop);
}

static void send_ten(void *self, uint64_t arg)
{
    link_send(self, 10, note, NULL, arg);
}

/* 10 bytes at 1 GB/s are 10 ns, and 5 ns to the other end. The third begins when the link has been
 * free for a while. */
TEST(test_latency_and_rate)
{
    begin(5 * SIM_NS, 1000000000);
    assert_int_equal(link_send(&link_, 10, note, NULL, 0), 10 * SIM_NS);
    assert_int_equal(link_send(&link_, 30, note, NULL, 1), 40 * SIM_NS);
    event_at(&loop, 100 * SIM_NS, send_ten, &link_, 2);
    end();
    assert_int_equal(came[0], 15 * SIM_NS);
    assert_int_equal(came[1], 45 * SIM_NS);
    assert_int_equal(came[2], 115 * SIM_NS);
    assert_int_equal(link_.busy, 50 * SIM_NS);
}

/* At 3 GB/s a byte takes a third of a ns; 3,000,000 of them, one by one, are a ms. After a pause
 * nothing is left of the last one's rest. */
TEST(test_no_rounding)
{
    sim_time left = 0;

    begin(0, 3000000000);
    for (int i = 0; i < 3000000; i++)
        left = link_send(&link_, 1, note, NULL, 0);
    assert_int_equal(left, 1000 * SIM_US);
    link_send(&link_, 1, note, NULL, 0);
    event_at(&loop, 2000 * SIM_US, send_ten, &link_, 1);
    end();
    assert_int_equal(came[1], 2000 * SIM_US + 3333);
}

static void count(void *self, uint64_t bytes)
{
    (void)self;
    arrived++;
    arrived_bytes += bytes;
}

static struct sim_random chance;
static uint64_t sent, sent_bytes;

static void send_some(void *self, uint64_t left)
{
    uint64_t bytes = random_number_below(&chance, 5000);

    link_send(&link_, bytes, count, NULL, bytes);
    sent++;
    sent_bytes += bytes;
    if (left > 0)
        event_after(&loop, random_number_below(&chance, 4000000), send_some, self, left - 1);
}

/* At every moment, of messages of all lengths, with pauses and without; and no faster than the
 * rate. */
TEST(test_conservation)
{
    chance = (struct sim_random){ 3 };
    begin(300 * SIM_NS, 1234567890);
    for (int i = 0; i < 5; i++)
        event_at(&loop, 0, send_some, NULL, 2000);
    end();
    assert_int_equal(sent, 5 * 2001);
    assert_int_equal(arrived, sent);
    assert_int_equal(arrived_bytes, sent_bytes);
    assert_int_equal(link_.bytes, sent_bytes);
    assert_true((double)link_.busy >= (double)sent_bytes / 1234567890 * 1e12 - (double)sent);
    assert_true(link_.busy <= link_.free_at);
}

TEST_MAIN(cmocka_unit_test(test_latency_and_rate), cmocka_unit_test(test_no_rounding),
          cmocka_unit_test(test_conservation))
