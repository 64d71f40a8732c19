/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of put and get beside the fabric operations that implement them, in one run: node 0
 * operates on node 1's part of a window; node 1 waits in a barrier. us per call, samples of BATCH
 * calls (of one above OFTEN bytes), each complete before the next begins.
 *
 *  put, get      BY fabric: fabric_write and fabric_read, and fabric_wait; hlrc: hlrc_put and
 *                hlrc_get. Of --sizes bytes, between windows.
 *  acc           --sizes bytes of doubles, by hlrc_acc
 *  rmw           hlrc_word_fetch of 8 bytes: BY add, swap, xor
 *  homes         8 bytes of each of 256 pages just written by the other node, their home; us per
 *                page. BY get: hlrc_get, HLRC_HOMES; load: a load, which fetches the page
 *  get_pieces    PIECES pieces of PIECE bytes, one every DISTANCE bytes, to contiguous memory; us
 *                for all of them. BY each: one hlrc_get per piece; strided: one hlrc_get_strided;
 *                vector: one hlrc_get_vector; packed: one hlrc_get from the first to the last
 *                byte, and copies. put_pieces: the same in the other direction, except packed.
 */
#include "microbench/job.h"

#include <math.h>
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
static size_t bytes; /* of the operation measured */

static void put_by_fabric(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t off = (size_t)(window - arena.app);

    fabric_write(engine.fabric, 1, arena.id, off, arena.base + off + LOCAL, bytes, &op);
    fabric_wait(engine.fabric, &op);
}

static void get_by_fabric(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t off = (size_t)(window - arena.app);

    fabric_read(engine.fabric, 1, arena.id, off, arena.base + off + GOT, bytes, &op);
    fabric_wait(engine.fabric, &op);
}

static void put(void)
{
    hlrc_put(window, window + LOCAL, bytes, 1);
}

static void get(void)
{
    hlrc_get(window + GOT, window, bytes, 1);
}

static void acc(void)
{
    (void)hlrc_acc(window, window + LOCAL, bytes / 8, HLRC_DOUBLE, HLRC_SUM, NULL, 1);
}

/* ---- pieces ---- */

static const size_t here = PIECE, there = DISTANCE, counts[] = { PIECE, PIECES };
static void *far[PIECES], *near[PIECES], *got[PIECES];

static void list_pieces(void)
{
    for (size_t i = 0; i < PIECES; i++) {
        far[i] = window + i * DISTANCE;
        near[i] = window + LOCAL + i * PIECE;
        got[i] = window + GOT + i * PIECE;
    }
}

static void get_each(void)
{
    for (size_t i = 0; i < PIECES; i++)
        hlrc_get(got[i], far[i], bytes, 1);
}

static void get_strided(void)
{
    hlrc_get_strided(window + GOT, &here, window, &there, counts, 1, 1);
}

static void get_vector(void)
{
    hlrc_get_vector(got, (const void *const *)far, PIECES, bytes, 1);
}

static void get_packed(void)
{
    static char all[PIECES * DISTANCE];

    hlrc_get(all, window, sizeof all, 1);
    for (size_t i = 0; i < PIECES; i++)
        memcpy(got[i], all + i * DISTANCE, bytes);
}

static void put_each(void)
{
    for (size_t i = 0; i < PIECES; i++)
        hlrc_put(far[i], near[i], bytes, 1);
}

static void put_strided(void)
{
    hlrc_put_strided(window, &there, window + LOCAL, &here, counts, 1, 1);
}

static void put_vector(void)
{
    hlrc_put_vector(far, (const void *const *)near, PIECES, bytes, 1);
}

/* ---- shared memory ---- */

#define PAGES 256

static volatile uint64_t *pages;
static uint64_t round_of, wrong;
static uint64_t value;

static void homes_get(void)
{
    for (size_t i = 0; i < PAGES; i++) {
        hlrc_get(&value, (const void *)(uintptr_t)&pages[i * BENCH_PAGE_WORDS], sizeof value,
                 HLRC_HOMES);
        wrong += value != round_of;
    }
}

static void homes_load(void)
{
    for (size_t i = 0; i < PAGES; i++)
        wrong += pages[i * BENCH_PAGE_WORDS] != round_of;
}

static void rmw(void);

