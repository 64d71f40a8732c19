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

struct targets {
    size_t count;
    size_t next; /* index of the next word of node 0's targets */
    void (*perform)(size_t word);
};

static int node_of(size_t word)
{
    return 1 + (int)(word % (size_t)(net.nodes - 1));
}

static size_t next(struct targets *t)
{
    return t->next++ % t->count;
}

/* ---- One at a time ---- */

static void fetch_add(size_t word)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;

    fabric_fetch_add(net.fabric, node_of(word), net.window.id, word * 64, 1, &old, &op);
    fabric_wait(net.fabric, &op);
    wrong += old != expected[word]++;
}

static void cas(size_t word, uint64_t expect, uint64_t desired)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;

    fabric_cas(net.fabric, node_of(word), net.window.id, word * 64, expect, desired, &old, &op);
    fabric_wait(net.fabric, &op);
    wrong += old != expected[word];
}

static void cas_hit(size_t word)
{
    cas(word, expected[word], expected[word] + 1);
    expected[word]++;
}

static void cas_miss(size_t word)
{
    cas(word, ~expected[word], 0);
}

static void exchange(size_t word)
{
    uint64_t old = fabric_exchange(net.fabric, node_of(word), net.window.id, word * 64,
                                   expected[word] + 1, expected[word]);

    wrong += old != expected[word]++;
}

static double batch_once(void *context)
{
    struct targets *t = context;
    uint64_t start = bench_now();

    for (int i = 0; i < NET_BATCH; i++)
        t->perform(next(t));
    return bench_us_since(start) / NET_BATCH;
}

/* ---- Many in flight ---- */

static double fetch_add_many_once(void *context)
{
    struct targets *t = context;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old[NET_BATCH], start = bench_now();

    for (size_t i = 0; i < NET_BATCH; i++) {
        size_t word = next(t);
        fabric_fetch_add(net.fabric, node_of(word), net.window.id, word * 64, 1, &old[i], &op);
        expected[word]++;
    }
    fabric_wait(net.fabric, &op);
    return bench_us_since(start) / NET_BATCH;
}

static double cas_miss_many_once(void *context)
{
    struct targets *t = context;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old[NET_BATCH], start = bench_now();

    for (size_t i = 0; i < NET_BATCH; i++) {
        size_t word = next(t);
        fabric_cas(net.fabric, node_of(word), net.window.id, word * 64, ~expected[word], 0, &old[i],
                   &op);
    }
    fabric_wait(net.fabric, &op);
    return bench_us_since(start) / NET_BATCH;
}

static const struct test {
    const char *name;
    bench_once *once;
    void (*perform)(size_t word); /* for batch_once */
} tests[] = {
    { "fetch_add", batch_once, fetch_add },
    { "cas_hit", batch_once, cas_hit },
    { "cas_miss", batch_once, cas_miss },
    { "exchange", batch_once, exchange },
    { "fetch_add_many", fetch_add_many_once, NULL },
    { "cas_miss_many", cas_miss_many_once, NULL },
};

static void measure(const struct test *test, size_t targets)
{
    struct targets t = { .count = targets, .perform = test->perform };
    size_t nodes = (size_t)net.nodes - 1;

    if (!bench_wants(test->name))
        return;
    struct bench_stat stat = bench_measure(test->once, &t);
    bench_result(test->name, "us",
                 BENCH_SHAPE({ "targets", (double)targets, NULL },
                             { "target_nodes", (double)(targets < nodes ? targets : nodes), NULL },
                             { "under_way", test->perform != NULL ? 1 : NET_BATCH, NULL },
                             { "batch", NET_BATCH, NULL }),
                 &stat);
}

static uint64_t word_now(int node, size_t offset)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t value = 0;

    fabric_read(net.fabric, node, net.window.id, offset, &value, sizeof value, &op);
    fabric_wait(net.fabric, &op);
    return value;
}

