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
 * The first WARM_UP rounds are not counted, since pages fault in them.
 */
#include "microbench/job.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WORDS   (BENCH_PAGE / sizeof(uint64_t))
#define WARM_UP 5
#define BATCH   100 /* operations per sample where one is too short to be timed */
#define LOCK    1

struct options {
    unsigned long rounds, pages, bytes;
};

static struct options options = { .rounds = 30, .pages = 4096, .bytes = 1ul << 20 };
static uint64_t wrong;

static double us_since(uint64_t start)
{
    return (double)(bench_now() - start) / 1000;
}

static volatile uint64_t *allocate(void)
{
    void *at = hlrc_malloc_all(options.pages * BENCH_PAGE);

    if (at == NULL)
        bench_fail(1,
                   "%lu pages of shared memory are not available; raise --memory or lower --pages",
                   options.pages);
    return at;
}

static void write_pages(volatile uint64_t *data, uint64_t pages, uint64_t value)
{
    for (uint64_t page = 0; page < pages; page++)
        data[page * WORDS] = value + page;
}

static void read_pages(const volatile uint64_t *data, uint64_t value)
{
    for (uint64_t page = 0; page < options.pages; page++)
        wrong += data[page * WORDS] != value + page;
}

static void solo_writer(struct bench_series *series)
{
    volatile uint64_t *data = allocate();

    for (uint64_t r = 0; r < WARM_UP + options.rounds; r++) {
        uint64_t start = bench_now();
        if (hlrc_node_id() == 0)
            write_pages(data, options.pages, r);
        hlrc_barrier();
        if (r >= WARM_UP && hlrc_node_id() == 0)
            bench_series_add(series, us_since(start) / (double)options.pages);
        hlrc_barrier();
    }
    read_pages(data, WARM_UP + options.rounds - 1);
    hlrc_barrier();
    hlrc_free_all((void *)data);
}

static void hot_pages(struct bench_series *series, bool reader)
{
    volatile uint64_t *data = allocate();
    int last = hlrc_node_count() - 1;

    for (uint64_t r = 0; r < WARM_UP + options.rounds; r++) {
        uint64_t start = bench_now();
        if (hlrc_node_id() == 0)
            write_pages(data, options.pages, r);
        hlrc_barrier();
        double written = us_since(start) / (double)options.pages;
        start = bench_now();
        if (hlrc_node_id() == last)
            read_pages(data, r);
        double read = us_since(start) / (double)options.pages;
        hlrc_barrier();
        if (r >= WARM_UP && hlrc_node_id() == (reader ? last : 0))
            bench_series_add(series, reader ? read : written);
    }
    hlrc_free_all((void *)data);
}

static void hot_writer(struct bench_series *series)
{
    hot_pages(series, false);
}

static void hot_reader(struct bench_series *series)
{
    hot_pages(series, true);
}

static void locked(struct bench_series *series, uint64_t pages, bool shared)
{
    volatile uint64_t *data = allocate();

    if (shared && hlrc_node_id() == hlrc_node_count() - 1)
        write_pages(data, pages, 0);
    hlrc_barrier();
    for (uint64_t r = 0; hlrc_node_id() == 0 && r < WARM_UP + options.rounds; r++) {
        uint64_t start = bench_now();
        for (uint64_t k = 0; k < BATCH; k++) {
            hlrc_lock(LOCK);
            write_pages(data, pages, r * BATCH + k);
            hlrc_unlock(LOCK);
        }
        if (r >= WARM_UP)
            bench_series_add(series, us_since(start) / BATCH);
    }
    hlrc_barrier();
    for (uint64_t page = 0; page < pages; page++)
        wrong += data[page * WORDS] != (WARM_UP + options.rounds) * BATCH - 1 + page;
    hlrc_barrier();
    hlrc_free_all((void *)data);
}

static void locked_0(struct bench_series *series)
{
    locked(series, 0, false);
}

static void locked_4(struct bench_series *series)
{
    locked(series, 4, false);
}

static void locked_16(struct bench_series *series)
{
    locked(series, 16, false);
}

static void shared_16(struct bench_series *series)
{
    locked(series, 16, true);
}

static void mutex(struct bench_series *series)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    for (uint64_t r = 0; r < WARM_UP + options.rounds; r++) {
        uint64_t start = bench_now();
        for (uint64_t k = 0; k < BATCH; k++) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
        if (r >= WARM_UP && hlrc_node_id() == 0)
            bench_series_add(series, us_since(start) / BATCH);
    }
}

static void recycled(struct bench_series *series)
{
    for (uint64_t r = 0; hlrc_node_id() == 0 && r < WARM_UP + options.rounds; r++) {
        uint64_t start = bench_now();
        char *block = hlrc_malloc(options.bytes);
        double time = us_since(start);
        if (block == NULL)
            bench_fail(1,
                       "%lu bytes of shared memory are not available; raise --memory or lower "
                       "--bytes",
                       options.bytes);
        wrong += block[0] != 0 || memcmp(block, block + 1, options.bytes - 1) != 0;
        memset(block, 0x5a, options.bytes);
        hlrc_free(block);
        if (r >= WARM_UP)
            bench_series_add(series, time);
    }
    hlrc_barrier();
}

/* ---- The program ---- */

struct test {
    const char *name;
    void (*run)(struct bench_series *series);
    int nodes; /* minimum */
    const char *what;
};

static const struct test tests[] = {
    { "solo_writer", solo_writer, 1, "own pages, per page and barrier" },
    { "hot_writer", hot_writer, 2, "own pages that another node reads" },
    { "hot_reader", hot_reader, 2, "the reader's side, fetch included" },
    { "locked_0", locked_0, 1, "lock + unlock, nothing written" },
    { "locked_4", locked_4, 1, "lock + unlock, 4 own pages written" },
    { "locked_16", locked_16, 1, "lock + unlock, 16 own pages written" },
    { "shared_16", shared_16, 2, "lock + unlock, 16 pages of another home written" },
    { "mutex", mutex, 1, "lock + unlock of a pthread mutex" },
    { "recycled", recycled, 1, "hlrc_malloc of a block used before" },
};

static void run(const struct test *test, struct bench_json *json)
{
    struct bench_series series = bench_series_make(options.rounds);
    char name[64];

    hlrc_barrier();
    test->run(&series);
    struct bench_stat stat = job_stat(&series);
    if (hlrc_node_id() != 0)
        return;
    bench_row(test->name, stat, test->what);
    snprintf(name, sizeof(name), "%s_us", test->name);
    bench_json_stat(json, name, &stat);
}

static const struct bench_value values[] = {
    { "bytes", 'b', "size of the recycled block (default 1048576)", &options.bytes, 1, 1ul << 40 },
    { "pages", 'p', "pages that are written (default 4096)", &options.pages, 16, 1ul << 24 },
    { "rounds", 'r', "samples of each figure (default 30)", &options.rounds, 1, 100000 },
    { 0 },
};

int main(int argc, char **argv)
{
    struct bench_json json = { 0 };

    job_table(&json,
              job_open(&argc, &argv,
                       "Measure pages that are written again and again; run it under hlrcrun.",
                       values, 1));
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (hlrc_node_count() >= tests[i].nodes)
            run(&tests[i], &json);
    bench_json_close(&json);
    job_close(wrong);
}
