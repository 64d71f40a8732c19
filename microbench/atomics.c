/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomics of the fabric, without a protocol: us per operation, samples of NET_BATCH operations.
 * For atomics of the runtime and its handlers see words.c.
 *
 *  fetch_add, cas_hit (the expected value matches), cas_miss, exchange
 *                one at a time, by node 0 on words of other nodes, which sleep. TARGETS (--sizes):
 *                number of words, used in turn, each on its own cache line, at nodes 1, 2, ...
 *  fetch_add_many, cas_miss_many
 *                the same, NET_BATCH in flight together
 *  fetch_add_all all nodes on one word of node 1, each one at a time, for at least 20 ms; node 0's
 *                time for one of its own operations
 *  target_one    all other nodes on one word of node 0, TARGET_EACH fetch-and-adds per node in a
 *                sample. Time from node 0's start signal until the last node has reported
 *                completion, per operation. One at a time, or NET_BATCH per node in flight
 *                together.
 *  target_sixteen  the same, each node on its own 16 words
 *                (Underwood et al., High Message Rate, NIC-Based Atomics, IV)
 *
 * The results of fetch_add and exchange, and the final values of all words, are checked.
 */
#include "microbench/net.h"

#include "base/limits.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST   256
#define COMMON ((size_t)MOST * 64) /* word shared by all nodes, at node 1 */
#define STOP   (COMMON + 64)       /* 1: node 0 is done */
#define BEGUN  (COMMON + 128)      /* at node 0: number of contending nodes */
#define TURN   (COMMON + 192)      /* next sample of target_*, or TURN_END */
#define DONE   (COMMON + 256)      /* at node 0: number of samples that nodes have completed */
#define WORDS  (COMMON + 320)      /* at node 0: one for all nodes, then EACH_WORDS per node */
#define SIZE   (WORDS + (1 + (size_t)NODES_MAX * EACH_WORDS) * 64)
#define SLICE  20000000 /* minimum ns of contention: nodes may share cores */

#define EACH_WORDS  16   /* per node, in target_sixteen */
#define TARGET_EACH 1000 /* per node, in a sample */

static uint64_t expected[MOST], wrong, added; /* added: by this node to the common word */
static size_t targets, next;                  /* node 0's words; counts their uses */

static int node_of(size_t word)
{
    return 1 + (int)(word % (size_t)(net.nodes - 1));
}

static size_t next_word(void)
{
    return next++ % targets;
}

/* ---- One at a time ---- */

static void fetch_add(void)
{
    size_t word = next_word();

    wrong += net_fetch_add(node_of(word), word * 64, 1) != expected[word]++;
}

/* Starts a compare-and-swap. */
static void start_cas(size_t word, uint64_t expect, uint64_t desired, uint64_t *old,
                      struct fabric_op *op)
{
    fabric_cas(net.fabric, node_of(word), net.window.id, word * 64, expect, desired, old, op);
}

static void cas(size_t word, uint64_t expect, uint64_t desired)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;

    start_cas(word, expect, desired, &old, &op);
    fabric_wait(net.fabric, &op);
    wrong += old != expected[word];
}

static void cas_hit(void)
{
    size_t word = next_word();

    cas(word, expected[word], expected[word] + 1);
    expected[word]++;
}

static void cas_miss(void)
{
    size_t word = next_word();

    cas(word, ~expected[word], 0);
}

static void exchange(void)
{
    size_t word = next_word();
    uint64_t old = fabric_exchange(net.fabric, node_of(word), net.window.id, word * 64,
                                   expected[word] + 1, expected[word]);

    wrong += old != expected[word]++;
}

/* ---- Many in flight ---- */

static void fetch_add_many(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old[NET_BATCH];

    for (size_t i = 0; i < NET_BATCH; i++) {
        size_t word = next_word();
        fabric_fetch_add(net.fabric, node_of(word), net.window.id, word * 64, 1, &old[i], &op);
        expected[word]++;
    }
    fabric_wait(net.fabric, &op);
}