static void check_words(void)
{
    for (size_t word = 0; word < MOST; word++)
        wrong += word_now(node_of(word), word * 64) != expected[word];
}

/* ---- All nodes on one word ---- */

static double common_once(void *context)
{
    uint64_t start = bench_now();

    (void)context;
    for (int i = 0; i < NET_BATCH; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        uint64_t old;
        fabric_fetch_add(net.fabric, 1, net.window.id, COMMON, 1, &old, &op);
        fabric_wait(net.fabric, &op);
    }
    added += NET_BATCH;
    return bench_us_since(start) / NET_BATCH;
}

static void measure_common(void)
{
    struct bench_series series = bench_series_make(bench.repetitions);
    uint64_t one = 1;

    while (word_now(0, BEGUN) != (uint64_t)net.nodes - 1)
        sched_yield();
    (void)bench_warm_up(common_once, NULL, NULL);
    for (uint64_t start = bench_now();
         series.seen < bench.repetitions || bench_now() < start + SLICE;)
        bench_series_add(&series, common_once(NULL));
    struct bench_stat stat = bench_stat(series.sample, series.count);
    bench_series_free(&series);
    for (int node = 1; node < net.nodes; node++)
        fabric_write(net.fabric, node, net.window.id, STOP, &one, sizeof one, NULL);
    bench_result("fetch_add_all", "us",
                 BENCH_SHAPE({ "targets", 1, NULL }, { "target_nodes", 1, NULL },
                             { "contending", net.nodes, NULL }, { "under_way", 1, NULL },
                             { "batch", NET_BATCH, NULL }),
                 &stat);
}

static void contend(void)
{
    const _Atomic uint64_t *stop = (_Atomic uint64_t *)(void *)(net.window.base + STOP);
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old;

    fabric_fetch_add(net.fabric, 0, net.window.id, BEGUN, 1, &old, &op);
    fabric_wait(net.fabric, &op);
    while (atomic_load_explicit(stop, memory_order_acquire) == 0)
        (void)common_once(NULL);
}

static void check_common(void)
{
    uint64_t *all = calloc((size_t)net.nodes, sizeof *all), sum = 0;

    if (all == NULL)
        bench_fail(1, "out of memory");
    net_gather(added, all);
    for (int node = 0; node < net.nodes; node++)
        sum += all[node];
    free(all);
    if (net.node == 0)
        wrong += word_now(1, COMMON) != sum;
}

/* ---- All other nodes on words of node 0 ---- */

/* The word TURN: number of the sample, and how it is made. */
#define TURN_SIXTEEN  UINT64_C(1)
#define TURN_TOGETHER UINT64_C(2)
#define TURN_END      UINT64_C(4)
#define TURN_NEXT     UINT64_C(8)

static size_t target_word(uint64_t turn, int node, size_t i)
{
    size_t own = 1 + (size_t)(node - 1) * EACH_WORDS + i % EACH_WORDS;

    return WORDS + ((turn & TURN_SIXTEEN) != 0 ? own : 0) * 64;
}

static void take_turn(uint64_t turn)
{
    size_t together = (turn & TURN_TOGETHER) != 0 ? NET_BATCH : 1;
    uint64_t old[NET_BATCH];
    struct fabric_op op = FABRIC_OP_INIT;

    for (size_t i = 0; i < TARGET_EACH;) {
        for (size_t k = 0; k < together && i < TARGET_EACH; k++, i++)
            fabric_fetch_add(net.fabric, 0, net.window.id, target_word(turn, net.node, i), 1,
                             &old[k], &op);
        fabric_wait(net.fabric, &op);
    }
    fabric_fetch_add(net.fabric, 0, net.window.id, DONE, 1, old, &op);
    fabric_wait(net.fabric, &op);
}

