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

#define WORDS BENCH_PAGE_WORDS

static unsigned long megabytes = 256;
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

/* Of a sample of each node. */
static struct bench_stat stat_of(double sample)
{
    struct bench_series series = { 0 };

    bench_series_add(&series, sample);
    return job_stat(&series);
}

static void walk(const char *name, uint64_t (*which)(uint64_t))
{
    hlrc_barrier();
    uint64_t start = bench_now();
    for (uint64_t k = 0; k < pages; k++)
        read_page(which(k));
    double us = (double)(bench_now() - start) / 1000;
    job_row(name, stat_of(us / (double)(pages - (end - begin))), "");
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

static void report_share(void)
{
    double most = stat_of(share_here()).max;

    if (hlrc_node_id() != 0)
        return;
    printf("in memory      %.1f %% of the data at most\n", most);
    bench_json_number("in_memory_percent", most);
}

static const struct bench_program program =
    BENCH_PROGRAM_OF_ROWS("Measure walks through more data than a node may keep; run it under "
                          "hlrcrun, with --cache-size for instance.",
                          0, 1,
                          BENCH_OPTION_NUMBER("megabytes", 'm',
                                              "MiB of shared data, of all nodes together",
                                              &megabytes, 1, 1000000),
                          BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 2);
    uint64_t me = (uint64_t)hlrc_node_id(), nodes = (uint64_t)hlrc_node_count();
    pages = (uint64_t)megabytes * ((1 << 20) / BENCH_PAGE);
    begin = pages * me / nodes;
    end = pages * (me + 1) / nodes;
    data = job_allocate(pages * BENCH_PAGE, "");
    write_share();
    walk("first", in_order);
    walk("again", in_order);
    walk("at_random", at_random);
    report_share();
    job_end(wrong, NULL);
}