static void cas_miss_many(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old[NET_BATCH];

    for (size_t i = 0; i < NET_BATCH; i++) {
        size_t word = next_word();
        start_cas(word, ~expected[word], 0, &old[i], &op);
    }
    fabric_wait(net.fabric, &op);
}

static const struct test {
    const char *name, *what;
    bench_operation *perform; /* by node 0 on its targets */
    size_t under_way;         /* operations of one call */
} tests[] = {
    { "fetch_add", "one at a time", fetch_add, 1 },
    { "cas_hit", "a compare-and-swap that finds what it expects", cas_hit, 1 },
    { "cas_miss", "a compare-and-swap that does not", cas_miss, 1 },
    { "exchange", "one at a time", exchange, 1 },
    { "fetch_add_many", "16 under way together", fetch_add_many, NET_BATCH },
    { "cas_miss_many", "16 under way together", cas_miss_many, NET_BATCH },
    { "fetch_add_all", "all nodes at one word", NULL, 1 },
    { "target_one", "all other nodes at one word of node 0", NULL, 1 },
    { "target_sixteen", "all other nodes at node 0, at 16 words each", NULL, 1 },
};

static const struct test *now;

static double batch_once(void)
{
    return bench_us_each(now->perform, NET_BATCH / now->under_way) / (double)now->under_way;
}

static void measure(size_t count)
{
    size_t nodes = (size_t)net.nodes - 1;

    targets = count;
    for (now = tests; now->perform != NULL; now++) {
        next = 0;
        bench_report(now->name, "us", batch_once,
                     bench_shape("targets %zu target_nodes %zu under_way %zu batch %d", targets,
                                 targets < nodes ? targets : nodes, now->under_way, NET_BATCH));
    }
}

static void check_words(void)
{
    for (size_t word = 0; word < MOST; word++)
        wrong += net_read_word(node_of(word), word * 64) != expected[word];
}

/* ---- All nodes on one word ---- */

static void add_common(void)
{
    (void)net_fetch_add(1, COMMON, 1);
    added++;
}

static double common_once(void)
{
    return bench_us_each(add_common, NET_BATCH);
}

static void measure_common(void)
{
    struct bench_series series = { .max = bench.repetitions };

    while (net_read_word(0, BEGUN) != (uint64_t)net.nodes - 1)
        sched_yield();
    (void)bench_warm_up(common_once);
    for (uint64_t start = bench_now();
         series.seen < bench.repetitions || bench_now() < start + SLICE;)
        bench_series_add(&series, common_once());
    struct bench_stat stat = bench_series_stat(&series);
    for (int node = 1; node < net.nodes; node++)
        net_write_word(node, STOP, 1);
    bench_result("fetch_add_all", "us",
                 bench_shape("targets 1 target_nodes 1 contending %d under_way 1 batch %d",
                             net.nodes, NET_BATCH),
                 &stat, NULL);
}

static void contend(void)
{
    const _Atomic uint64_t *stop = (_Atomic uint64_t *)(void *)(net.window.base + STOP);

    (void)net_fetch_add(0, BEGUN, 1);
    while (atomic_load_explicit(stop, memory_order_acquire) == 0)
        (void)common_once();
}

static void check_common(void)
{
    uint64_t *all = bench_memory(calloc((size_t)net.nodes, sizeof *all)), sum = 0;

    net_gather(added, all);
    for (int node = 0; node < net.nodes; node++)
        sum += all[node];
    free(all);
    if (net.node == 0)
        wrong += net_read_word(1, COMMON) != sum;
}

/* ---- All other nodes on words of node 0 ---- */

/* The word TURN: number of the sample, and how it is made. */
#define TURN_SIXTEEN  UINT64_C(1)
#define TURN_TOGETHER UINT64_C(2)
#define TURN_END      UINT64_C(4)
#define TURN_NEXT     UINT64_C(8)

