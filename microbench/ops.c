/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of the fabric's operations, without pages or protocols, for comparison with the
 * adapter's own tools (ib_read_lat, ib_write_lat, ib_atomic_lat). Node 0 operates on node 1's
 * window. us per operation, each sample over NET_BATCH operations, or one with --batch 1.
 *
 *  read, write, write_imm (a write with immediate, whose event a thread of node 1 takes), cas,
 *  fetch_add, exchange
 *                PART post: the call that posts it, in a batch posted back to back; the wait for
 *                the batch is not timed. PART completion: until its completion, one at a time; for
 *                a write, until it is placed in node 1's memory. Node 1 sleeps while reads, writes
 *                and atomics are measured. Reads and writes go between windows, --sizes bytes.
 *  version_page  reads of 16 bytes, to private memory, and of 4 KiB, in flight together: a page
 *                fetch of ARDMAR
 *  asked_page    a write with immediate of 128 bytes, answered by writes of 4 KiB and of a word
 *                that node 0 polls: a page fetch of ASYNC whose home polls
 *
 * Without adapter support, an exchange is done by compare-and-swap. Its post time is not reported,
 * since the call returns only on completion.
 */
#include "microbench/net.h"

#include <stdlib.h>

#define REQUEST 128
#define LARGEST (NET_AREA / NET_BATCH)

static unsigned long batch = NET_BATCH;
static uint64_t words[NET_BATCH]; /* results of the atomics */
static uint64_t given;            /* NET_GIVE requests so far */

/* ---- Operations: slot I of a batch, of BYTES ---- */

typedef void start_op(size_t i, size_t bytes, struct fabric_op *op);

static void start_read(size_t i, size_t bytes, struct fabric_op *op)
{
    fabric_read(net.fabric, 1, net.window.id, i * LARGEST,
                net.window.base + NET_LOCAL + i * LARGEST, bytes, op);
}

static void start_write(size_t i, size_t bytes, struct fabric_op *op)
{
    fabric_write(net.fabric, 1, net.window.id, i * LARGEST,
                 net.window.base + NET_LOCAL + i * LARGEST, bytes, op);
}

/* The last of a batch requests an update of NET_CREDIT, so at most one batch of events is in
 * flight. */
static void start_write_imm(size_t i, size_t bytes, struct fabric_op *op)
{
    enum net_request request = i == batch - 1 ? NET_GIVE : NET_TAKE;

    given += request == NET_GIVE;
    fabric_write_imm(net.fabric, 1, net.window.id, i * LARGEST,
                     net.window.base + NET_LOCAL + i * LARGEST, bytes, net_immediate(request, 0),
                     true, op);
}

static void start_cas(size_t i, size_t bytes, struct fabric_op *op)
{
    (void)bytes;
    fabric_cas(net.fabric, 1, net.window.id, NET_WORDS + i * 64, 0, 0, &words[i], op);
}

static void start_fetch_add(size_t i, size_t bytes, struct fabric_op *op)
{
    (void)bytes;
    fabric_fetch_add(net.fabric, 1, net.window.id, NET_WORDS + i * 64, 1, &words[i], op);
}

/* Blocks until complete. */
static void start_exchange(size_t i, size_t bytes, struct fabric_op *op)
{
    (void)bytes;
    (void)op;
    words[i] =
        fabric_exchange(net.fabric, 1, net.window.id, NET_WORDS + i * 64, words[i] + 1, words[i]);
}

static const struct operation {
    const char *name;
    start_op *start;
    bool sized, posted, served;
} operations[] = {
    { "read", start_read, true, true, false },
    { "write", start_write, true, true, false },
    { "write_imm", start_write_imm, true, true, true },
    { "cas", start_cas, false, true, false },
    { "fetch_add", start_fetch_add, false, true, false },
    { "exchange", start_exchange, false, false, false },
};

struct one {
    const struct operation *operation;
    size_t bytes;
};

static void await_served(const struct one *one)
{
    if (one->operation->served)
        net_await_word(NET_CREDIT, given);
}

static double post_once(void *context)
{
    const struct one *one = context;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++)
        one->operation->start(i, one->bytes, &op);
    double us = bench_us_since(start) / (double)batch;
    fabric_wait(net.fabric, &op);
    await_served(one);
    return us;
}

