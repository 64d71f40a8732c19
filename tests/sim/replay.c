/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replays of programs that the test writes by hand, item by item: what every node counts is known
 * beforehand, from the rules of the runtime (page.h, exclusive.h, lock.h, barrier.h by the numbers
 * that are cited), and so are times where one thing follows the other (sim/replay.h).
 */
#include "tests/sim/replay_run.h"

/* Node 1 writes, all meet, node 0 reads: by each protocol one claim, one notice, one fetch. */
static void write_and_read(enum replay_protocol protocol)
{
    made_begin(&made, 2);
    wrote(1, 0, PAGE, 0, 0);
    meet();
    made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
    run(protocol, &machine);
    expect(1, write_faults, 1);
    expect(1, homes_assigned, 1);
    expect(1, write_notices, 1);
    expect(0, invalidations, 1);
    expect(0, read_faults, 1);
    expect(0, page_fetches, 1);
    expect(0, fetch_retries, 0);
}

TEST(test_ardmar)
{
    write_and_read(REPLAY_ARDMAR);
    expect(1, first_write_faults, 1);
    expect(1, twins, 0);    /* its home: [page.dirty-twin] */
    expect(1, messages, 1); /* its arrival */
    expect(0, messages, 0); /* the master's own, and a page that no handler serves */
    end();
}

TEST(test_async)
{
    write_and_read(REPLAY_ASYNC);
    /* the default home appoints who asks first: [pages-async.first-request] */
    expect(1, first_write_faults, 1);
    expect(1, messages, 2); /* for the page, and its arrival */
    expect(0, messages, 1); /* forwarded by itself, as the default home */
    end();
}

/* [pages-async.first-request]: the default home writes, by the fault that opens its block, and is
 * home when another node asks. */
TEST(test_default_home)
{
    made_begin(&made, 2);
    wrote(0, 0, PAGE, 0, 0);
    meet();
    made_put(&made, 1, RECORD_READ, 0, PAGE, 0);
    run(REPLAY_ASYNC, &machine);
    expect(0, write_faults, 1);
    expect(0, homes_assigned, 1);
    expect(1, homes_assigned, 0);
    expect(1, page_fetches, 1);
    expect(1, read_faults, 1);
    end();
}

/* A writer away from the home: twin, diff, and a home that needs it [interval.applied-last]. */
TEST(test_diff)
{
    made_begin(&made, 2);
    wrote(1, 0, PAGE, 0, 0);
    meet();
    wrote(0, 0, PAGE, 100, 24);
    meet();
    made_put(&made, 1, RECORD_READ, 0, PAGE, 0);
    run(REPLAY_ARDMAR, &machine);
    expect(0, page_fetches, 1);
    expect(0, write_faults, 1);
    expect(0, twins, 1);
    expect(0, diffs, 1);
    expect(0, diff_bytes, 24);
    expect(0, messages, 1); /* the diff; it is the master */
    expect(1, page_fetches, 0);
    expect(1, read_faults, 0); /* applied before the notice: [need.dropped] */
    expect(1, invalidations, 0);
    end();
}

/* [unshared.announced-first]: a page that nobody reads is announced, then written without a trace,
 * until one reads it. */
TEST(test_exclusive)
{
    made_begin(&made, 2);
    for (int i = 0; i < 5; i++) {
        wrote(1, 0, PAGE, 0, 0);
        meet();
    }
    made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
    meet();
    meet();
    run(REPLAY_ARDMAR, &machine);
    expect(1, write_faults, 2); /* the second makes it exclusive */
    expect(1, exclusive_pages, 1);
    expect(0, page_fetches, 1);
    expect(1, write_notices, 2); /* and once more since a reader came: [unshared.new-readers] */
    expect(0, invalidations, 2);
    end();
}

/* [page.retained-twin]: a page that is written again and again stays writable, and needs no further
 * fault. */
