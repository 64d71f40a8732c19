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
#include <stdlib.h>
#include <string.h>

#define WORDS   (BENCH_PAGE / sizeof(uint64_t))
#define LOCK    1
#define MOST    4096
#define WAITING 200000 /* ns within which a node that left a barrier is waiting for the lock */

static unsigned long changed = 8, both_pages = 256;
static uint64_t wrong, generation; /* the same on all nodes */

/* ---- Pages that node 0 writes ---- */

struct dirty {
    volatile uint64_t *region;
    size_t pages;
    struct bench_series arrive, barrier;
    struct job_counts counts; /* of the barrier */
};

static uint64_t value_of(size_t page)
{
    return generation << 16 | page;
}

static void write_pages(const struct dirty *d)
{
    for (size_t page = 0; page < d->pages; page++)
        for (size_t i = 0; i < changed / sizeof(uint64_t); i++)
            d->region[page * WORDS + i] = value_of(page);
}

static void check_pages(const struct dirty *d)
{
    for (size_t page = 0; page < d->pages; page++)
        wrong += d->region[page * WORDS + (changed / sizeof(uint64_t) - 1)] != value_of(page);
}

static double barrier_once(void *context)
{
    struct dirty *d = context;
    bool writer = hlrc_node_id() == 0;

    generation++;
    if (writer)
        write_pages(d);
    job_counts_start(&d->counts);
    uint64_t start = bench_now();
    hlrc_barrier_arrive();
    double arrived = bench_us_since(start);
    hlrc_barrier_depart();
    double all = bench_us_since(start);
    job_counts_stop(&d->counts);
    if (writer) {
        bench_series_add(&d->arrive, arrived);
        bench_series_add(&d->barrier, all);
    } else if (hlrc_node_id() == 1) {
        check_pages(d);
    }
    hlrc_barrier();
    return NAN;
}

static double unlock_while_waited_for(const struct dirty *d, uint64_t waiting)
{
    write_pages(d);
    bench_wait_until(waiting);
    uint64_t start = bench_now();
    hlrc_unlock(LOCK);
    return bench_us_since(start);
}

static double unlock_once(void *context)
{
    const struct dirty *d = context;
    int node = hlrc_node_id();
    double us = NAN;

    generation++;
    if (node == 0)
        hlrc_lock(LOCK);
    hlrc_barrier();
    if (node == 0)
        us = unlock_while_waited_for(d, bench_now() + WAITING);
    if (node == hlrc_node_count() - 1) {
        hlrc_lock(LOCK);
        check_pages(d);
        hlrc_unlock(LOCK);
    }
    hlrc_barrier();
    return us;
}

static struct dirty dirty_make(size_t pages, bool own)
{
    struct dirty d = { .region = job_allocate((pages > 0 ? pages : 1) * BENCH_PAGE),
                       .pages = pages };
    int home = own ? 0 : 1;
    int rc = hlrc_node_id() == home && pages > 0
                 ? hlrc_place((void *)d.region, pages * BENCH_PAGE, home)
                 : 0;

    if (rc != 0)
        bench_fail(1, "hlrc_place: %s", strerror(-rc));
    hlrc_barrier();
    return d;
}

static void measure_barrier(size_t pages, bool own)
{
    struct dirty d = dirty_make(pages, own);

    d.arrive = bench_series_make(bench.repetitions);
    d.barrier = bench_series_make(bench.repetitions);
    size_t count = bench_warm_up(barrier_once, &d, job_agree);
    const struct bench_shape *shape =
        BENCH_SHAPE({ "pages", (double)pages, NULL }, { "bytes", (double)changed, NULL },
                    { "home", 0, own ? "own" : "other" });
    struct job_figure arrive = { "arrive", "us", shape, (double)count },
                      barrier = { "barrier", "us", shape, (double)count };

    bench_series_clear(&d.arrive);
    bench_series_clear(&d.barrier);
    d.counts = (struct job_counts){ 0 };
    bench_repeat(NULL, count, barrier_once, &d);
    if (bench_wants("arrive"))
        job_result(&arrive, &d.arrive, NULL);
    if (bench_wants("barrier"))
        job_result(&barrier, &d.barrier, &d.counts);
    bench_series_free(&d.arrive);
    bench_series_free(&d.barrier);
    hlrc_free_all((void *)d.region);
}