static uint64_t how;           /* the flags of the next turns */
static uint64_t turns_made[2]; /* on one word, on sixteen */

static size_t target_word(uint64_t turn, int node, size_t i)
{
    size_t own = 1 + (size_t)(node - 1) * EACH_WORDS + i % EACH_WORDS;

    return WORDS + ((turn & TURN_SIXTEEN) != 0 ? own : 0) * 64;
}

static size_t together(uint64_t turn)
{
    return (turn & TURN_TOGETHER) != 0 ? NET_BATCH : 1;
}

static void take_turn(uint64_t turn)
{
    uint64_t old[NET_BATCH];
    struct fabric_op op = FABRIC_OP_INIT;

    for (size_t i = 0; i < TARGET_EACH;) {
        for (size_t k = 0; k < together(turn) && i < TARGET_EACH; k++, i++)
            fabric_fetch_add(net.fabric, 0, net.window.id, target_word(turn, net.node, i), 1,
                             &old[k], &op);
        fabric_wait(net.fabric, &op);
    }
    (void)net_fetch_add(0, DONE, 1);
}

/* Another node: takes turns until node 0 is done. */
static void take_turns(void)
{
    for (uint64_t turn = 0; (turn = net_await_change(TURN, turn)) != TURN_END;)
        take_turn(turn);
}

static void give_turn(uint64_t turn)
{
    for (int node = 1; node < net.nodes; node++)
        net_write_word(node, TURN, turn);
}

static double aimed_once(void)
{
    static uint64_t turns;
    uint64_t others = (uint64_t)net.nodes - 1, start = bench_now();

    turns_made[how & TURN_SIXTEEN]++;
    give_turn(++turns * TURN_NEXT | how);
    net_await_word(DONE, turns * others);
    return bench_us_since(start) / (double)(TARGET_EACH * others);
}

static void measure_aimed(const char *name, int words)
{
    bench_report(name, "us", aimed_once,
                 bench_shape("targets %d target_nodes 1 contending %d under_way %zu batch %d",
                             words, net.nodes - 1, together(how), TARGET_EACH));
}

/* Operations on word I of a node, in one turn. */
static uint64_t in_turn(size_t i)
{
    return (TARGET_EACH - i + EACH_WORDS - 1) / EACH_WORDS;
}

static void measure_targets(void)
{
    int others = net.nodes - 1;

    for (uint64_t flags = 0; flags <= TURN_TOGETHER; flags += TURN_TOGETHER) {
        how = flags;
        measure_aimed("target_one", 1);
        how = flags | TURN_SIXTEEN;
        measure_aimed("target_sixteen", EACH_WORDS * others);
    }
    give_turn(TURN_END);
    wrong += net_read_word(0, WORDS) != turns_made[0] * TARGET_EACH * (uint64_t)others;
    for (int node = 1; node < net.nodes; node++)
        for (size_t i = 0; i < EACH_WORDS; i++)
            wrong += net_read_word(0, target_word(TURN_SIXTEEN, node, i)) !=
                     turns_made[TURN_SIXTEEN] * in_turn(i);
}

/* ---- The program ---- */

static const struct bench_program program =
    BENCH_PROGRAM("Measure atomics of the fabric (HLRC_FABRIC); run it under hlrcrun -n 2 or more.",
                  tests, 50, 500, 0.5, BENCH_OPTION_SIZES("numbers of targets", 1, MOST, "1,16"),
                  BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, SIZE, 2, FABRIC_READ | FABRIC_ATOMICS);
    for (size_t i = 0; net.node == 0 && i < bench.sizes.count; i++)
        measure(bench.sizes.value[i]);
    if (net.node == 0)
        check_words();
    net_meet();
    if (net.node == 0 && bench_wants("fetch_add_all"))
        measure_common();
    else if (bench_wants("fetch_add_all"))
        contend();
    check_common();
    if (net.node == 0)
        measure_targets();
    else
        take_turns();
    net_close(wrong);
}