TEST(test_hot)
{
    made_begin(&made, 2);
    wrote(0, 0, PAGE, 0, 0);
    meet();
    for (int i = 0; i < 4; i++) {
        wrote(1, 0, PAGE, 40, 8);
        meet();
    }
    run(REPLAY_ARDMAR, &machine);
    expect(1, write_faults, 2); /* sealed once, kept from then on */
    expect(1, twins, 2);
    expect(1, hot_pages, 3);
    expect(1, diffs, 4);
    end();
}

/* [lock.one-node], [lock.flush-first]: a lock of node 1's goes to node 0 and back, with what was
 * written under it. */
TEST(test_lock)
{
    made_begin(&made, 2);
    made_put(&made, 0, RECORD_LOCK, 0, 1, 0);
    wrote(0, 0, PAGE, 0, 0);
    made_put(&made, 0, RECORD_UNLOCK, 0, 1, 0);
    made_put(&made, 0, RECORD_LOCK, 0, 1, 0); /* still there: no message */
    made_put(&made, 0, RECORD_UNLOCK, 0, 1, 0);
    made_put(&made, 1, RECORD_LOCK, 1000000, 1, 0);
    made_put(&made, 1, RECORD_READ, 0, PAGE, 0);
    made_put(&made, 1, RECORD_UNLOCK, 0, 1, 0);
    run(REPLAY_ARDMAR, &machine);
    expect(0, lock_acquires, 2);
    expect(0, messages, 1); /* to the manager, who has the lock */
    expect(1, lock_acquires, 1);
    expect(1, messages, 1); /* the manager's to the last in the queue */
    expect(1, invalidations, 1);
    expect(1, page_fetches, 1);
    end();
}

/* Node 0 is told of what node 1 wrote, and not of what node 2 did; it never uses the page. */
TEST(test_copy_made_late)
{
    uint64_t *needs;

    made_begin(&made, 3);
    for (unsigned n = 1; n < 3; n++) {
        made_put(&made, n, RECORD_LOCK, 1000000 * n, n, 0);
        wrote(n, 0, PAGE, n == 1 ? 0 : 60, 12);
        made_put(&made, n, RECORD_UNLOCK, 0, n, 0);
    }
    made_put(&made, 0, RECORD_LOCK, 3000000, 1, 0);
    made_put(&made, 0, RECORD_UNLOCK, 0, 1, 0);
    run(REPLAY_ARDMAR, &machine);
    expect(2, diffs, 1);
    expect(0, invalidations, 1);
    needs = replay_copies_needs(&r);
    assert_int_equal(needs[0], 1);
    free(needs);
    assert_null(replay_copy_found(&r.node[0], PAGE));
    const struct replay_copy *c = replay_copy_of(&r.node[0], PAGE);
    assert_int_equal(c->access, CLOSED);
    assert_int_equal(c->need.count, 1);
    assert_int_equal(c->need.at[0].writer, 1);
    assert_int_equal(c->need.at[0].interval, 1);
    end();
}

/* What follows the one from the other, to the nanosecond. */
TEST(test_time)
{
    made_begin(&made, 2);
    made_put(&made, 1, RECORD_WRITE, 7000, PAGE, 0);
    made_put(&made, 1, RECORD_END, 3000, 0, 0);
    run(REPLAY_ARDMAR, &machine);
    /* computing, fault, post, request of 64 bytes, atomic, answer of 72, opening, computing */
    assert_int_equal(ends_at(1), 7000 + 2000 + 100 + (64 + 1000) + 300 + (72 + 1000) + 500 + 3000);
    end();
}

TEST(test_time_of_fault)
{
    made_begin(&made, 2);
    made.set[RECORD_SET_fault_units] = 1500; /* of the traced run, within its time */
    made_put(&made, 0, RECORD_WRITE, 7000, PAGE, 0);
    made_put(&made, 0, RECORD_WRITE, 0, PAGE + 1, 0);
    run(REPLAY_ASYNC, &machine); /* the default home's next store costs nothing */
    assert_int_equal(ends_at(0), 5500 + 2000);
    end();
}

