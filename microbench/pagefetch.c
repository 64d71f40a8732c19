/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time of a page fetch: node 0 writes all pages, all nodes enter a barrier, then every other
 * node (or only node 1) reads one word of each page. Figure 8 of Noronha and Panda (Designing High
 * Performance DSM Systems using InfiniBand) is PATTERN sequential, STATE cold.
 *
 * Two results for each pattern, in us, samples of all readers:
 *  page    one reader's time for all pages in one repetition, divided by the number of pages
 *  fetch   one page: from before the load to after it, including the fault. A thread reads the
 *          clock once per page, so its samples add up to the whole.
 *
 * and of the sequential pattern
 *  cpu     CPU time of a reader's process, all of its threads, in one repetition, divided by the
 *          number of pages. Other processes that wait for the same core do not add to it. The
 *          kernel's clock has a resolution of ns.
 *
 * Patterns:
 *  sequential  in ascending order. Cold: a region that no node touched before node 0 wrote it, so
 *              the reader's memory is not allocated and it does not know the home. Each repetition
 *              uses a new region, and none is freed before the end. Warm: node 0 writes the same
 *              pages again, and the reader has read them before. All patterns below are warm.
 *  random      in an order drawn anew for each repetition
 *  strided     each --stride-th page, then the pages after these, ...
 *  pending     with the diff still in flight: node 1 writes a word of one page after the other,
 *              whose home is node 0, and passes each page by a lock to node 2, which reads it at
 *              once. Node 0 computes. If a handler has to apply the diff, it is woken or shares
 *              the core. The fetch ends when the diff has arrived; fetch_retries counts fetches
 *              that found it missing.
 *  threads     sequential, by --threads threads of each reader, each with a share of the pages
 *
 * Each value read is checked. Counters are those of the readers while they read, per page read.
 */
#include "microbench/job.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS   BENCH_PAGE_WORDS
#define LOCK    1
#define FETCHES 50000 /* maximum samples kept per node */
#define THREADS 16
#define LOOK    200000 /* ns that a home computes between checks for the end */

static unsigned long pages = 1024, stride = 8;
static bool one_reader, cold_only;
static struct bench_list threads;
static uint64_t generation; /* of the data written; the same on all nodes */
static _Atomic uint64_t wrong;
static hlrc_atomic_t rounds_read; /* generation read last; its home is node 0 */

/* What is measured now. */
static const char *pattern;
static bool cold, pending;
static size_t thread_count;
static uint64_t *region;
static size_t *order; /* order in which the pages are read */
static double *us;    /* of each page in that order */

enum { PAGE, FETCH, CPU };

static struct job_figure figures[] = {
    { .name = "page", .unit = "us", .counters = true },
    { .name = "fetch", .unit = "us", .series.max = FETCHES },
    { .name = "cpu", .unit = "us" },
};

static int first_reader(void)
{
    return pending ? 2 : 1;
}

static int readers(void)
{
    return one_reader || pending ? 1 : hlrc_node_count() - first_reader();
}

static bool is_reader(void)
{
    int after = hlrc_node_id() - first_reader();

    return after >= 0 && after < readers();
}

static uint64_t expected(size_t page)
{
    return generation << 32 | page;
}

/* Varies within the page, since the whole page is fetched. */
static size_t word_of(size_t page)
{
    return page * WORDS + page % WORDS;
}

static void write_pages(void)
{
    for (size_t page = 0; page < pages; page++)
        for (size_t i = 0; i < WORDS; i++)
            region[page * WORDS + i] = expected(page);
}

/* Returns 1 if the page has a wrong value. */
static uint64_t read_page(size_t page)
{
    return *(const volatile uint64_t *)&region[word_of(page)] != expected(page);
}

/* ---- Reading: one thread or several, each with a share of the order ---- */

static pthread_barrier_t meet;

static void read_share(size_t thread)
{
    uint64_t before = bench_now(), bad = 0;
    size_t end = pages * (thread + 1) / thread_count;

    for (size_t i = pages * thread / thread_count; i < end; i++) {
        bad += read_page(order[i]);
        uint64_t now = bench_now();
        us[i] = bench_us_between(before, now);
        before = now;
    }
    wrong += bad;
}