/* Another node: takes turns until node 0 is done. */
static void take_turns(void)
{
    const _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)(net.window.base + TURN);

    for (uint64_t before = 0, turn; before != TURN_END; before = turn) {
        for (unsigned long i = 1;
             (turn = atomic_load_explicit(word, memory_order_acquire)) == before; i++)
            if (i % 1000 == 0)
                sched_yield();
        if (turn != TURN_END)
            take_turn(turn);
    }
}

struct aimed {
    uint64_t how, turns;
};

static void give_turn(uint64_t turn)
{
    for (int node = 1; node < net.nodes; node++)
        fabric_write(net.fabric, node, net.window.id, TURN, &turn, sizeof turn, NULL);
}

static double aimed_once(void *context)
{
    static uint64_t turns;
    struct aimed *aimed = context;
    uint64_t others = (uint64_t)net.nodes - 1, start = bench_now();

    aimed->turns++;
    give_turn(++turns * TURN_NEXT | aimed->how);
    net_await_word(DONE, turns * others);
    return bench_us_since(start) / (double)(TARGET_EACH * others);
}

static void measure_aimed(const char *name, uint64_t how, uint64_t *turns)
{
    struct aimed aimed = { how, 0 };
    int words = (how & TURN_SIXTEEN) != 0 ? EACH_WORDS * (net.nodes - 1) : 1;
    struct bench_stat stat = bench_measure(aimed_once, &aimed);

    *turns += aimed.turns;
    bench_result(name, "us",
                 BENCH_SHAPE({ "targets", words, NULL }, { "target_nodes", 1, NULL },
                             { "contending", net.nodes - 1, NULL },
                             { "under_way", (how & TURN_TOGETHER) != 0 ? NET_BATCH : 1, NULL },
                             { "batch", TARGET_EACH, NULL }),
                 &stat);
}

/* Operations on word I of a node, in one turn. */
static uint64_t in_turn(size_t i)
{
    return (TARGET_EACH - i + EACH_WORDS - 1) / EACH_WORDS;
}

static void measure_targets(void)
{
    uint64_t one = 0, sixteen = 0, others = (uint64_t)net.nodes - 1;

    for (uint64_t how = 0; how <= TURN_TOGETHER; how += TURN_TOGETHER) {
        if (bench_wants("target_one"))
            measure_aimed("target_one", how, &one);
        if (bench_wants("target_sixteen"))
            measure_aimed("target_sixteen", how | TURN_SIXTEEN, &sixteen);
    }
    give_turn(TURN_END);
    wrong += word_now(0, WORDS) != one * TARGET_EACH * others;
    for (int node = 1; node < net.nodes; node++)
        for (size_t i = 0; i < EACH_WORDS; i++)
            wrong += word_now(0, target_word(TURN_SIXTEEN, node, i)) != sixteen * in_turn(i);
}

/* ---- The program ---- */

static const struct bench_figure figures[] = {
    { "fetch_add", "one at a time" },
    { "cas_hit", "a compare-and-swap that finds what it expects" },
    { "cas_miss", "a compare-and-swap that does not" },
    { "exchange", "one at a time" },
    { "fetch_add_many", "16 under way together" },
    { "cas_miss_many", "16 under way together" },
    { "fetch_add_all", "all nodes at one word" },
    { "target_one", "all other nodes at one word of node 0" },
    { "target_sixteen", "all other nodes at node 0, at 16 words each" },
    { NULL, NULL },
};

static const struct bench_program program = {
    .name = "atomics",
    .what = "Measure atomics of the fabric (HLRC_FABRIC); run it under hlrcrun -n 2 or more.",
    .figures = figures,
    .warmup = 50,
    .repetitions = 500,
    .seconds = 0.5,
    .sizes = "1,16",
    .sizes_are = "numbers of targets",
    .smallest = 1,
    .largest = MOST,
};

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, SIZE, 2, FABRIC_READ | FABRIC_ATOMICS);
    for (size_t i = 0; net.node == 0 && i < bench.sizes.count; i++)
        for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
            measure(&tests[k], bench.sizes.value[i]);
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
