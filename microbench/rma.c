/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of put and get beside the fabric operations that implement them, in one run: node 0
 * operates on node 1's part of a window; node 1 waits in a barrier. us per call, samples of BATCH
 * calls (of one above OFTEN bytes), each complete before the next begins.
 *
 *  put, get      BY fabric: fabric_write and fabric_read, and fabric_wait; hlrc: hlrc_put and
 *                hlrc_get. Of --sizes bytes, between windows.
 *  acc           --sizes bytes of doubles, by hlrc_acc
 *  rmw           hlrc_rmw of 8 bytes: BY add, swap, xor
 *  homes         8 bytes of each of 256 pages just written by the other node, their home; us per
 *                page. BY get: hlrc_get, HLRC_HOMES; load: a load, which fetches the page
 *  get_pieces    PIECES pieces of PIECE bytes, one every DISTANCE bytes, to contiguous memory; us
 *                for all of them. BY each: one hlrc_get per piece; strided: one hlrc_get_strided;
 *                vector: one hlrc_get_vector; packed: one hlrc_get from the first to the last
 *                byte, and copies. put_pieces: the same in the other direction, except packed.
 */
#include "microbench/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/rma/window.h"

#define BATCH   16
#define OFTEN   ((size_t)64 << 10)
#define LARGEST ((size_t)1 << 20)
#define LOCAL   LARGEST       /* offset in node 0's part of the data to put, */
#define GOT     (2 * LARGEST) /* and of the destination of gets */

#define PIECES   1024
#define PIECE    64
#define DISTANCE 256

static char *window;

typedef void operation(size_t bytes);

static void put_by_fabric(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t off = (size_t)(window - arena.app);

    fabric_write(engine.fabric, 1, arena.id, off, arena.base + off + LOCAL, bytes, &op);
    fabric_wait(engine.fabric, &op);
}

static void get_by_fabric(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t off = (size_t)(window - arena.app);

    fabric_read(engine.fabric, 1, arena.id, off, arena.base + off + GOT, bytes, &op);
    fabric_wait(engine.fabric, &op);
}

static void put(size_t bytes)
{
    hlrc_put(window, window + LOCAL, bytes, 1);
}

static void get(size_t bytes)
{
    hlrc_get(window + GOT, window, bytes, 1);
}

static void acc(size_t bytes)
{
    (void)hlrc_acc(window, window + LOCAL, bytes / 8, HLRC_DOUBLE, HLRC_SUM, NULL, 1);
}

static void rmw(hlrc_op op)
{
    static const uint64_t one = 1;

    (void)hlrc_rmw(window + 3 * LARGEST, &one, NULL, HLRC_UINT64, op, 1);
}

static void rmw_add(size_t bytes)
{
    (void)bytes;
    rmw(HLRC_SUM);
}

static void rmw_swap(size_t bytes)
{
    (void)bytes;
    rmw(HLRC_REPLACE);
}

static void rmw_xor(size_t bytes)
{
    (void)bytes;
    rmw(HLRC_XOR);
}

/* ---- pieces ---- */

static const size_t here = PIECE, there = DISTANCE, counts[] = { PIECE, PIECES };
static void *far[PIECES], *near[PIECES], *got[PIECES];

static void get_each(size_t bytes)
{
    for (size_t i = 0; i < PIECES; i++)
        hlrc_get(window + GOT + i * PIECE, window + i * DISTANCE, bytes, 1);
}

static void get_strided(size_t bytes)
{
    (void)bytes;
    hlrc_get_strided(window + GOT, &here, window, &there, counts, 1, 1);
}

static void get_vector(size_t bytes)
{
    hlrc_get_vector(got, (const void *const *)far, PIECES, bytes, 1);
}

static void get_packed(size_t bytes)
{
    static char all[PIECES * DISTANCE];

    hlrc_get(all, window, sizeof all, 1);
    for (size_t i = 0; i < PIECES; i++)
        memcpy(window + GOT + i * PIECE, all + i * DISTANCE, bytes);
}

static void put_each(size_t bytes)
{
    for (size_t i = 0; i < PIECES; i++)
        hlrc_put(window + i * DISTANCE, window + LOCAL + i * PIECE, bytes, 1);
}

static void put_strided(size_t bytes)
{
    (void)bytes;
    hlrc_put_strided(window, &there, window + LOCAL, &here, counts, 1, 1);
}

static void put_vector(size_t bytes)
{
    hlrc_put_vector(far, (const void *const *)near, PIECES, bytes, 1);
}