static void measure_unlock(size_t pages)
{
    struct dirty d = dirty_make(pages, false);
    struct job_figure figure = {
        .name = "unlock",
        .unit = "us",
        .shape = BENCH_SHAPE({ "pages", (double)pages, NULL }, { "bytes", (double)changed, NULL },
                             { "home", 0, "other" }),
    };

    job_measure(figure, unlock_once, &d);
    hlrc_free_all((void *)d.region);
}

/* ---- Pages written by both nodes ---- */

struct both {
    uint64_t *region;
    uint64_t round;
};

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

static void write_both(uint64_t *region, uint64_t node, uint64_t round)
{
    for (size_t page = 0; page < both_pages; page++) {
        volatile uint64_t *word = region + page * WORDS;
        word[word_of(node, round)] = word_value(node, round, page);
        if (round > 0)
            wrong += word[word_of(1 - node, round - 1)] != word_value(1 - node, round - 1, page);
    }
}

static double both_once(void *context)
{
    struct both *both = context;
    uint64_t node = (uint64_t)hlrc_node_id(), start = bench_now();

    if (node < 2)
        write_both(both->region, node, both->round);
    hlrc_barrier();
    both->round++;
    return node < 2 ? bench_us_since(start) / (double)both_pages : NAN;
}

static void measure_two_writers(void)
{
    struct both both = { .region = job_allocate(both_pages * BENCH_PAGE) };
    size_t half = both_pages / 2, node = (size_t)hlrc_node_id();
    struct job_figure figure = {
        .name = "two_writers",
        .unit = "us",
        .operations = (double)both_pages,
        .shape = BENCH_SHAPE({ "pages", (double)both_pages, NULL }, { "per", 0, "page" }),
    };

    if (node < 2)
        for (size_t i = 0; i < (node == 0 ? half : both_pages - half) * WORDS; i++)
            both.region[node * half * WORDS + i] = ~UINT64_C(0);
    hlrc_barrier();
    job_measure(figure, both_once, &both);
    hlrc_free_all(both.region);
}

/* ---- The program ---- */

static const struct bench_figure figures[] = {
    { "arrive", "the call of hlrc_barrier_arrive" },
    { "barrier", "the whole barrier" },
    { "unlock", "the call of hlrc_unlock, of a lock that another node waits for" },
    { "two_writers", "two nodes write each page, per page, refetch included" },
    { NULL, NULL },
};

static bool take(int key, char *arg)
{
    if (key == 'b')
        changed = bench_number("--bytes", arg, 8, BENCH_PAGE) / 8 * 8;
    else if (key == 'p')
        both_pages = bench_number("--pages", arg, 2, 1ul << 24);
    else
        return false;
    return true;
}

static const struct argp_option options[] = {
    { "bytes", 'b', "N", 0, "changed bytes of each page, in one run (default 8)", 0 },
    { "pages", 'p', "N", 0, "pages with two writers (default 256)", 0 },
    { 0 },
};

static const struct bench_program program = {
    .name = "release",
    .what = "Measure releases of dirty pages; run it under hlrcrun -n 2 or more.",
    .figures = figures,
    .warmup = 5,
    .repetitions = 50,
    .seconds = 0.3,
    .sizes = "0,1-1024",
    .sizes_are = "numbers of dirty pages",
    .smallest = 0,
    .largest = MOST,
    .options = options,
    .take = take,
};

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 2);
    for (size_t i = 0; i < bench.sizes.count; i++) {
        size_t pages = bench.sizes.value[i];
        if (bench_wants("arrive") || bench_wants("barrier")) {
            measure_barrier(pages, false);
            measure_barrier(pages, true);
        }
        if (bench_wants("unlock"))
            measure_unlock(pages);
    }
    if (bench_wants("two_writers"))
        measure_two_writers();
    (void)job_results_end();
    job_end(wrong);
}
