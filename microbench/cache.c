/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of reading more data than a node may keep. Each node writes its share of the data, then
 * all nodes walk the whole data at the same time, each starting with its own share. Microseconds
 * per page whose home is another node; medians over the nodes.
 *
 *  first    in order, for the first time
 *  again    in order, a second time: free if the copies are still present
 *  at_random
 *
 * Also reports the largest share of the data that a node had in memory at the end. Run it with
 * --cache-size or in control groups, and compare with a run without.
 */
#include "microbench/job.h"

#include <stdlib.h>
#include <sys/mman.h>

#define WORDS (BENCH_PAGE / sizeof(uint64_t))

struct options {
    unsigned long megabytes;
};

static struct options options = { .megabytes = 256 };
static volatile uint64_t *data;
static uint64_t pages, begin, end, wrong; /* [begin, end) is this node's share */

static uint64_t value(uint64_t page)
{
    return page * 0x9e3779b97f4a7c15 + 1;
}

static void write_share(void)
{
    for (uint64_t p = begin; p < end; p++)
        for (uint64_t w = 0; w < WORDS; w += 64)
            data[p * WORDS + w] = value(p) + w;
}

static void read_page(uint64_t p)
{
    uint64_t w = p % 8 * 64;
    wrong += data[p * WORDS + w] != value(p) + w;
}

static uint64_t in_order(uint64_t k)
{
    return (begin + k) % pages;
}

/* Visits each page once if their number is a power of two. */
static uint64_t at_random(uint64_t k)
{
    uint64_t p = begin + k;
    return (p * 0x5851f42d4c957f2d + 0xb5) % pages;
}

static void walk(struct bench_json *json, const char *name, uint64_t (*which)(uint64_t))
{
    struct bench_series series = bench_series_make(1);
    char field[64];

    hlrc_barrier();
    uint64_t start = bench_now();
    for (uint64_t k = 0; k < pages; k++)
        read_page(which(k));
    bench_series_add(&series,
                     (double)(bench_now() - start) / 1000 / (double)(pages - (end - begin)));
    struct bench_stat stat = job_stat(&series);
    if (hlrc_node_id() != 0)
        return;
    bench_row(name, stat, "");
    snprintf(field, sizeof(field), "%s_us", name);
    bench_json_stat(json, field, &stat);
}

/* Percentage of the data in this node's memory. */
static double share_here(void)
{
    unsigned char *here = malloc(pages);
    uint64_t n = 0;

    if (here == NULL || mincore((void *)(uintptr_t)data, pages * BENCH_PAGE, here) != 0)
        bench_fail(1, "mincore: no memory");
    for (uint64_t p = 0; p < pages; p++)
        n += here[p] & 1;
    free(here);
    return 100 * (double)n / (double)pages;
}

static void report_share(struct bench_json *json)
{
    struct bench_series series = bench_series_make(1);

    bench_series_add(&series, share_here());
    struct bench_stat stat = job_stat(&series);
    if (hlrc_node_id() != 0)
        return;
    printf("in memory      %.1f %% of the data at most\n", stat.max);
    bench_json_double(json, "in_memory_percent", stat.max);
}

static const struct bench_value values[] = {
    { "megabytes", 'm', "MiB of shared data, of all nodes together (default 256)",
      &options.megabytes, 1, 1000000 },
    { 0 },
};

int main(int argc, char **argv)
{
    struct bench_json json = { 0 };

    job_table(&json, job_open(&argc, &argv,
                              "Measure walks through more data than a node may keep; run it under "
                              "hlrcrun, with "
                              "--cache-size for instance.",
                              values, 2));
    uint64_t me = (uint64_t)hlrc_node_id(), nodes = (uint64_t)hlrc_node_count();
    pages = (uint64_t)options.megabytes * ((1 << 20) / BENCH_PAGE);
    begin = pages * me / nodes;
    end = pages * (me + 1) / nodes;
    data = hlrc_malloc_all(pages * BENCH_PAGE);
    if (data == NULL)
        bench_fail(1, "no shared memory for %lu MiB: raise --memory", options.megabytes);
    write_share();
    walk(&json, "first", in_order);
    walk(&json, "again", in_order);
    walk(&json, "at_random", at_random);
    report_share(&json);
    bench_json_close(&json);
    job_close(wrong);
}