static void *read_main(void *arg)
{
    pthread_barrier_wait(&meet);
    read_share((size_t)(uintptr_t)arg);
    pthread_barrier_wait(&meet);
    return NULL;
}

/* Returns us for all pages, without the clock readings. */
static double read_together(void)
{
    pthread_t thread[THREADS];

    pthread_barrier_init(&meet, NULL, (unsigned)thread_count);
    for (size_t t = 1; t < thread_count; t++)
        if (pthread_create(&thread[t], NULL, read_main, (void *)(uintptr_t)t) != 0)
            bench_fail(1, "cannot start a thread; lower --threads");
    pthread_barrier_wait(&meet);
    uint64_t start = bench_now();
    read_share(0);
    pthread_barrier_wait(&meet);
    double all = bench_us_since(start);
    for (size_t t = 1; t < thread_count; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&meet);
    return fmax(all - (double)pages / (double)thread_count * bench_clock_cost() / 1000, 0);
}

/* ---- Pages handed over one by one ---- */

/* Two locks in turn: the writer acquires the lock of the next page before it releases the lock of
 * this page, for which the reader waits. */
static hlrc_lock_t lock_of(size_t page)
{
    return (hlrc_lock_t)(LOCK + page % 2);
}

static void write_one_by_one(void)
{
    for (size_t page = 0; page < pages; page++) {
        region[word_of(page)] = expected(page);
        hlrc_lock(lock_of(page + 1));
        hlrc_unlock(lock_of(page));
    }
    hlrc_unlock(lock_of(pages));
}

/* Returns us for all pages, without the locks. */
static double read_one_by_one(void)
{
    double all = 0;

    for (size_t page = 0; page < pages; page++) {
        hlrc_lock(lock_of(page));
        uint64_t start = bench_now(), bad = read_page(page);
        us[page] = bench_us_since(start);
        hlrc_unlock(lock_of(page));
        all += us[page];
        wrong += bad;
    }
    return all;
}

static double cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void read_pages(void)
{
    job_counts_start();
    double before = cpu_us();
    double all = pending ? read_one_by_one() : read_together();
    double cpu = cpu_us() - before;
    job_counts_stop((double)pages);
    bench_series_add(&figures[PAGE].series, all / (double)pages);
    if (strcmp(pattern, "sequential") == 0)
        bench_series_add(&figures[CPU].series, cpu / (double)pages);
    for (size_t i = 0; i < pages; i++)
        bench_series_add(&figures[FETCH].series, us[i]);
}

/* ---- One repetition ---- */

static void shuffle(void)
{
    uint64_t state = generation * 0x9e3779b97f4a7c15u + (uint64_t)hlrc_node_id() + 1;

    for (size_t i = pages - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t with = (size_t)((state >> 33) % (i + 1)), page = order[i];
        order[i] = order[with];
        order[with] = page;
    }
}

static void put_in_order(void)
{
    size_t step = strcmp(pattern, "strided") == 0 ? stride : 1, count = 0;

    for (size_t first = 0; first < step; first++)
        for (size_t page = first; page < pages; page += step)
            order[count++] = page;
    if (strcmp(pattern, "random") == 0)
        shuffle();
}

static void new_region(void)
{
    region = job_allocate(pages * BENCH_PAGE, " or lower --repetitions, since each has a region");
}

/* Node 0 computes outside of the library, except for a periodic check of its own word. */
static void compute_until_read(void)
{
    while (hlrc_atomic_load(rounds_read) != generation)
        bench_wait_until(bench_now() + LOOK);
}

static void write_and_meet(void)
{
    int node = hlrc_node_id();

    if (node == 0 && !pending)
        write_pages();
    if (node == 1 && pending)
        hlrc_lock(lock_of(0));
    hlrc_barrier();
    if (node == 1 && pending)
        write_one_by_one();
    if (node == 0 && pending)
        compute_until_read();
}

static double once(void)
{
    if (cold)
        new_region();
    generation++;
    put_in_order();
    write_and_meet();
    if (is_reader())
        read_pages();
    if (is_reader() && pending)
        hlrc_atomic_exchange(rounds_read, generation);
    hlrc_barrier();
    return NAN;
}

/* ---- Patterns ---- */

