/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replays of groups and their barriers: sim/replay.h; of tries that failed; of mutexes of nodes. */
#include "tests/sim/replay_run.h"

#define GROUP 64u
#define LOCK  1u /* its manager, and home, is node 1 */

static void member_of(unsigned node, uint64_t group, const unsigned *members, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        made_put3(&made, node, RECORD_MEMBER, 0, group, members[i], count - 1 - i);
}

/* Three of four agree on a group and meet: who is not in it goes on alone, and the others go when
 * the last one is there. */
TEST(test_meet)
{
    static const unsigned members[] = { 3, 1, 2 };

    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 4);
        for (unsigned i = 0; i < 3; i++) {
            member_of(members[i], GROUP, members, 3);
            made_put(&made, members[i], RECORD_GROUP, members[i] == 2 ? 50000 : 0, GROUP, 0);
        }
        run((enum replay_protocol)protocol, &machine);
        for (unsigned node = 1; node < 4; node++) {
            expect(node, barriers, 1);
            expect(node, rdma_writes, 2 * 2 + (node == 1 ? 2 * 2 : 1));
            expect(node, atomics, 0);
            assert_true(ends_at(node) >= 50000);
        }
        expect(0, barriers, 0);
        assert_int_equal(ends_at(0), 0);
        end();
    }
}

/* Node 1 writes a page, and meets node 2 alone: node 2 learns of it, node 0 does not. */
TEST(test_acquire)
{
    static const unsigned members[] = { 1, 2 };

    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 4);
        wrote(1, 0, PAGE, 0, 0);
        for (unsigned i = 0; i < 2; i++) {
            member_of(members[i], GROUP, members, 2);
            made_put(&made, members[i], RECORD_GROUP, 0, GROUP, 0);
        }
        made_put(&made, 2, RECORD_READ, 0, PAGE, 0);
        run((enum replay_protocol)protocol, &machine);
        expect(1, write_notices, 1);
        expect(2, read_faults, 1);
        expect(2, page_fetches, 1);
        assert_int_equal(r.node[0].known, 0);
        end();
    }
}

/* [barrier-pairs.two-slots]: one after the other, each of which another member comes to last. */
TEST(test_ahead)
{
    static const unsigned members[] = { 0, 1, 2 };

    made_begin(&made, 4);
    for (unsigned node = 0; node < 3; node++) {
        member_of(node, GROUP, members, 3);
        for (int i = 0; i < 5; i++)
            made_put(&made, node, RECORD_GROUP, node == (unsigned)i % 3 ? 9000 : 0, GROUP, 0);
    }
    run(REPLAY_ARDMAR, &machine);
    for (unsigned node = 0; node < 3; node++) {
        expect(node, barriers, 5);
        assert_true(ends_at(node) >= 45000);
    }
    end();
}

/* Node 2 asks for what node 0 has: by its manager, node 1, and back the same way. */
TEST(test_busy)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        bool queue = protocol == REPLAY_ONESIDED;
        made_begin(&made, 4);
        made_put(&made, 0, RECORD_LOCK, 0, LOCK, 0);
        made_put(&made, 0, RECORD_UNLOCK, 90000, LOCK, 0);
        made_put(&made, 2, RECORD_BUSY, 30000, LOCK, 0);
        run((enum replay_protocol)protocol, &machine);
        expect(2, messages, !queue);
        expect(0, messages, queue ? 0 : 2); /* a request, and the outcome */
        expect(2, atomics, queue);
        expect(2, rdma_reads, queue);
        expect(2, lock_acquires, 0);
        assert_true(ends_at(2) < 50000);
        end();
    }
}

/* Nobody has it here; who comes later finds it where it was. */
TEST(test_busy_though_free)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 2);
        made_put(&made, 0, RECORD_BUSY, 0, LOCK, 0);
        made_put(&made, 1, RECORD_LOCK, 90000, LOCK, 0);
        made_put(&made, 1, RECORD_UNLOCK, 0, LOCK, 0);
        run((enum replay_protocol)protocol, &machine);
        expect(1, messages, 0); /* the manager has it */
        expect(1, lock_acquires, 1);
        end();
    }
}

/* Node 0 has mutex 5 of node 1 for 50 us, and node 2 waits for it; node 3's is another one. */
TEST(test_mutex)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        made_begin(&made, 4);
        for (unsigned node = 0; node < 4; node += node == 0 ? 2 : 1) {
            made_put(&made, node, RECORD_MUTEX, node == 0 ? 0 : 9000, 5, node == 3 ? 3 : 1);
            made_put(&made, node, RECORD_UNMUTEX, node == 0 ? 50000 : 0, 5, node == 3 ? 3 : 1);
        }
        run((enum replay_protocol)protocol, &machine);
        assert_true(ends_at(2) >= 50000 && ends_at(3) < 20000);
        expect(0, messages, 0);
        expect(0, rdma_writes, 1); /* a word to who is next */
        expect(2, atomics, 3);     /* compared, exchanged, let go */
        expect(3, atomics, 2);
        expect(2, rdma_reads, 0);
        end();
    }
}

TEST_MAIN(cmocka_unit_test(test_meet), cmocka_unit_test(test_acquire), cmocka_unit_test(test_ahead),
          cmocka_unit_test(test_busy), cmocka_unit_test(test_busy_though_free),
          cmocka_unit_test(test_mutex))