/* ---- ONESIDED ---- */

TEST(test_onesided)
{
    write_and_read(REPLAY_ONESIDED);
    expect(1, messages, 0);
    expect(0, messages, 0);
    expect(0, rdma_reads, 4); /* the writer's ring, and how far that is; home word, page */
    expect(1, rdma_reads, 1); /* the home word: rule 7 */
    expect(0, atomics, 2);    /* the home word; the reader's mark: [unshared.reader-mark] */
    end();
}

/* [diffs-write.home-twin]: what another node wrote makes the home announce the page once more;
 * [diffs-write.visible]: nobody waits. */
TEST(test_others)
{
    made_begin(&made, 2);
    for (int i = 0; i < 3; i++) { /* kept from the second time on: [page.retained-twin] */
        wrote(0, 0, PAGE, 0, 0);
        meet();
        made_put(&made, 1, RECORD_READ, 0, PAGE, 0);
        meet();
    }
    wrote(1, 0, PAGE, 100, 24);
    meet();
    meet();
    run(REPLAY_ONESIDED, &machine);
    expect(1, diffs, 1);
    expect(1, diff_bytes, 24);
    expect(1, fetch_retries, 0);
    expect(0, fetch_retries, 0);
    assert_true(r.node[0].count[RECORD_COUNT_hot_pages] > 0);
    end();
}

/* [mcs.node-clear], [mcs.time-first], [lock.flush-first]: a lock that two nodes want goes from the
 * one to the other, with what was written under it; four nodes meet by counters:
 * [barrier-counter.epochs]. */
TEST(test_queue)
{
    made_begin(&made, 4);
    made.set[RECORD_SET_barrier_fan] = 2;
    for (unsigned n = 0; n < 4; n++) {
        for (int i = 0; i < 5; i++) {
            made_put(&made, n, RECORD_LOCK, 100 * n, 1, 0);
            wrote(n, 50, PAGE, 60, 12);
            made_put(&made, n, RECORD_UNLOCK, 0, 1, 0);
        }
        barrier(n, 0);
    }
    run(REPLAY_ONESIDED, &machine);
    for (unsigned n = 0; n < 4; n++) {
        expect(n, lock_acquires, 5);
        expect(n, barriers, 1);
        expect(n, messages, 0);
        for (unsigned w = 0; w < 4; w++) {
            assert_true(r.node[n].vt[w] >= 5);
            assert_int_equal(r.node[n].vt[w], r.node[0].vt[w]);
        }
    }
    end();
}

/* ---- what a trace says of pages that no fault shows ---- */

static void ahead(unsigned node, uint64_t first, uint64_t count, uint64_t how)
{
    struct made_node *n = &made.node[node];
    const uint64_t arg[RECORD_ARGS] = { first, 1, count, how };

    n->stream_bytes =
        (size_t)(record_put(n->stream + n->stream_bytes, &n->page, RECORD_AHEAD, 0, arg) -
                 n->stream);
}

/* How many items of this kind the script of node 0 has, and whether the first was `used`. */
static unsigned count_ops(unsigned kind, bool *used)
{
    struct script s;
    const struct script_op *op;
    unsigned count = 0;

    made_end(&made);
    assert_null(trace_read(&t, made.bytes, made.length));
    script_open(&s, &t, 0);
    while ((op = script_next(&s)) != NULL)
        if (op->kind == kind && count++ == 0 && used != NULL)
            *used = op->used;
    assert_null(s.wrong);
    script_close(&s);
    trace_free(&t);
    return count;
}

/* Two faults in a row, and eight pages that follow. */
static bool stream_used(uint64_t next)
{
    bool used = false;

    made_begin(&made, 2);
    made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
    made_put(&made, 0, RECORD_READ, 0, PAGE + 1, 0);
    ahead(0, PAGE + 2, 8, 0);
    if (next != 0)
        made_put(&made, 0, RECORD_READ, 0, next, 0);
    assert_int_equal(count_ops(RECORD_AHEAD, &used), 1);
    return used;
}

