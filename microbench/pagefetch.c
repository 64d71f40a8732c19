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

#define WORDS   (BENCH_PAGE / sizeof(uint64_t))
#define LOCK    1
#define FETCHES 50000 /* maximum samples kept per node */
#define THREADS 16
#define LOOK    200000 /* ns that a home computes between checks for the end */

static unsigned long pages = 1024, stride = 8;
static bool one_reader, cold_alone;
static struct bench_list threads;
static uint64_t generation; /* of the data written; the same on all nodes */
static _Atomic uint64_t wrong;
static hlrc_atomic_t rounds_read; /* generation read last; its home is node 0 */

struct phase {
    const char *pattern;
    bool cold, pending;
    size_t threads;
    uint64_t *region;
    size_t *order; /* order in which the pages are read */
    struct bench_series page, fetch, cpu;
    struct job_counts counts;
};

static int first_reader(const struct phase *p)
{
    return p->pending ? 2 : 1;
}

static bool is_reader(const struct phase *p)
{
    int node = hlrc_node_id(), first = first_reader(p);

    return one_reader || p->pending ? node == first : node >= first;
}

static int readers(const struct phase *p)
{
    return one_reader || p->pending ? 1 : hlrc_node_count() - first_reader(p);
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

static void write_pages(uint64_t *region)
{
    for (size_t page = 0; page < pages; page++)
        for (size_t i = 0; i < WORDS; i++)
            region[page * WORDS + i] = expected(page);
}

/* ---- Reading: one thread or several, each with a share of the order ---- */

struct share {
    const struct phase *phase;
    size_t first, end;
    double *us; /* one per page */
    pthread_barrier_t *meet;
};

static void read_share(const struct share *share)
{
    const struct phase *p = share->phase;
    double cost = bench_clock_cost();
    uint64_t before = bench_now(), bad = 0;

    for (size_t i = share->first; i < share->end; i++) {
        size_t page = p->order[i];
        bad += *(const volatile uint64_t *)&p->region[word_of(page)] != expected(page);
        uint64_t now = bench_now();
        double ns = (double)(now - before) - cost;
        share->us[i] = ns > 0 ? ns / 1000 : 0;
        before = now;
    }
    wrong += bad;
}

static void *read_main(void *arg)
{
    const struct share *share = arg;

    pthread_barrier_wait(share->meet);
    read_share(share);
    pthread_barrier_wait(share->meet);
    return NULL;
}

/* Returns us for all pages, without the clock readings. */
static double read_together(const struct phase *p, double *us)
{
    struct share share[THREADS];
    pthread_t thread[THREADS];
    pthread_barrier_t meet;

    pthread_barrier_init(&meet, NULL, (unsigned)p->threads);
    for (size_t t = 0; t < p->threads; t++)
        share[t] =
            (struct share){ p, pages * t / p->threads, pages * (t + 1) / p->threads, us, &meet };
    for (size_t t = 1; t < p->threads; t++)
        if (pthread_create(&thread[t], NULL, read_main, &share[t]) != 0)
            bench_fail(1, "cannot start a thread; lower --threads");
    pthread_barrier_wait(&meet);
    uint64_t start = bench_now();
    read_share(&share[0]);
    pthread_barrier_wait(&meet);
    double all = bench_us_since(start);
    for (size_t t = 1; t < p->threads; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&meet);
    double readings = (double)pages / (double)p->threads * bench_clock_cost() / 1000;
    return all > readings ? all - readings : 0;
}

/* ---- Pages handed over one by one ---- */

/* Two locks in turn: the writer acquires the lock of the next page before it releases the lock of
 * this page, for which the reader waits. */
static hlrc_lock_t lock_of(size_t page)
{
    return (hlrc_lock_t)(LOCK + page % 2);
}

static void write_one_by_one(const struct phase *p)
{
    for (size_t page = 0; page < pages; page++) {
        p->region[word_of(page)] = expected(page);
        hlrc_lock(lock_of(page + 1));
        hlrc_unlock(lock_of(page));
    }
    hlrc_unlock(lock_of(pages));
}

/* Returns us for all pages, without the locks. */
static double read_one_by_one(const struct phase *p, double *us)
{
    double all = 0;

    for (size_t page = 0; page < pages; page++) {
        hlrc_lock(lock_of(page));
        uint64_t start = bench_now();
        bool bad = *(const volatile uint64_t *)&p->region[word_of(page)] != expected(page);
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

static void read_pages(struct phase *p)
{
    static double *us;

    if (us == NULL && (us = calloc(pages, sizeof *us)) == NULL)
        bench_fail(1, "out of memory: %lu pages; lower --pages", pages);
    job_counts_start(&p->counts);
    double before = cpu_us();
    double all = p->pending ? read_one_by_one(p, us) : read_together(p, us);
    double cpu = cpu_us() - before;
    job_counts_stop(&p->counts);
    bench_series_add(&p->page, all / (double)pages);
    bench_series_add(&p->cpu, cpu / (double)pages);
    for (size_t i = 0; i < pages; i++)
        bench_series_add(&p->fetch, us[i]);
}

/* ---- One repetition ---- */

static void shuffle(size_t *order)
{
    uint64_t state = generation * 0x9e3779b97f4a7c15u + (uint64_t)hlrc_node_id() + 1;

    for (size_t i = pages - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t with = (size_t)((state >> 33) % (i + 1)), page = order[i];
        order[i] = order[with];
        order[with] = page;
    }
}

static void put_in_order(const struct phase *p)
{
    bool strided = strcmp(p->pattern, "strided") == 0;
    size_t step = strided ? stride : 1, count = 0;

    for (size_t first = 0; first < step; first++)
        for (size_t page = first; page < pages; page += step)
            p->order[count++] = page;
    if (strcmp(p->pattern, "random") == 0)
        shuffle(p->order);
}

static uint64_t *new_region(void)
{
    uint64_t *region = hlrc_malloc_all(pages * BENCH_PAGE);

    if (region == NULL)
        bench_fail(1,
                   "shared memory for %lu regions of %lu pages is not available; raise --memory or "
                   "lower --repetitions",
                   bench.repetitions + bench.warmup, pages);
    return region;
}

/* Node 0 computes outside of the library, except for a periodic check of its own word. */
static void compute_until_read(void)
{
    while (hlrc_atomic_load(rounds_read) != generation)
        bench_wait_until(bench_now() + LOOK);
}

static void write_and_meet(const struct phase *p)
{
    int node = hlrc_node_id();

    if (node == 0 && !p->pending)
        write_pages(p->region);
    if (node == 1 && p->pending)
        hlrc_lock(lock_of(0));
    hlrc_barrier();
    if (node == 1 && p->pending)
        write_one_by_one(p);
    if (node == 0 && p->pending)
        compute_until_read();
}

static double phase_once(void *context)
{
    struct phase *p = context;

    if (p->cold)
        p->region = new_region();
    generation++;
    put_in_order(p);
    write_and_meet(p);
    if (is_reader(p))
        read_pages(p);
    if (is_reader(p) && p->pending)
        hlrc_atomic_exchange(rounds_read, generation);
    hlrc_barrier();
    return NAN;
}

/* ---- Phases ---- */

struct told {
    struct bench_stat page;
    double fetches, repeated, messages, round_trips; /* per page */
    struct job_counts counts;
    double operations;
    bool made;
};

static struct told told_cold, told_warm;

static void tell(struct phase *p, struct told *told)
{
    struct bench_stat fetch = job_stat(&p->fetch), cpu = job_stat(&p->cpu);
    const struct bench_shape *shape =
        BENCH_SHAPE({ "pattern", 0, p->pattern }, { "state", 0, p->cold ? "cold" : "warm" },
                    { "threads", (double)p->threads, NULL }, { "pages", (double)pages, NULL },
                    { "readers", readers(p), NULL });

    told->page = job_stat(&p->page);
    told->operations = (double)told->page.count * (double)pages;
    job_counts_sum(&p->counts);
    told->counts = p->counts;
    told->made = true;
    if (hlrc_node_id() != 0)
        return;
    struct bench_json *json = bench_result_begin("page", "us", shape, &told->page);
    job_counts_json(json, "counters", &told->counts, told->operations);
    bench_result_end();
    bench_result("fetch", "us", shape, &fetch);
    if (strcmp(p->pattern, "sequential") == 0)
        bench_result("cpu", "us", shape, &cpu);
}

static struct told measure(struct phase *p)
{
    struct told told = { .made = false };
    size_t most = bench.repetitions > bench.warmup ? bench.repetitions : bench.warmup;

    p->order = calloc(pages, sizeof *p->order);
    if (p->order == NULL)
        bench_fail(1, "out of memory: %lu pages; lower --pages", pages);
    p->page = bench_series_make(most);
    p->cpu = bench_series_make(most);
    p->fetch = bench_series_make(FETCHES);
    size_t count = bench_warm_up(phase_once, p, job_agree);
    bench_series_clear(&p->page);
    bench_series_clear(&p->cpu);
    bench_series_clear(&p->fetch);
    p->counts = (struct job_counts){ 0 };
    bench_repeat(NULL, count, phase_once, p);
    tell(p, &told);
    free(p->order);
    return told;
}

/* A region whose home is node 0, independent of the writer. */
static uint64_t *placed_region(void)
{
    uint64_t *region = new_region();
    int rc = hlrc_node_id() == 0 ? hlrc_place(region, pages * BENCH_PAGE, 0) : 0;

    if (rc == 0 && hlrc_node_id() == 0)
        rc = hlrc_atomic_create(&rounds_read, 0);
    if (rc != 0)
        bench_fail(1, "hlrc_place, hlrc_atomic_create: %s", strerror(-rc));
    rounds_read = (hlrc_atomic_t)job_agree(rounds_read);
    hlrc_barrier();
    return region;
}

/* A region that readers have read, or a new one. */
static uint64_t *region_of(const struct phase *before)
{
    return before->region != NULL ? before->region : new_region();
}

static void measure_pending(void)
{
    struct phase pending = { .pattern = "pending", .threads = 1, .pending = true };

    if (hlrc_node_count() > 2) {
        pending.region = placed_region();
        (void)measure(&pending);
    } else if (hlrc_node_id() == 0) {
        puts("pending: left out, since it needs a job of three nodes");
    }
}

static void measure_all(void)
{
    struct phase sequential = { .pattern = "sequential", .cold = true, .threads = 1 };

    if (bench_wants("sequential")) {
        told_cold = measure(&sequential);
        sequential.cold = false;
        if (!cold_alone)
            told_warm = measure(&sequential);
    }
    uint64_t *region = region_of(&sequential);
    struct phase random = { .pattern = "random", .threads = 1, .region = region },
                 strided = { .pattern = "strided", .threads = 1, .region = region };
    if (bench_wants("random"))
        (void)measure(&random);
    if (bench_wants("strided"))
        (void)measure(&strided);
    if (bench_wants("pending"))
        measure_pending();
    for (size_t i = 0; bench_wants("threads") && i < threads.count; i++) {
        struct phase of_threads = { .pattern = "threads",
                                    .threads = threads.value[i],
                                    .region = region };
        (void)measure(&of_threads);
    }
}

/* Summary of the sequential pattern, in the JSON format used before results were an array. */
static void summarise(struct bench_json *json)
{
    static const char *const names[] = { "page_fetches", "fetch_retries", "messages",
                                         "fetch_round_trips" };
    static const char *const units[] = { "fetches", "repeated", "messages", "round trips" };

    bench_json_unsigned(json, "pages", pages);
    bench_json_string(json, "readers", one_reader ? "one" : "all");
    if (!told_warm.made)
        return;
    bench_json_stat(json, "us_per_page", &told_warm.page);
    bench_json_stat(json, "us_per_page_cold", &told_cold.page);
    job_counts_json(json, "counters", &told_warm.counts, told_warm.operations);
    job_counts_json(json, "counters_cold", &told_cold.counts, told_cold.operations);
    printf("per page, warm / cold:");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        printf("%s %.3f / %.3f %s", i > 0 ? "," : "",
               job_counts_per(&told_warm.counts, names[i], told_warm.operations),
               job_counts_per(&told_cold.counts, names[i], told_cold.operations), units[i]);
    putchar('\n');
}

/* ---- The program ---- */

static const struct bench_figure figures[] = {
    { "sequential", "in ascending order, cold and warm" },
    { "random", "in random order" },
    { "strided", "with a stride" },
    { "pending", "with the diff on its way; needs three nodes" },
    { "threads", "by several threads of each node" },
    { NULL, NULL },
};

static void take_readers(const char *arg)
{
    one_reader = strcmp(arg, "one") == 0;
    if (!one_reader && strcmp(arg, "all") != 0)
        bench_fail(2, "--readers %s: no such choice; choose all or one", arg);
}

static void take_states(const char *arg)
{
    cold_alone = strcmp(arg, "cold") == 0;
    if (!cold_alone && strcmp(arg, "both") != 0)
        bench_fail(2, "--states %s: no such choice; choose both or cold", arg);
}

static bool take(int key, char *arg)
{
    if (key == 'p')
        pages = bench_number("--pages", arg, 1, 1ul << 24);
    else if (key == 'R')
        take_readers(arg);
    else if (key == 'c')
        take_states(arg);
    else if (key == 's')
        stride = bench_number("--stride", arg, 1, 1ul << 24);
    else if (key == 't')
        threads = bench_numbers("--threads", arg, 1, THREADS);
    else
        return false;
    return true;
}

static const struct argp_option options[] = {
    { "pages", 'p', "N", 0, "pages that node 0 writes (default 1024)", 0 },
    { "readers", 'R', "all|one", 0,
      "readers: all nodes but 0 at once, or only node 1 (default all)", 0 },
    { "states", 'c', "both|cold", 0,
      "page states of sequential: both (default), or only cold pages", 0 },
    { "stride", 's', "N", 0, "of the pattern strided, in pages (default 8)", 0 },
    { "threads", 't', "LIST", 0, "threads of each reader (default 1,2,3,4)", 0 },
    { 0 },
};

static const struct bench_program program = {
    .name = "pagefetch",
    .what = "Measure page fetches; run it under hlrcrun -n 2 or more.",
    .figures = figures,
    .warmup = 2,
    .repetitions = 10,
    .seconds = 0.3,
    .options = options,
    .take = take,
};

int main(int argc, char **argv)
{
    threads = bench_numbers("--threads", "1,2,3,4", 1, THREADS);
    job_page_by_page();
    job_begin(&argc, &argv, &program, 2);
    measure_all();
    struct bench_json *json = job_results_end();
    if (json != NULL)
        summarise(json);
    job_end(wrong);
}