static double completion_once(void *context)
{
    const struct one *one = context;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++) {
        one->operation->start(i, one->bytes, &op);
        fabric_wait(net.fabric, &op);
    }
    double us = bench_us_since(start) / (double)batch;
    await_served(one);
    return us;
}

static void measure_part(const struct one *one, const char *part, bench_once *once)
{
    struct bench_stat stat = bench_measure(once, (void *)one);

    bench_result(one->operation->name, "us",
                 BENCH_SHAPE({ "part", 0, part }, { "bytes", (double)one->bytes, NULL },
                             { "batch", (double)batch, NULL }),
                 &stat);
}

static void measure(const struct operation *operation, size_t bytes)
{
    struct one one = { operation, bytes };

    if (operation->posted)
        measure_part(&one, "post", post_once);
    measure_part(&one, "completion", completion_once);
}

static void measure_all(bool served)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *operation = &operations[i];
        if (operation->served != served || !bench_wants(operation->name))
            continue;
        if (!operation->sized)
            measure(operation, sizeof(uint64_t));
        for (size_t k = 0; operation->sized && k < bench.sizes.count; k++)
            measure(operation, bench.sizes.value[k]);
    }
}

/* ---- Pages ---- */

static double version_page_once(void *context)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t versions[2], start = bench_now();

    (void)context;
    for (size_t i = 0; i < batch; i++) {
        fabric_read(net.fabric, 1, net.window.id, NET_WORDS, versions, sizeof versions, &op);
        fabric_read(net.fabric, 1, net.window.id, 0, net.window.base + NET_LOCAL, NET_PAGE, &op);
        fabric_wait(net.fabric, &op);
    }
    return bench_us_since(start) / (double)batch;
}

static double asked_page_once(void *context)
{
    static uint64_t asked[REQUEST / sizeof(uint64_t)];
    uint64_t start = bench_now();

    (void)context;
    for (size_t i = 0; i < batch; i++) {
        asked[0]++;
        fabric_write_imm(net.fabric, 1, net.window.id, NET_EVENTS, asked, sizeof asked,
                         net_immediate(NET_ASK, 0), true, NULL);
        net_await_word(NET_ANSWER, asked[0]);
    }
    return bench_us_since(start) / (double)batch;
}

static void measure_page(const char *name, bench_once *once)
{
    if (!bench_wants(name))
        return;
    struct bench_stat stat = bench_measure(once, NULL);
    bench_result(name, "us",
                 BENCH_SHAPE({ "part", 0, "completion" }, { "bytes", NET_PAGE, NULL },
                             { "batch", (double)batch, NULL }),
                 &stat);
}

/* ---- The program ---- */

static const struct bench_figure figures[] = {
    { "read", "a read between windows" },
    { "write", "a write between windows" },
    { "write_imm", "a write with immediate" },
    { "cas", "compare-and-swap" },
    { "fetch_add", "fetch-and-add" },
    { "exchange", "exchange" },
    { "version_page", "reads of versions and page together" },
    { "asked_page", "a request, a page and a word" },
    { NULL, NULL },
};

static bool take(int key, char *arg)
{
    if (key != 'b')
        return false;
    batch = bench_number("--batch", arg, 1, NET_BATCH);
    return true;
}

static const struct argp_option options[] = {
    { "batch", 'b', "N", 0, "operations in one sample, 1 to 16 (default 16)", 0 },
    { 0 },
};

static const struct bench_program program = {
    .name = "ops",
    .what = "Measure the fabric's operations (HLRC_FABRIC); run it under hlrcrun -n 2.",
    .figures = figures,
    .warmup = 100,
    .repetitions = 1000,
    .seconds = 0.5,
    .sizes = "8,256,4K,64K",
    .sizes_are = "bytes that are read and written",
    .smallest = 1,
    .largest = LARGEST,
    .options = options,
    .take = take,
};

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, NET_SIZE, 2, FABRIC_READ | FABRIC_ATOMICS | FABRIC_WRITE_IMM);
    if (net.node == 0) {
        measure_all(false);
        measure_page("version_page", version_page_once);
    }
    net_meet();
    if (net.node == 0) {
        measure_all(true);
        measure_page("asked_page", asked_page_once);
        net_stop_serving();
    } else if (net.node == 1) {
        net_serve();
    }
    net_close(0);
}