TEST(test_streams)
{
    assert_false(stream_used(0));
    assert_true(stream_used(PAGE + 10));
    assert_true(stream_used(PAGE + 18)); /* those between were open: ahead.c */
    assert_false(stream_used(PAGE + 19));
    assert_false(stream_used(PAGE - 1));
}

/* Announced, exclusive, and announced again since a reader came. */
TEST(test_not_written)
{
    made_begin(&made, 2);
    wrote(0, 0, PAGE, 0, 0);
    barrier(0, 0);
    made_put(&made, 0, RECORD_WRITE, 0, PAGE, 0); /* the barrier finds nothing to close */
    barrier(0, 0);
    made_put(&made, 0, RECORD_LOOK, 0, PAGE + 5, 0);
    made_close(&made, 0, PAGE, 0, 0);
    barrier(0, 0);
    made_put(&made, 0, RECORD_WRITE, 0, PAGE, 0); /* tracked again */
    made_close(&made, 0, PAGE, 0, 0);
    barrier(0, 0);
    made_close(&made, 0, PAGE, 0, 0); /* and kept */
    barrier(0, 0);
    assert_int_equal(count_ops(SCRIPT_WROTE, NULL), 3);
    assert_int_equal(count_ops(SCRIPT_STORE, NULL), 1);
}

/* Of eight pages that got homes ahead, none of which the closing has, how many were stored to, if
 * the stream is next seen there. A later closing announces one to a reader. */
static unsigned claims_stored(uint64_t next)
{
    made_begin(&made, 2);
    made_put(&made, 0, RECORD_WRITE, 0, PAGE, 0);
    made_put(&made, 0, RECORD_WRITE, 0, PAGE + 1, 0);
    ahead(0, PAGE + 2, 8, RECORD_CLAIMS);
    ahead(0, PAGE + 2, 8, RECORD_STORES | RECORD_HOMES_HERE);
    if (next != 0)
        made_put(&made, 0, RECORD_WRITE, 0, next, 0);
    made_close(&made, 0, PAGE, 0, 0);
    barrier(0, 0);
    made_put(&made, 0, RECORD_LOOK, 0, PAGE + 20, 0);
    if (next != 0)
        made_close(&made, 0, PAGE + 5, 0, 0);
    barrier(0, 0);
    return count_ops(SCRIPT_STORE, NULL);
}

TEST(test_claims)
{
    assert_int_equal(claims_stored(PAGE + 10), 8);
    assert_int_equal(claims_stored(PAGE + 1), 1); /* not behind them; that closing is of a store */
    assert_int_equal(claims_stored(0), 0);
}

/* With ASYNC there are faults that the traced run had not, and streams of them. */
TEST(test_own_ahead)
{
    const uint64_t first = 992; /* to 1007: of node 0 by default */

    made_begin(&made, 2);
    for (uint64_t p = first; p < first + 16; p++)
        made_put(&made, 0, RECORD_WRITE, 0, p, 0);
    meet();
    for (uint64_t p = first; p < first + 16; p++)
        made_put(&made, 1, RECORD_READ, 0, p, 0);
    run(REPLAY_ASYNC, &machine);
    expect(0, write_faults, 1);
    expect(1, read_faults, 3); /* the first two, and behind the eight that were opened then */
    expect(1, page_fetches, 16);
    expect(1, ahead_pages, 24);
    end();
}

/* Four nodes, all orders of waiting: the same twice. */
static void many(void)
{
    made_begin(&made, 4);
    for (unsigned n = 0; n < 4; n++)
        for (uint64_t i = 0; i < 60; i++) {
            made_put(&made, n, RECORD_LOCK, 100 + 37 * n + i, i % 3, 0);
            wrote(n, 50, PAGE + i % 7, 60, 12);
            made_put(&made, n, RECORD_UNLOCK, 0, i % 3, 0);
            if (i % 10 == 9)
                barrier(n, 20);
        }
}

