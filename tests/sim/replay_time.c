/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who serves what comes, who sleeps, and what that takes of CPUs (sim/replay.h), to the nanosecond,
 * on programs of a few items.
 */
#include "tests/sim/replay_run.h"

#define HOME_OF_THREE 48u /* a page of which node 0 is the default home: 48 / 16 mod 3 */

/* Handlers block; PREEMPT until one runs on a CPU that computes, SWITCH that this takes of it. */
static struct machine blocking(uint64_t cpus)
{
    struct machine m = machine;

    m.handler = 2;
    m.cpus = cpus;
    m.preempt_ns = 4000;
    m.switch_ns = 3000;
    return m;
}

/* Node 1 asks for a page of node 0, which computes for so long and waits itself then. */
static void ask(uint64_t time, const struct machine *m)
{
    made_begin(&made, 2);
    made_put(&made, 1, RECORD_READ, 10000, PAGE, 0);
    barrier(1, 0);
    barrier(0, time);
    run(REPLAY_ASYNC, m);
}

/* How long it waits for that. */
static sim_time served_after(uint64_t time, const struct machine *m)
{
    ask(time, m);
    sim_time spent = r.node[1].spent[0] / SIM_NS;
    end();
    return spent;
}

/* By node 0's thread if that waits already, or begins to before its handler is awake; else by the
 * handler, which takes 5,000 ns to wake. The request is there at some 13,150. */
TEST(test_who_waits_serves)
{
    const struct machine m = blocking(2);
    sim_time at_once = served_after(5000, &m), late = served_after(1000000, &m);

    assert_int_equal(late - at_once, 5000);
    assert_int_equal(served_after(13000, &m), at_once);
    assert_in_range(served_after(15000, &m) - at_once, 1500, 2500);
    assert_int_equal(served_after(16000, &m) - served_after(15000, &m), 1000);
    assert_int_equal(served_after(30000, &m), late);
}

/* On the only CPU of a node the handler runs after 4,000 ns, and the computation has lost 3,000,
 * and 400 for the message. */
TEST(test_preempts)
{
    const struct machine one = blocking(1), two = blocking(2);

    assert_int_equal(served_after(1000000, &one) - served_after(5000, &one), 4000);
    ask(1000000, &two);
    sim_time ends = r.node[0].ends;
    expect(1, wakes, 1);
    end();
    ask(1000000, &one);
    assert_int_equal((r.node[0].ends - ends) / SIM_NS, 3000 + 400);
    expect(1, wakes, 1);
    end();
}

static void ask_twice(uint64_t computes, uint64_t until, uint64_t switch_ns)
{
    struct machine m = blocking(1);

    m.switch_ns = switch_ns;
    made_begin(&made, 2);
    made_put(&made, 1, RECORD_READ, 10000, PAGE, 0);
    made_put(&made, 1, RECORD_READ, computes, PAGE + 1, 0);
    barrier(1, 0);
    barrier(0, until);
    run(REPLAY_ASYNC, &m);
}

static sim_time second_after(uint64_t computes, uint64_t until, uint64_t switch_ns)
{
    ask_twice(computes, until, switch_ns);
    sim_time spent = r.node[1].spent[0] / SIM_NS;
    end();
    return spent;
}

/* Node 0 begins to wait at 15,000 and serves the first request, for which its handler wakes at some
 * 17,150 to find nothing, and has the CPU until 29,150. The second comes at some 20,200. */
TEST(test_in_vain)
{
    assert_in_range(second_after(0, 15000, 12000) - second_after(0, 15000, 0), 8900, 9000);
    assert_int_equal(second_after(9000, 15000, 12000), second_after(9000, 15000, 0));
}