static const struct test {
    const char *name, *by;
    operation *perform;
    size_t bytes; /* of a word or a piece; 0: use --sizes */
} tests[] = {
    { "put", "fabric", put_by_fabric, 0 },
    { "put", "hlrc", put, 0 },
    { "get", "fabric", get_by_fabric, 0 },
    { "get", "hlrc", get, 0 },
    { "acc", "hlrc", acc, 0 },
    { "rmw", "add", rmw_add, 8 },
    { "rmw", "swap", rmw_swap, 8 },
    { "rmw", "xor", rmw_xor, 8 },
    { "get_pieces", "each", get_each, PIECE },
    { "get_pieces", "strided", get_strided, PIECE },
    { "get_pieces", "vector", get_vector, PIECE },
    { "get_pieces", "packed", get_packed, PIECE },
    { "put_pieces", "each", put_each, PIECE },
    { "put_pieces", "strided", put_strided, PIECE },
    { "put_pieces", "vector", put_vector, PIECE },
};

struct one {
    const struct test *test;
    size_t bytes;
    int batch;
};

static double once(void *context)
{
    const struct one *one = context;
    uint64_t start = bench_now();

    for (int i = 0; i < one->batch; i++)
        one->test->perform(one->bytes);
    return bench_us_since(start) / one->batch;
}

static void measure(const struct test *test, size_t bytes)
{
    struct one one = { test, bytes, test->bytes == PIECE || bytes > OFTEN ? 1 : BATCH };

    if (!bench_wants(test->name) || hlrc_node_id() != 0)
        return;
    struct bench_stat stat = bench_measure(once, &one);
    bench_result(test->name, "us",
                 BENCH_SHAPE({ "by", 0, test->by }, { "bytes", (double)bytes, NULL },
                             { "batch", one.batch, NULL }),
                 &stat);
}

/* ---- shared memory ---- */

#define PAGES 256

static volatile uint64_t *pages;
static uint64_t round_of, wrong;

/* Collective; returns node 0's time. */
static double homes_once(void *context)
{
    const bool *gets = context;
    size_t words = BENCH_PAGE / sizeof(uint64_t);

    round_of++;
    for (size_t i = 0; i < PAGES && hlrc_node_id() == 1; i++)
        pages[i * words] = round_of;
    hlrc_barrier();
    uint64_t start = bench_now(), value = 0;
    for (size_t i = 0; i < PAGES && hlrc_node_id() == 0; i++) {
        volatile uint64_t *word = &pages[i * words];
        if (*gets)
            hlrc_get(&value, (const void *)(uintptr_t)word, sizeof value, HLRC_HOMES);
        else
            value = *word;
        wrong += value != round_of;
    }
    double us = bench_us_since(start) / PAGES;
    hlrc_barrier();
    return hlrc_node_id() == 0 ? us : NAN;
}

static void measure_homes(const char *by, bool gets)
{
    struct job_figure figure = {
        .name = "homes",
        .unit = "us",
        .operations = PAGES,
        .shape = BENCH_SHAPE({ "by", 0, by }, { "bytes", 8, NULL }, { "batch", PAGES, NULL }),
    };

    job_measure(figure, homes_once, &gets);
}

static const struct bench_figure figures[] = {
    { "put", "until it is in the other node's memory" },
    { "get", "until it is here" },
    { "acc", "doubles, added to doubles of the other node" },
    { "rmw", "hlrc_rmw" },
    { "homes", "8 bytes of a page that the other node has written" },
    { "get_pieces", "1,024 pieces of 64 bytes" },
    { "put_pieces", "1,024 pieces of 64 bytes" },
    { NULL, NULL },
};

static const struct bench_program program = {
    .name = "rma",
    .what = "Measure put and get beside the fabric's operations; run it under hlrcrun -n 2.",
    .figures = figures,
    .warmup = 100,
    .repetitions = 1000,
    .seconds = 0.5,
    .sizes = "8,4K,1M",
    .sizes_are = "bytes that are put and got",
    .smallest = 1,
    .largest = LARGEST,
};

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 2);
    window = hlrc_window_create(3 * LARGEST + 64);
    if (!window)
        bench_fail(1, "hlrc_window_create: no room");
    memset(window + LOCAL, 1 + hlrc_node_id(), LARGEST);
    hlrc_barrier();
    for (size_t k = 0; k < bench.sizes.count; k++)
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
            if (!tests[i].bytes)
                measure(&tests[i], bench.sizes.value[k]);
    for (size_t i = 0; i < PIECES; i++) {
        far[i] = window + i * DISTANCE;
        near[i] = window + LOCAL + i * PIECE;
        got[i] = window + GOT + i * PIECE;
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (tests[i].bytes)
            measure(&tests[i], tests[i].bytes);
    hlrc_barrier();
    if (bench_wants("homes")) {
        pages = job_allocate(PAGES * BENCH_PAGE);
        if (hlrc_node_id() == 1)
            for (size_t i = 0; i < PAGES; i++)
                pages[i * (BENCH_PAGE / sizeof(uint64_t))] = 0;
        hlrc_barrier();
        measure_homes("get", true);
        measure_homes("load", false);
    }
    if (bench_wants("put_pieces") && hlrc_node_id() == 0) {
        get_strided(PIECE);
        for (size_t i = 0; i < PIECES * PIECE; i++)
            wrong += window[GOT + i] != 1;
    }
    (void)job_results_end();
    job_end(job_sum(wrong));
}