/* Of the sequential pattern; without operations if it was not measured. */
static struct summary {
    struct bench_stat page;
    struct job_counts counts;
} summary_cold, summary_warm;

static struct summary measure(const char *name, size_t count)
{
    pattern = name;
    thread_count = count;
    job_report_all(figures, BENCH_COUNT(figures), once,
                   bench_shape("pattern %s state %s threads %zu pages %lu readers %d", pattern,
                               cold ? "cold" : "warm", thread_count, pages, readers()));
    return (struct summary){ figures[PAGE].stat, job_counts };
}

static void measure_sequential(void)
{
    cold = true;
    summary_cold = measure("sequential", 1);
    cold = false;
    if (!cold_only)
        summary_warm = measure("sequential", 1);
}

static void measure_pending(void)
{
    if (hlrc_node_count() < 3) {
        if (hlrc_node_id() == 0)
            puts("pending: left out, since it needs a job of three nodes");
        return;
    }
    region = job_allocate_at(pages * BENCH_PAGE, 0); /* independent of the writer */
    if (hlrc_node_id() == 0)
        job_check(hlrc_atomic_create(&rounds_read, 0), "hlrc_atomic_create");
    rounds_read.id = (uint32_t)job_agree(rounds_read.id);
    pending = true;
    (void)measure("pending", 1);
    pending = false;
}

static void measure_all(void)
{
    order = bench_memory(calloc(pages, sizeof *order));
    us = bench_memory(calloc(pages, sizeof *us));
    if (bench_wants("sequential"))
        measure_sequential();
    else
        new_region();
    uint64_t *warm = region;
    if (bench_wants("random"))
        (void)measure("random", 1);
    if (bench_wants("strided"))
        (void)measure("strided", 1);
    if (bench_wants("pending"))
        measure_pending();
    region = warm;
    for (size_t i = 0; bench_wants("threads") && i < threads.count; i++)
        (void)measure("threads", threads.value[i]);
}

/* Summary of the sequential pattern, in the JSON format used before results were an array. */
static void summarise(void)
{
    static const char *const names[] = { "page_fetches", "fetch_retries", "messages",
                                         "fetch_round_trips" };
    static const char *const units[] = { "fetches", "repeated", "messages", "round trips" };

    job_options();
    bench_json_number("pages", (double)pages);
    bench_json_string("readers", one_reader ? "one" : "all");
    if (summary_warm.counts.operations == 0)
        return;
    bench_json_stat("us_per_page", &summary_warm.page);
    bench_json_stat("us_per_page_cold", &summary_cold.page);
    job_counts_json("counters", &summary_warm.counts);
    job_counts_json("counters_cold", &summary_cold.counts);
    printf("per page, warm / cold:");
    for (size_t i = 0; i < BENCH_COUNT(names); i++)
        printf("%s %.3f / %.3f %s", i > 0 ? "," : "",
               job_counts_per(&summary_warm.counts, names[i]),
               job_counts_per(&summary_cold.counts, names[i]), units[i]);
    putchar('\n');
}

/* ---- The program ---- */

static const struct bench_figure patterns[] = {
    { "sequential", "in ascending order, cold and warm" },
    { "random", "in random order" },
    { "strided", "with a stride" },
    { "pending", "with the diff on its way; needs three nodes" },
    { "threads", "by several threads of each node" },
};

static const struct bench_program program = BENCH_PROGRAM(
    "Measure page fetches; run it under hlrcrun -n 2 or more.", patterns, 2, 10, 0.3,
    BENCH_OPTION_NUMBER("pages", 'p', "pages that node 0 writes", &pages, 1, 1ul << 24),
    BENCH_OPTION_EITHER("readers", 'R', "all|one",
                        "readers: all nodes but 0 at once, or only node 1", &one_reader, "all|one"),
    BENCH_OPTION_EITHER("states", 'c', "both|cold",
                        "page states of sequential: both, or only cold pages", &cold_only,
                        "both|cold"),
    BENCH_OPTION_NUMBER("stride", 's', "of the pattern strided, in pages", &stride, 1, 1ul << 24),
    BENCH_OPTION_NUMBERS("threads", 't', "threads of each reader", &threads, 1, THREADS, "1,2,3,4"),
    BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 2);
    measure_all();
    job_end(wrong, summarise);
}