static const struct test {
    const char *name, *what, *by;
    bench_operation *perform;
    size_t bytes; /* of a word or a piece; 0: use --sizes */
    hlrc_op op;   /* of rmw */
} tests[] = {
    { "put", NULL, "fabric", put_by_fabric, 0, 0 },
    { "put", "until it is in the other node's memory", "hlrc", put, 0, 0 },
    { "get", NULL, "fabric", get_by_fabric, 0, 0 },
    { "get", "until it is here", "hlrc", get, 0, 0 },
    { "acc", "doubles, added to doubles of the other node", "hlrc", acc, 0, 0 },
    { "rmw", NULL, "add", rmw, 8, HLRC_SUM },
    { "rmw", NULL, "swap", rmw, 8, HLRC_REPLACE },
    { "rmw", "hlrc_word_fetch", "xor", rmw, 8, HLRC_XOR },
    { "homes", "8 bytes of a page that the other node has written", "get", homes_get, 8, 0 },
    { "homes", NULL, "load", homes_load, 8, 0 },
    { "get_pieces", "1,024 pieces of 64 bytes", "each", get_each, PIECE, 0 },
    { "get_pieces", NULL, "strided", get_strided, PIECE, 0 },
    { "get_pieces", NULL, "vector", get_vector, PIECE, 0 },
    { "get_pieces", NULL, "packed", get_packed, PIECE, 0 },
    { "put_pieces", "1,024 pieces of 64 bytes", "each", put_each, PIECE, 0 },
    { "put_pieces", NULL, "strided", put_strided, PIECE, 0 },
    { "put_pieces", NULL, "vector", put_vector, PIECE, 0 },
};
static const struct test *now;
static size_t batch;

static void rmw(void)
{
    static const uint64_t one = 1;

    (void)hlrc_word_fetch(hlrc_word_window(window + 3 * LARGEST, 1), HLRC_UINT64, now->op, &one,
                          NULL, HLRC_RELAXED);
}

static bool is_homes(void)
{
    return now->perform == homes_get || now->perform == homes_load;
}

static double once(void)
{
    return bench_us_each(now->perform, batch);
}

static void measure(size_t size)
{
    bytes = size;
    batch = now->bytes == PIECE || bytes > OFTEN ? 1 : BATCH;
    bench_report(now->name, "us", once,
                 bench_shape("by %s bytes %zu batch %zu", now->by, bytes, batch));
}

/* Node 0: those of --sizes, or all others. */
static void measure_all(bool sized)
{
    for (size_t k = 0; k < (sized ? bench.sizes.count : 1); k++)
        for (now = tests; now < tests + BENCH_COUNT(tests); now++)
            if (sized == (now->bytes == 0) && !is_homes())
                measure(sized ? bench.sizes.value[k] : now->bytes);
}

/* Node 1 writes the pages, node 0 reads. */
static double homes_once(void)
{
    double us = NAN;

    round_of++;
    for (size_t i = 0; i < PAGES && hlrc_node_id() == 1; i++)
        pages[i * BENCH_PAGE_WORDS] = round_of;
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        us = bench_us_each(now->perform, 1) / PAGES;
    hlrc_barrier();
    return us;
}

static void measure_homes(void)
{
    pages = job_allocate((size_t)PAGES * BENCH_PAGE, "");
    for (size_t i = 0; i < PAGES && hlrc_node_id() == 1; i++)
        pages[i * BENCH_PAGE_WORDS] = 0;
    hlrc_barrier();
    for (now = tests; now < tests + BENCH_COUNT(tests); now++)
        if (is_homes())
            job_report(now->name, "us", PAGES, homes_once,
                       bench_shape("by %s bytes 8 batch %d", now->by, PAGES));
}

/* Reads the pieces that were put. */
static void check_pieces(void)
{
    get_strided();
    for (size_t i = 0; i < PIECES * PIECE; i++)
        wrong += window[GOT + i] != 1;
}

static const struct bench_program program =
    BENCH_PROGRAM("Measure put and get beside the fabric's operations; run it under hlrcrun -n 2.",
                  tests, 100, 1000, 0.5,
                  BENCH_OPTION_SIZES("bytes that are put and got", 1, LARGEST, "8,4K,1M"),
                  BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 2);
    window = hlrc_window_create(3 * LARGEST + 64);
    if (!window)
        bench_fail(1, "hlrc_window_create: no room");
    memset(window + LOCAL, 1 + hlrc_node_id(), LARGEST);
    list_pieces();
    hlrc_barrier();
    for (int sized = 1; sized >= 0 && hlrc_node_id() == 0; sized--)
        measure_all(sized);
    hlrc_barrier();
    if (bench_wants("homes"))
        measure_homes();
    if (bench_wants("put_pieces") && hlrc_node_id() == 0)
        check_pieces();
    job_end(wrong, job_options);
}
