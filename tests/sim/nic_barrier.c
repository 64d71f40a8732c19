/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Barriers at hosts and at adapters: as events they take what the paper's equations say, where all
 * come at once; trees by hand; and all numbers of nodes, at different times and several at once, in
 * which the model itself looks at its rules (sim/nic_barrier.h).
 */
#include "sim/nic_barrier.h"
#include "tests/sim/harness.h"

/* Prime, so that no sum is another one by chance. */
enum { S = 7 * SIM_NS, D = 11 * SIM_NS, N = 13 * SIM_NS, V = 17 * SIM_NS, R = 19 * SIM_NS };
enum { H = 23 * SIM_NS, W = 29 * SIM_NS };

static const struct nic_barrier_costs plain = { .send = S,
                                                .sdma = D,
                                                .network = N,
                                                .recv = V,
                                                .rdma = R,
                                                .hrecv = H,
                                                .busy = 100,
                                                .rate = 1000000000,
                                                .bytes = 0 };

static struct nic_barrier_config config(enum nic_barrier_algorithm algorithm, bool at_nic,
                                        unsigned nodes)
{
    return (struct nic_barrier_config){ .algorithm = algorithm,
                                        .at_nic = at_nic,
                                        .nodes = nodes,
                                        .dimension = 1,
                                        .groups = 1,
                                        .barriers = 1,
                                        .seed = 5,
                                        .costs = plain };
}

/* Equations 1 and 2, the latter as the text and figure 2 have it, to the ps. */
TEST(test_equations)
{
    unsigned rounds = 1;

    for (unsigned nodes = 2; nodes <= 1024; nodes *= 2, rounds++) {
        struct nic_barrier_config host = config(BARRIER_PE, false, nodes), nic = host;

        nic.at_nic = true;
        assert_int_equal(nic_barrier_run(&host).time, rounds * (S + D + N + V + R + H));
        assert_int_equal(nic_barrier_run(&nic).time, S + rounds * (N + V) + R + H);
        assert_true(nic_barrier_equation_host(&plain, nodes) == rounds * (S + D + N + V + R + H));
        assert_true(nic_barrier_equation_nic(&plain, nodes) == S + rounds * (N + V) + R + H);
        assert_true(nic_barrier_equation_printed(&plain, nodes) == S + rounds * (N + V + R + H));
        host.barriers = nic.barriers = 10; /* one after the other */
        assert_int_equal(nic_barrier_run(&host).time, 10 * rounds * (S + D + N + V + R + H));
        assert_int_equal(nic_barrier_run(&nic).time, 10 * (S + rounds * (N + V) + R + H));
    }
}

/* A split barrier: the adapter works on while the host computes C, and only seeing the end comes
 * after. A host hides no more than the way of its first message, as its next one needs its CPU. */
TEST(test_split)
{
    unsigned rounds = 1;

    for (unsigned nodes = 2; nodes <= 64; nodes *= 2, rounds++)
        for (sim_time c = 1 * SIM_NS; c < 1000 * SIM_NS; c *= 2) {
            struct nic_barrier_config host = config(BARRIER_PE, false, nodes), nic = host;
            sim_time first = D + N + V + R, all = rounds * (N + V) + R;

            host.compute = nic.compute = c;
            nic.at_nic = true;
            assert_int_equal(nic_barrier_run(&nic).time, S + (c > all ? c : all) + H);
            assert_int_equal(nic_barrier_run(&host).time,
                             S + (c > first ? c : first) + H + (rounds - 1) * (S + first + H));
        }
}

/* Two nodes: up, and down again. The root's adapter tells its host first, then the child. */
TEST(test_tree_of_two)
{
    struct nic_barrier_config cfg = config(BARRIER_GB, false, 2);

    assert_int_equal(nic_barrier_run(&cfg).time, 2 * (S + D + N + V + R + H));
    cfg.at_nic = true;
    cfg.costs.work = W;
    assert_int_equal(nic_barrier_run(&cfg).time, S + W + N + V + R + W + N + V + R + H);
    cfg.costs.busy = 0; /* the two do not wait for each other */
    assert_int_equal(nic_barrier_run(&cfg).time, S + W + N + V + W + N + V + R + H);
}

/* A root with three children, at the host: the last of three packets that come at once is there
 * when the adapter has taken three; it takes and brings one after the other, in the order in which
 * they came: V V V R R R. The CPU sees them meanwhile, and sends three, the last of which makes the
 * time. */
TEST(test_flat_tree)
{
    struct nic_barrier_config cfg = config(BARRIER_GB, false, 4);
    sim_time gathered = S + D + N + 3 * V + 3 * R + H;

    cfg.dimension = 3;
    cfg.costs.hrecv = H;
    /* H is more than R, so that the CPU is behind: it begins with the first, and takes three */
    gathered += 2 * (H - R);
    /* D is more than S: the adapter is behind, likewise */
    assert_int_equal(nic_barrier_run(&cfg).time, gathered + S + 3 * D + N + V + R + H);
}

/* A chain is the sum of its links. */
TEST(test_chain)
{
    struct nic_barrier_config cfg = config(BARRIER_GB, false, 9);

    assert_int_equal(nic_barrier_run(&cfg).time, 2 * 8 * (S + D + N + V + R + H));
}

/* A packet of 24 bytes at 1 GB/s takes 24 ns in each round; an acknowledgement takes the adapter
 * time, but not before what it acknowledges. */
TEST(test_bytes_and_acks)
{
    struct nic_barrier_config cfg = config(BARRIER_PE, false, 2);

    cfg.costs.bytes = 24;
    assert_int_equal(nic_barrier_run(&cfg).time, S + D + 24 * SIM_NS + N + V + R + H);
    cfg.costs.bytes = 0;
    sim_time without = nic_barrier_run(&cfg).time;
    cfg.costs.ack = W;
    assert_true(nic_barrier_run(&cfg).time >= without + W); /* until the last one is taken */
    cfg.at_nic = true;
    assert_int_equal(nic_barrier_run(&cfg).time, S + N + V + R + H); /* has none */
}

/* All are in before one is out, whatever the shape; each barrier ends, and is seen to end. */
TEST(test_all_shapes)
{
    for (unsigned nodes = 2; nodes <= 33; nodes++)
        for (unsigned shape = 0; shape < 16; shape++) {
            struct nic_barrier_config cfg = config(shape & 1, shape & 2, nodes);

            cfg.dimension = 1 + (nodes * 7 + shape) % (nodes - 1);
            cfg.compute = nodes % 4 * 20 * SIM_NS;
            cfg.skew = shape & 4 ? 500 * SIM_NS : 0;
            cfg.groups = shape & 8 ? 3 : 1;
            cfg.barriers = 12;
            cfg.costs.work = W;
            cfg.costs.ack = nodes % 2 * W;
            cfg.costs.busy = nodes % 3 * 50;
            struct nic_barrier_result r = nic_barrier_run(&cfg);

            assert_int_equal(r.last_in.count, cfg.groups * cfg.barriers);
            assert_true(r.last_in.least >= S + N + V);
            assert_true(r.time >= cfg.barriers * r.last_in.least);
            assert_true(cfg.skew == 0 || nodes < 3 || r.early > 0);
        }
}

TEST_MAIN(cmocka_unit_test(test_equations), cmocka_unit_test(test_split),
          cmocka_unit_test(test_tree_of_two), cmocka_unit_test(test_flat_tree),
          cmocka_unit_test(test_chain), cmocka_unit_test(test_bytes_and_acks),
          cmocka_unit_test(test_all_shapes))
