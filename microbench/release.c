/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of making writes visible to other nodes, by the number of dirty pages (--sizes), us.
 * Node 0 has written --bytes of each page; the time of writing, with its faults, is not included.
 *
 *  arrive        the call of hlrc_barrier_arrive, which is the release of a barrier. HOME other:
 *                the home of the pages is node 1; own: node 0, and node 1 has read them.
 *  barrier       the whole barrier, at node 0; all others arrive at once.
 *  unlock        the call of hlrc_unlock, of a lock that the last node waits for; that node then
 *                acquires the written data (home of the pages: node 1).
 *  two_writers   nodes 0 and 1 each write one word of every page, at different words. The home of
 *                the first half of the pages is node 0 if the protocol makes the first writer
 *                home; that of the second half is node 1. Barrier exit to barrier exit, per page:
 *                includes refetching the data that the other node wrote in the previous round.
 *
 * All written data is checked where it is read. Counters: of all nodes, per barrier, and per page
 * with two writers.
 */
#include "microbench/job.h"

#include <math.h>

#define WORDS   BENCH_PAGE_WORDS
#define LOCK    1
#define MOST    4096
#define WAITING 200000 /* ns within which a node that left a barrier is waiting for the lock */

static unsigned long bytes = 8, both_pages = 256;
static uint64_t wrong, generation; /* the same on all nodes */

/* ---- Pages that node 0 writes ---- */

static volatile uint64_t *region;
static size_t pages;

static uint64_t value_of(size_t page)
{
    return generation << 16 | page;
}

/* Words written of each page. */
static size_t changed(void)
{
    return bytes / sizeof(uint64_t);
}

static void write_pages(void)
{
    for (size_t page = 0; page < pages; page++)
        for (size_t i = 0; i < changed(); i++)
            region[page * WORDS + i] = value_of(page);
}

static void check_pages(void)
{
    for (size_t page = 0; page < pages; page++)
        wrong += region[page * WORDS + changed() - 1] != value_of(page);
}

enum { ARRIVE, BARRIER, UNLOCK };

static struct job_figure figures[] = {
    { "arrive", "the call of hlrc_barrier_arrive", .unit = "us" },
    { "barrier", "the whole barrier", .unit = "us", .counters = true },
    { "unlock", "the call of hlrc_unlock, of a lock that another node waits for", .unit = "us" },
    { "two_writers", "two nodes write each page, per page, refetch included", .unit = "us" },
};

static double barrier_once(void)
{
    bool writer = hlrc_node_id() == 0;

    generation++;
    if (writer)
        write_pages();
    job_counts_start();
    uint64_t start = bench_now();
    hlrc_barrier_arrive();
    double arrived = bench_us_since(start);
    hlrc_barrier_depart();
    double all = bench_us_since(start);
    job_counts_stop(writer);
    if (writer) {
        bench_series_add(&figures[ARRIVE].series, arrived);
        bench_series_add(&figures[BARRIER].series, all);
    } else if (hlrc_node_id() == 1) {
        check_pages();
    }
    hlrc_barrier();
    return NAN;
}

static void unlock(void)
{
    hlrc_unlock(LOCK);
}

static double unlock_while_waited_for(uint64_t waiting)
{
    write_pages();
    bench_wait_until(waiting);
    return bench_us_each(unlock, 1);
}

static double unlock_once(void)
{
    int node = hlrc_node_id();
    double us = NAN;

    generation++;
    if (node == 0)
        hlrc_lock(LOCK);
    hlrc_barrier();
    if (node == 0)
        us = unlock_while_waited_for(bench_now() + WAITING);
    if (node == hlrc_node_count() - 1) {
        hlrc_lock(LOCK);
        check_pages();
        hlrc_unlock(LOCK);
    }
    hlrc_barrier();
    return us;
}

static void allocate(int home)
{
    region = job_allocate_at((pages > 0 ? pages : 1) * BENCH_PAGE, home);
}

static void measure(size_t count)
{
    static const char shape[] = "pages %zu bytes %lu home %s";

    pages = count;
    for (int home = 1; home >= 0 && (bench_wants("arrive") || bench_wants("barrier")); home--) {
        allocate(home);
        job_report_all(figures, UNLOCK, barrier_once,
                       bench_shape(shape, pages, bytes, home == 0 ? "own" : "other"));
        hlrc_free_all((void *)region);
    }
    allocate(1);
    job_report("unlock", "us", 0, unlock_once, bench_shape(shape, pages, bytes, "other"));
    hlrc_free_all((void *)region);
}

/* ---- Pages written by both nodes ---- */

static uint64_t rounds;

/*
 * Word written by WRITER in ROUND. Rounds alternate between two words, so that the words of the
 * previous round can be read without a race.
 */
static size_t word_of(uint64_t writer, uint64_t round)
{
    return (writer + 2 * (round % 2)) * (WORDS / 4);
}

static uint64_t word_value(uint64_t writer, uint64_t round, size_t page)
{
    return round << 32 | page << 1 | writer;
}

static void write_both(uint64_t node, uint64_t round)
{
    for (size_t page = 0; page < both_pages; page++) {
        volatile uint64_t *word = region + page * WORDS;
        word[word_of(node, round)] = word_value(node, round, page);
        if (round > 0)
            wrong += word[word_of(1 - node, round - 1)] != word_value(1 - node, round - 1, page);
    }
}

static double both_once(void)
{
    uint64_t node = (uint64_t)hlrc_node_id(), start = bench_now();

    if (node < 2)
        write_both(node, rounds);
    hlrc_barrier();
    rounds++;
    return node < 2 ? bench_us_since(start) / (double)both_pages : NAN;
}

static void measure_two_writers(void)
{
    size_t half = both_pages / 2, node = (size_t)hlrc_node_id();

    region = job_allocate(both_pages * BENCH_PAGE, "");
    if (node < 2)
        for (size_t i = 0; i < (node == 0 ? half : both_pages - half) * WORDS; i++)
            region[node * half * WORDS + i] = ~UINT64_C(0);
    hlrc_barrier();
    job_report("two_writers", "us", (double)both_pages, both_once,
               bench_shape("pages %lu per page", both_pages));
    hlrc_free_all((void *)region);
}

/* ---- The program ---- */

static const struct bench_program program = BENCH_PROGRAM(
    "Measure releases of dirty pages; run it under hlrcrun -n 2 or more.", figures, 5, 50, 0.3,
    BENCH_OPTION_NUMBER("bytes", 'b', "changed bytes of each page, in one run", &bytes, 8,
                        BENCH_PAGE),
    BENCH_OPTION_NUMBER("pages", 'p', "pages with two writers", &both_pages, 2, 1ul << 24),
    BENCH_OPTION_SIZES("numbers of dirty pages", 0, MOST, "0,1-1024"), BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 2);
    bytes -= bytes % sizeof(uint64_t);
    for (size_t i = 0; i < bench.sizes.count; i++)
        measure(bench.sizes.value[i]);
    if (bench_wants("two_writers"))
        measure_two_writers();
    job_end(wrong, job_options);
}
