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
#define LARGEST (NET_AREA / NET_BATCH) /* bytes of an operation, and the distance of two */

static unsigned long batch = NET_BATCH;
static uint64_t words[NET_BATCH]; /* results of the atomics */
static uint64_t given;            /* NET_GIVE requests so far */

/* ---- Operations ---- */

/* The last of a batch requests an update of NET_CREDIT, so at most one batch of events is in
 * flight. */
static void start_write_imm(size_t at, size_t bytes, struct fabric_op *op)
{
    enum net_request request = at / LARGEST == batch - 1 ? NET_GIVE : NET_TAKE;

    given += request == NET_GIVE;
    fabric_write_imm(net.fabric, 1, net.window.id, at, net.window.base + NET_LOCAL + at, bytes,
                     net_immediate(request, 0), true, op);
}

static size_t word_of(size_t at)
{
    return NET_WORDS + at / LARGEST * 64;
}

static void start_cas(size_t at, size_t bytes, struct fabric_op *op)
{
    (void)bytes;
    fabric_cas(net.fabric, 1, net.window.id, word_of(at), 0, 0, &words[at / LARGEST], op);
}

static void start_fetch_add(size_t at, size_t bytes, struct fabric_op *op)
{
    (void)bytes;
    fabric_fetch_add(net.fabric, 1, net.window.id, word_of(at), 1, &words[at / LARGEST], op);
}

/* Blocks until complete. */
static void start_exchange(size_t at, size_t bytes, struct fabric_op *op)
{
    uint64_t *word = &words[at / LARGEST];

    (void)bytes;
    (void)op;
    *word = fabric_exchange(net.fabric, 1, net.window.id, word_of(at), *word + 1, *word);
}

/* ---- Pages ---- */

static void version_page(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t versions[2];

    fabric_read(net.fabric, 1, net.window.id, NET_WORDS, versions, sizeof versions, &op);
    net_start_read(0, NET_PAGE, &op);
    fabric_wait(net.fabric, &op);
}

static double version_page_once(void)
{
    return bench_us_each(version_page, batch);
}

static void asked_page(void)
{
    static uint64_t asked[REQUEST / sizeof(uint64_t)];

    asked[0]++;
    fabric_write_imm(net.fabric, 1, net.window.id, NET_EVENTS, asked, sizeof asked,
                     net_immediate(NET_ASK, 0), true, NULL);
    net_await_word(NET_ANSWER, asked[0]);
}

static double asked_page_once(void)
{
    return bench_us_each(asked_page, batch);
}

/* ---- The program ---- */

static const struct operation {
    const char *name, *what;
    net_start *start; /* slots of a batch are LARGEST bytes apart */
    bench_once *page; /* of pages, instead */
    bool sized, posted;
    bool served; /* by node 1 */
} operations[] = {
    { "read", "a read between windows", net_start_read, NULL, true, true, false },
    { "write", "a write between windows", net_start_write, NULL, true, true, false },
    { "write_imm", "a write with immediate", start_write_imm, NULL, true, true, true },
    { "cas", "compare-and-swap", start_cas, NULL, false, true, false },
    { "fetch_add", "fetch-and-add", start_fetch_add, NULL, false, true, false },
    { "exchange", "exchange", start_exchange, NULL, false, false, false },
    { "version_page", "reads of versions and page together", NULL, version_page_once, false, false,
      false },
    { "asked_page", "a request, a page and a word", NULL, asked_page_once, false, false, true },
};

static const struct operation *now;
static size_t bytes;

static void await_served(void)
{
    if (now->served)
        net_await_word(NET_CREDIT, given);
}

static double post_once(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++)
        now->start(i * LARGEST, bytes, &op);
    double us = bench_us_since(start) / (double)batch;
    fabric_wait(net.fabric, &op);
    await_served();
    return us;
}

static double completion_once(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++) {
        now->start(i * LARGEST, bytes, &op);
        fabric_wait(net.fabric, &op);
    }
    double us = bench_us_since(start) / (double)batch;
    await_served();
    return us;
}

static void measure(size_t size)
{
    static const char shape[] = "part %s bytes %zu batch %lu";

    bytes = size;
    if (now->posted)
        bench_report(now->name, "us", post_once, bench_shape(shape, "post", bytes, batch));
    bench_report(now->name, "us", now->page != NULL ? now->page : completion_once,
                 bench_shape(shape, "completion", bytes, batch));
}

static void measure_all(bool served)
{
    for (now = operations; now < operations + BENCH_COUNT(operations); now++) {
        if (now->served != served)
            continue;
        if (!now->sized)
            measure(now->page != NULL ? NET_PAGE : sizeof(uint64_t));
        for (size_t k = 0; now->sized && k < bench.sizes.count; k++)
            measure(bench.sizes.value[k]);
    }
}

static const struct bench_program program =
    BENCH_PROGRAM("Measure the fabric's operations (HLRC_FABRIC); run it under hlrcrun -n 2.",
                  operations, 100, 1000, 0.5,
                  BENCH_OPTION_NUMBER("batch", 'b', "operations in one sample, 1 to 16", &batch, 1,
                                      NET_BATCH),
                  BENCH_OPTION_SIZES("bytes that are read and written", 1, LARGEST, "8,256,4K,64K"),
                  BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, NET_SIZE, 2, FABRIC_READ | FABRIC_ATOMICS | FABRIC_WRITE_IMM);
    if (net.node == 0)
        measure_all(false);
    net_meet();
    if (net.node == 0) {
        measure_all(true);
        net_stop_serving();
    } else if (net.node == 1) {
        net_serve();
    }
    net_close(0);
}