/* An arrival wakes no master that computes, and takes nothing of it. */
TEST(test_arrivals_are_quiet)
{
    const struct machine one = blocking(1);

    made_begin(&made, 2);
    barrier(1, 0);
    barrier(0, 1000000);
    run(REPLAY_ARDMAR, &one);
    sim_time ends = r.node[0].ends;
    expect(1, wakes, 0);
    expect(0, wakes, 0);
    end();
    made_begin(&made, 2);
    barrier(1, 1000000);
    barrier(0, 1000000);
    run(REPLAY_ARDMAR, &one);
    assert_true(r.node[0].ends >= ends);
    end();
}

/* Node 1 waits at a barrier for node 0, which computes. */
static sim_time released_at(enum replay_protocol protocol, uint64_t computes, uint64_t spin_ns,
                            uint64_t notify_ns)
{
    struct machine m = blocking(1);
    sim_time ends;

    m.spin_ns = spin_ns;
    m.notify_ns = notify_ns;
    made_begin(&made, 2);
    barrier(1, 0);
    barrier(0, computes);
    run(protocol, &m);
    expect(0, wakes, spin_ns != 0 && spin_ns < computes);
    ends = ends_at(1);
    end();
    return ends;
}

/* A thread that has waited for longer than it spins takes 5,000 ns to go on. */
TEST(test_sleeps)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        enum replay_protocol p = (enum replay_protocol)protocol;
        sim_time spinning = released_at(p, 1000000, 0, 0);
        assert_int_equal(released_at(p, 1000000, 100000, 0) - spinning, 5000);
        assert_int_equal(released_at(p, 1000000, 2000000, 0), spinning);
    }
}

/* Who wakes another one's handler is busy with that, and sees its answer no sooner. */
TEST(test_notifies)
{
    struct machine m = blocking(1), more = m;

    m.notify_ns = 50000;
    more.notify_ns = 60000;
    assert_int_equal(served_after(1000000, &more) - served_after(1000000, &m), 10000);
    assert_int_equal(served_after(5000, &more), served_after(5000, &m));
}

/* [replay-system.interrupts]: a thread that waits serves nothing, and an arrival wakes the handler
 * of a node that computes. */
TEST(test_interrupts)
{
    const struct machine one = blocking(1);
    sim_time polled = served_after(5000, &one), ends[2], waits[2];

    made_system.interrupts = true;
    waits[0] = served_after(5000, &one);
    waits[1] = served_after(1000000, &one);
    assert_int_equal(waits[0] - polled, 5000);
    assert_int_equal(waits[1] - polled, 4000);
    for (int i = 0; i < 2; i++) {
        made_system.interrupts = i == 1;
        made_begin(&made, 2);
        barrier(1, 0);
        barrier(0, 1000000);
        run(REPLAY_ARDMAR, &one);
        ends[i] = ends_at(0);
        end();
    }
    made_system = (struct replay_system){ 0 };
    assert_int_equal(ends[1] - ends[0], 3000 + 400);
}

/* Nodes 1 and 2 ask node 0 for a page at once, twice; it becomes the home by the first requests.
 * How long node I waits. */
static sim_time asked_by_two(unsigned i, uint64_t answer_ns)
{
    sim_time spent;

    made_system.answer_ns = answer_ns;
    made_begin(&made, 3);
    for (int k = 0; k < 2; k++) {
        wrote(0, 0, HOME_OF_THREE, 0, 0);
        for (unsigned n = 0; n < 3; n++)
            barrier(n, 0);
        for (unsigned n = 1; n < 3; n++)
            made_put(&made, n, RECORD_READ, 10000, HOME_OF_THREE, 0);
        for (unsigned n = 0; n < 3; n++)
            barrier(n, 100000);
    }
    run(REPLAY_ASYNC, &machine);
    spent = r.node[i].spent[0] / SIM_NS;
    end();
    made_system = (struct replay_system){ 0 };
    return spent;
}

/* [replay-system.answer]. Without it node 2's page waits for the link: 4,160 ns after the other's,
 * and its request 400 ns. */
TEST(test_answers)
{
    assert_int_equal(asked_by_two(1, 7000), asked_by_two(1, 0));
    assert_int_equal(asked_by_two(2, 7000), asked_by_two(2, 0) + 7000 - (4160 - 400));
}

