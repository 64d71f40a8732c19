/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of writing pages repeatedly, as programs do that were not laid out for pages. Times in
 * microseconds, medians of node 0's samples, or of the last node's where that node reads.
 *
 *  solo_writer  node 0 writes a word of each of its pages, which no other node has read; with the
 *               barrier that follows, per page.
 *  hot_writer   the same, on pages that the last node reads in between.
 *  hot_reader   the cost of that for the last node: per page, including the fetch.
 *  locked_K     lock and unlock of a lock used by no other node, with K pages of node 0 written
 *               under it, which no other node has read.
 *  shared_K     the same, with K pages whose home is the last node, which has also read them.
 *  mutex        lock and unlock of an uncontended pthread mutex, for comparison.
 *  recycled     hlrc_malloc of a block of --bytes that was written and freed before: zeroed.
 *
 * The first five rounds are not counted, since pages fault in them.
 */
#include "microbench/job.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define WORDS BENCH_PAGE_WORDS
#define BATCH 100 /* operations per sample where one is too short to be timed */
#define LOCK  1

static unsigned long pages = 4096, bytes = 1ul << 20;
static uint64_t wrong;

/* One round of each test: a sample, or NAN for none at this node. */
static volatile uint64_t *data; /* `pages` pages, of each test its own */
static uint64_t round_now;      /* rounds before this one */
static uint64_t few;            /* pages written under a lock */

static double us_since(uint64_t start)
{
    return (double)(bench_now() - start) / 1000;
}

static void write_pages(uint64_t count, uint64_t value)
{
    for (uint64_t page = 0; page < count; page++)
        data[page * WORDS] = value + page;
}

static void read_pages(uint64_t count, uint64_t value)
{
    for (uint64_t page = 0; page < count; page++)
        wrong += data[page * WORDS] != value + page;
}

static bool is_last(void)
{
    return hlrc_node_id() == hlrc_node_count() - 1;
}

static double write_round(void)
{
    uint64_t start = bench_now();

    if (hlrc_node_id() == 0)
        write_pages(pages, round_now);
    hlrc_barrier();
    return us_since(start) / (double)pages;
}

static double solo_writer(void)
{
    double written = write_round();

    hlrc_barrier();
    return hlrc_node_id() == 0 ? written : NAN;
}

static void solo_end(void)
{
    read_pages(pages, round_now - 1);
}

static double hot_pages(bool reader)
{
    double written = write_round();
    uint64_t start = bench_now();

    if (is_last())
        read_pages(pages, round_now);
    double read = us_since(start) / (double)pages;
    hlrc_barrier();
    if (reader)
        return is_last() ? read : NAN;
    return hlrc_node_id() == 0 ? written : NAN;
}

static double hot_writer(void)
{
    return hot_pages(false);
}

static double hot_reader(void)
{
    return hot_pages(true);
}

static void shared_begin(void)
{
    if (is_last())
        write_pages(few, 0);
}

static double locked(void)
{
    if (hlrc_node_id() != 0)
        return NAN;
    uint64_t start = bench_now();
    for (uint64_t k = 0; k < BATCH; k++) {
        hlrc_lock(LOCK);
        write_pages(few, round_now * BATCH + k);
        hlrc_unlock(LOCK);
    }
    return us_since(start) / BATCH;
}

static void locked_end(void)
{
    read_pages(few, round_now * BATCH - 1);
}

static double mutex(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t start = bench_now();

    for (uint64_t k = 0; k < BATCH; k++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return hlrc_node_id() == 0 ? us_since(start) / BATCH : NAN;
}

static double recycled(void)
{
    if (hlrc_node_id() != 0)
        return NAN;
    uint64_t start = bench_now();
    char *block = hlrc_malloc(bytes);
    double us = us_since(start);
    if (block == NULL)
        bench_fail(1,
                   "%lu bytes of shared memory are not available; raise --memory or lower --bytes",
                   bytes);
    wrong += block[0] != 0 || memcmp(block, block + 1, bytes - 1) != 0;
    memset(block, 0x5a, bytes);
    hlrc_free(block);
    return us;
}

static void nothing(void)
{
}

/* ---- The program ---- */

static const struct test {
    const char *name, *what;
    void (*begin)(void);
    bench_once *once;
    void (*end)(void); /* checks */
    uint64_t few;
    int nodes; /* minimum */
} tests[] = {
    { "solo_writer", "own pages, per page and barrier", nothing, solo_writer, solo_end, 0, 1 },
    { "hot_writer", "own pages that another node reads", nothing, hot_writer, nothing, 0, 2 },
    { "hot_reader", "the reader's side, fetch included", nothing, hot_reader, nothing, 0, 2 },
    { "locked_0", "lock + unlock, nothing written", nothing, locked, locked_end, 0, 1 },
    { "locked_4", "lock + unlock, 4 own pages written", nothing, locked, locked_end, 4, 1 },
    { "locked_16", "lock + unlock, 16 own pages written", nothing, locked, locked_end, 16, 1 },
    { "shared_16", "lock + unlock, 16 pages of another home written", shared_begin, locked,
      locked_end, 16, 2 },
    { "mutex", "lock + unlock of a pthread mutex", nothing, mutex, nothing, 0, 1 },
    { "recycled", "hlrc_malloc of a block used before", nothing, recycled, nothing, 0, 1 },
};

static const struct test *now;

static double once(void)
{
    double us = now->once();

    round_now++;
    return us;
}

static void measure(void)
{
    data = job_allocate(pages * BENCH_PAGE, " or lower --pages");
    few = now->few;
    round_now = 0;
    now->begin();
    hlrc_barrier();
    struct bench_stat stat = job_measure(once);
    now->end();
    hlrc_barrier();
    hlrc_free_all((void *)data);
    job_row(now->name, stat, now->what);
}

static const struct bench_program program = BENCH_PROGRAM_OF_ROWS(
    "Measure pages that are written again and again; run it under hlrcrun.", 5, 30,
    BENCH_OPTION_NUMBER("bytes", 'b', "size of the recycled block", &bytes, 1, 1ul << 40),
    BENCH_OPTION_NUMBER("pages", 'p', "pages that are written", &pages, 16, 1ul << 24),
    BENCH_OPTION_ROUNDS(100000), BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 1);
    for (now = tests; now < tests + BENCH_COUNT(tests); now++)
        if (hlrc_node_count() >= now->nodes)
            measure();
    job_end(wrong, NULL);
}
