/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replays of condition variables: [cond.registered-first], [cond.signal-time]; which signal ends a
 * wait: sim/replay.h. */
#include "tests/sim/replay_run.h"

#define COND 1u /* its home is node 1 */
#define LOCK 1u

/* Node 0 waits, from that time on, for a signal of node 1's: NODE + 1 and its number. */
static void waits(uint64_t time, uint64_t node, uint64_t number)
{
    made_put(&made, 0, RECORD_LOCK, time, LOCK, 0);
    made_put(&made, 0, RECORD_WAIT, 0, COND, LOCK);
    made_put3(&made, 0, RECORD_WOKEN, 0, LOCK, node, number);
    made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
    made_put(&made, 0, RECORD_UNLOCK, 0, LOCK, 0);
}

/* Node 1 writes a page with the lock, and signals, for the so manieth time. */
static void signals(uint64_t time, uint64_t number)
{
    made_put(&made, 1, RECORD_LOCK, time, LOCK, 0);
    wrote(1, 0, PAGE, 0, 0);
    made_put3(&made, 1, RECORD_SIGNAL, 0, COND, 0, number);
    made_put(&made, 1, RECORD_UNLOCK, 0, LOCK, 0);
}

/* The wait is there first. */
static void wait_first(enum replay_protocol protocol)
{
    made_begin(&made, 2);
    waits(0, 2, 1);
    signals(1000000, 1);
    run(protocol, &machine);
    assert_in_range(ends_at(0), 1000000, 1100000);
    expect(0, page_fetches, 1);
}

TEST(test_wait)
{
    wait_first(REPLAY_ARDMAR);
    expect(0, lock_acquires, 1); /* that it has it again is not counted */
    expect(0, messages, 3);      /* for the lock, twice, and to be registered */
    expect(1, messages, 1);      /* as the manager, to the last in the queue: [lock.successor] */
    expect(0, invalidations, 1); /* [cond.signal-time] */
    end();
}

/* The signal is there first: what the program waited for is. */
TEST(test_late)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 2);
        waits(3000000, 2, 1);
        signals(0, 1);
        run((enum replay_protocol)protocol, &machine);
        assert_in_range(ends_at(0), 3000000, 3100000);
        expect(0, page_fetches, 1);
        end();
    }
}

/* Of two signals the one that ended it in the traced run; of which that is not known, at once. */
TEST(test_which)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++)
        for (uint64_t number = 0; number < 3; number++) {
            made_begin(&made, 2);
            waits(0, number > 0 ? 2 : 0, number);
            signals(1000000, 1);
            signals(1000000, 2);
            run((enum replay_protocol)protocol, &machine);
            assert_in_range(ends_at(0), 1000000 * number, 1000000 * number + 200000);
            end();
        }
}

/* By remote operations: the guard, the list and what it is released with. */
TEST(test_queue)
{
    wait_first(REPLAY_ONESIDED);
    for (unsigned n = 0; n < 2; n++)
        expect(n, messages, 0);
    /* lock, guard, and the home word: [mcs.node-clear], [conds-mcs.guarded], rule 7 */
    expect(1, atomics, 2 + 2 + 1);
    end();
}

TEST_MAIN(cmocka_unit_test(test_wait), cmocka_unit_test(test_late), cmocka_unit_test(test_which),
          cmocka_unit_test(test_queue))