/* Node 1 writes two pages that node 0 has the home of. */
static void write_two(void)
{
    made_begin(&made, 2);
    for (unsigned i = 0; i < 2; i++)
        made_put(&made, 0, RECORD_WRITE, 0, PAGE + i, 0);
    meet();
    for (unsigned i = 0; i < 2; i++)
        wrote(1, 1000, PAGE + i, 100, 100);
    meet();
    run(REPLAY_ASYNC, &machine);
}

TEST(test_single_diffs)
{
    uint64_t messages[2];

    for (int i = 0; i < 2; i++) {
        made_system.single_diffs = i == 1;
        write_two();
        expect(1, diffs, 2);
        messages[i] = r.node[1].count[RECORD_COUNT_messages];
        end();
    }
    made_system = (struct replay_system){ 0 };
    assert_int_equal(messages[1] - messages[0], 1);
}

/* [replay-system.reads]: node 1 sends no message. Node 2 reads a page from its home, node 0,
 * and the diff from node 1. */
TEST(test_reads)
{
    uint64_t reads[2], messages[2];

    for (int i = 0; i < 2; i++) {
        made_system.reads = i == 1;
        made_begin(&made, 3);
        for (int writer = 0; writer < 2; writer++) {
            wrote((unsigned)writer, 0, HOME_OF_THREE, writer == 0 ? 0 : 100, 100);
            for (unsigned n = 0; n < 3; n++)
                barrier(n, 1000);
        }
        made_put(&made, 2, RECORD_READ, 1000, HOME_OF_THREE, 0);
        run(REPLAY_ARDMAR, &machine);
        expect(1, diffs, 1);
        reads[i] = r.node[2].count[RECORD_COUNT_rdma_reads];
        messages[i] = r.node[1].count[RECORD_COUNT_messages];
        end();
    }
    made_system = (struct replay_system){ 0 };
    assert_int_equal(reads[1] - reads[0], 1);
    assert_int_equal(messages[0] - messages[1], 1);
}

/* When nodes 1 and 2 leave a barrier, whose end takes 4,160 ns on a link. */
static void left_at(bool multicast, sim_time ends[2])
{
    struct machine m = machine;

    m.gap_ns = 4160;
    made_system.multicast = multicast;
    made_begin(&made, 3);
    for (unsigned n = 0; n < 3; n++)
        barrier(n, 0);
    run(REPLAY_ARDMAR, &m);
    for (unsigned n = 0; n < 2; n++)
        ends[n] = ends_at(n + 1);
    end();
    made_system = (struct replay_system){ 0 };
}

TEST(test_multicast)
{
    sim_time ends[2];

    left_at(false, ends);
    assert_int_equal(ends[1] - ends[0], 4160);
    left_at(true, ends);
    assert_int_equal(ends[1], ends[0]);
}

/* Node 1 asks node 0 for a page while node 2's is on the way from there: how long it waits. */
static sim_time asked_late(bool levels)
{
    sim_time spent;

    made_system.levels = levels;
    made_begin(&made, 3);
    wrote(0, 0, HOME_OF_THREE, 0, 0);
    for (unsigned n = 0; n < 3; n++)
        barrier(n, 0);
    made_put(&made, 2, RECORD_READ, 10000, HOME_OF_THREE, 0);
    made_put(&made, 1, RECORD_LOCK, 12600, 0, 0); /* managed by node 0 */
    made_put(&made, 1, RECORD_UNLOCK, 0, 0, 0);
    for (unsigned n = 0; n < 3; n++)
        barrier(n, 100000);
    run(REPLAY_ASYNC, &machine);
    spent = r.node[1].spent[SPENT_LOCKS] / SIM_NS;
    end();
    made_system = (struct replay_system){ 0 };
    return spent;
}

/* [replay-system.levels] */
TEST(test_levels)
{
    assert_true(asked_late(true) + 1000 < asked_late(false));
}