TEST(test_deterministic)
{
    static uint64_t first[4][RECORD_COUNTER_COUNT];
    sim_time ends[4];

    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        many();
        run((enum replay_protocol)protocol, &machine);
        uint64_t events = r.loop.done;
        for (unsigned n = 0; n < 4; n++) {
            memcpy(first[n], r.node[n].count, sizeof first[n]);
            ends[n] = r.node[n].ends;
            expect(n, lock_acquires, 60);
            expect(n, barriers, 6);
        }
        end();
        many();
        run((enum replay_protocol)protocol, &machine);
        assert_int_equal(r.loop.done, events);
        for (unsigned n = 0; n < 4; n++) {
            assert_memory_equal(first[n], r.node[n].count, sizeof first[n]);
            assert_int_equal(r.node[n].ends, ends[n]);
        }
        /* what goes out comes in (as of links, here of nodes) */
        assert_int_equal(
            r.node[0].count[RECORD_COUNT_bytes_out] + r.node[1].count[RECORD_COUNT_bytes_out] +
                r.node[2].count[RECORD_COUNT_bytes_out] + r.node[3].count[RECORD_COUNT_bytes_out],
            r.node[0].count[RECORD_COUNT_bytes_in] + r.node[1].count[RECORD_COUNT_bytes_in] +
                r.node[2].count[RECORD_COUNT_bytes_in] + r.node[3].count[RECORD_COUNT_bytes_in]);
        end();
    }
}

static sim_time ends_with(enum replay_protocol protocol, uint64_t clear_ns, uint64_t split_ns)
{
    struct machine m = machine;
    sim_time ends;

    m.clear_page_ns = clear_ns;
    m.split_ns = split_ns;
    made_begin(&made, 2);
    made_put(&made, 0, RECORD_READ, 0, PAGE + 1, 0);
    meet();
    made_put(&made, 1, RECORD_WRITE, 0, PAGE, 0);
    made_close(&made, 1, PAGE, 0, 0);
    meet();
    made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
    run(protocol, &m);
    ends = r.node[0].ends;
    end();
    return ends;
}

/* The default home opens a block, and closes a page of it, which comes to where it never was. */
TEST(test_paid_once)
{
    sim_time async = ends_with(REPLAY_ASYNC, 0, 0), ardmar = ends_with(REPLAY_ARDMAR, 0, 0);

    assert_int_equal(ends_with(REPLAY_ASYNC, 20000, 0) - async, 20 * SIM_US);
    assert_int_equal(ends_with(REPLAY_ASYNC, 0, 10000) - async, (sim_time)2 * 10 * SIM_US);
    assert_int_equal(ends_with(REPLAY_ARDMAR, 20000, 0) - ardmar, 20 * SIM_US);
    assert_int_equal(ends_with(REPLAY_ARDMAR, 0, 10000) - ardmar, 0);
}

TEST_MAIN(cmocka_unit_test(test_ardmar), cmocka_unit_test(test_async),
          cmocka_unit_test(test_default_home), cmocka_unit_test(test_diff),
          cmocka_unit_test(test_exclusive), cmocka_unit_test(test_hot), cmocka_unit_test(test_lock),
          cmocka_unit_test(test_copy_made_late), cmocka_unit_test(test_time),
          cmocka_unit_test(test_time_of_fault), cmocka_unit_test(test_deterministic),
          cmocka_unit_test(test_onesided), cmocka_unit_test(test_others),
          cmocka_unit_test(test_queue), cmocka_unit_test(test_streams),
          cmocka_unit_test(test_not_written), cmocka_unit_test(test_claims),
          cmocka_unit_test(test_own_ahead), cmocka_unit_test(test_paid_once))