/* Prefetches of 4 pages, one after the other. */
TEST(test_single_fetch)
{
    sim_time ends[2];

    for (int i = 0; i < 2; i++) {
        made_system.single_fetch = i == 1;
        made_begin(&made, 2);
        for (unsigned k = 0; k < 4; k++)
            made_put(&made, 0, RECORD_WRITE, 0, PAGE + k, 0);
        meet();
        meet();
        made_put(&made, 1, RECORD_PREFETCH, 0, PAGE, 4);
        run(REPLAY_ARDMAR, &machine);
        expect(1, page_fetches, 4);
        ends[i] = ends_at(1);
        end();
    }
    made_system = (struct replay_system){ 0 };
    assert_true(ends[1] > ends[0] + 3 * 2000); /* round trips */
}

/* Parts of 2004: what each changes of the machine and of the options. */
TEST(test_system_parts)
{
    struct run_options_choice c = { .named[RECORD_SET_renew] = true, .value[RECORD_SET_renew] = 5 };
    struct machine m = { .serve_ns = 13500 };
    struct replay_system s =
        replay_system_apply(replay_system_parse("posting,one-request,invalidate"), &m, &c,
                            (struct replay_system){ 0 });

    assert_int_equal(s.answer_ns, 24640 - 13500);
    assert_true(s.single_fetch && !s.interrupts && !s.single_diffs);
    assert_int_equal(m.reads_most, 1);
    assert_int_equal(m.handler, 0);
    assert_int_equal(c.value[RECORD_SET_renew], 5);
    assert_true(c.named[RECORD_SET_hot_pages] && !c.named[RECORD_SET_ahead]);
    replay_system_ideas(&s, "levels,reads");
    assert_true(s.reads && s.levels && !s.multicast);
    s = replay_system_apply(replay_system_parse("interrupt"), &m, &c, s);
    assert_true(s.reads && s.interrupts && !s.single_diffs);
    assert_int_equal(m.preempt_ns, 13200);
    assert_int_equal(replay_system_parse("all"), (1 << REPLAY_SYSTEM_COUNT) - 1);
}

/* From the departure of the last node from one barrier to that from another. */
TEST(test_between)
{
    made_begin(&made, 2);
    for (int i = 0; i < 3; i++) {
        barrier(0, 1000);
        barrier(1, 50000);
    }
    made_end(&made);
    assert_null(trace_read(&t, made.bytes, made.length));
    replay_run(&r, &t, &machine,
               &(struct replay_wish){ .protocol = REPLAY_ARDMAR, .between = { 1, 3 } });
    assert_in_range((r.between_at[1] - r.between_at[0]) / SIM_NS, 100000, 110000);
    end();
}

static sim_time touched_at(uint64_t protect_ns)
{
    struct machine m = machine;
    sim_time ends;

    m.protect_ns = protect_ns;
    made_begin(&made, 2);
    made_put3(&made, 0, RECORD_TOUCH, 0, PAGE, 8, 1);
    run(REPLAY_ARDMAR, &m);
    expect(0, homes_assigned, 8);
    ends = ends_at(0);
    end();
    return ends;
}

/* page.h page_touch: pages in a row are opened by one call. */
TEST(test_touch_opens_a_run)
{
    assert_int_equal(touched_at(1500) - touched_at(500), 1000);
}

TEST_MAIN(cmocka_unit_test(test_who_waits_serves), cmocka_unit_test(test_preempts),
          cmocka_unit_test(test_in_vain), cmocka_unit_test(test_arrivals_are_quiet),
          cmocka_unit_test(test_sleeps), cmocka_unit_test(test_notifies),
          cmocka_unit_test(test_interrupts), cmocka_unit_test(test_answers),
          cmocka_unit_test(test_single_diffs), cmocka_unit_test(test_reads),
          cmocka_unit_test(test_multicast), cmocka_unit_test(test_levels),
          cmocka_unit_test(test_single_fetch), cmocka_unit_test(test_system_parts),
          cmocka_unit_test(test_between), cmocka_unit_test(test_touch_opens_a_run))
