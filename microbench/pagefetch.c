/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time of a page fetch: node 0 writes all pages, all nodes meet in a barrier, then every other
 * node (or node 1 alone) reads one word of each page.
 *
 * A sample is the time of one reader for all pages in one repetition, divided by the number of
 * pages; the median is over repetitions and readers. Cold: a region that nobody touched before node
 * 0 wrote it, so the reader's memory is not allocated and it does not know the home; each
 * repetition takes a new region, and none is freed before the end. Warm: node 0 writes the same
 * pages again, and the reader has read them before.
 *
 * Node 0 writes whole pages, and each value read is checked. Counters are those of the readers
 * while they read, per page read.
 */
#include "microbench/job.h"

#include <string.h>

#define WORDS (BENCH_PAGE / sizeof(uint64_t))

struct options {
    const char *json;
    unsigned long pages;
    unsigned long rounds;
    unsigned long warm_up;
    bool one_reader;
};

struct phase {
    struct job_series series;
    struct job_counts counts;
    struct bench_stat stat;
};

static struct options options = { .pages = 1024, .rounds = 10, .warm_up = 2 };
static uint64_t generation; /* of what node 0 writes; the same on all nodes */
static uint64_t wrong;

static bool is_reader(void)
{
    return options.one_reader ? hlrc_node_id() == 1 : hlrc_node_id() != 0;
}

static uint64_t expected(size_t page)
{
    return generation << 32 | page;
}

static void write_pages(uint64_t *region)
{
    for (size_t page = 0; page < options.pages; page++)
        for (size_t i = 0; i < WORDS; i++)
            region[page * WORDS + i] = expected(page);
}

/* Time per page in us. Not always the first word of a page: all of it is fetched. */
static double read_pages(const uint64_t *region)
{
    uint64_t start = bench_now();

    for (size_t page = 0; page < options.pages; page++)
        wrong += *(const volatile uint64_t *)&region[page * WORDS + page % WORDS] != expected(page);
    return (double)(bench_now() - start) / 1000 / (double)options.pages;
}

static void repeat(struct phase *phase, uint64_t *region, bool warm_up)
{
    generation++;
    if (hlrc_node_id() == 0)
        write_pages(region);
    hlrc_barrier();
    if (is_reader()) {
        struct job_counts counts = phase->counts;
        job_counts_start(&counts);
        double time = read_pages(region);
        job_counts_stop(&counts);
        if (!warm_up) {
            job_series_add(&phase->series, time);
            phase->counts = counts;
        }
    }
    hlrc_barrier();
}

static uint64_t *new_region(void)
{
    uint64_t *region = hlrc_malloc_all(options.pages * BENCH_PAGE);

    if (region == NULL)
        bench_fail(1,
                   "shared memory for %lu regions of %lu pages is not available; raise --memory or "
                   "lower --rounds",
                   options.rounds + options.warm_up, options.pages);
    return region;
}

/* The warm phase goes on with the last region of the cold one. */
static void measure(struct phase *cold, struct phase *warm)
{
    uint64_t *region = NULL;

    for (unsigned long r = 0; r < options.warm_up + options.rounds; r++) {
        region = new_region();
        repeat(cold, region, r < options.warm_up);
    }
    for (unsigned long r = 0; r < options.warm_up + options.rounds; r++)
        repeat(warm, region, r < options.warm_up);
}

static void finish(struct phase *phase)
{
    phase->stat = job_series_stat(&phase->series);
    job_counts_sum(&phase->counts);
}

static void report(struct bench_json *json, const struct phase *cold, const struct phase *warm)
{
    int readers = options.one_reader ? 1 : hlrc_node_count() - 1;
    double reads = (double)options.pages * (double)options.rounds * readers;

    printf("protocol %s, nodes %d, pages %lu, readers %d\n", job_protocol(), hlrc_node_count(),
           options.pages, readers);
    bench_heading("us per page");
    bench_row("warm", warm->stat, "written again, read again");
    bench_row("cold", cold->stat, "never touched here before");
    printf(
        "per page, warm / cold: %.3f / %.3f fetches, %.3f / %.3f repeated, %.3f / %.3f messages, "
        "%.3f / %.3f round trips\n",
        job_counts_per(&warm->counts, "page_fetches", reads),
        job_counts_per(&cold->counts, "page_fetches", reads),
        job_counts_per(&warm->counts, "fetch_retries", reads),
        job_counts_per(&cold->counts, "fetch_retries", reads),
        job_counts_per(&warm->counts, "messages", reads),
        job_counts_per(&cold->counts, "messages", reads),
        job_counts_per(&warm->counts, "fetch_round_trips", reads),
        job_counts_per(&cold->counts, "fetch_round_trips", reads));

    bench_json_string(json, "protocol", job_protocol());
    bench_json_unsigned(json, "nodes", (uint64_t)hlrc_node_count());
    bench_json_unsigned(json, "pages", options.pages);
    bench_json_string(json, "readers", options.one_reader ? "one" : "all");
    bench_json_unsigned(json, "rounds", options.rounds);
    bench_json_stat(json, "us_per_page", warm->stat);
    bench_json_stat(json, "us_per_page_cold", cold->stat);
    job_counts_json(json, "counters", &warm->counts, reads);
    job_counts_json(json, "counters_cold", &cold->counts, reads);
    bench_json_close(json);
}

static void parse_readers(const char *arg)
{
    options.one_reader = strcmp(arg, "one") == 0;
    if (!options.one_reader && strcmp(arg, "all") != 0)
        bench_fail(2, "--readers %s: no such choice; choose all or one", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'p':
        options.pages = bench_number("--pages", arg, 1, 1ul << 24);
        return 0;
    case 'r':
        options.rounds = bench_number("--rounds", arg, 1, 100000);
        return 0;
    case 'w':
        options.warm_up = bench_number("--warm-up", arg, 0, 1000);
        return 0;
    case 'R':
        parse_readers(arg);
        return 0;
    default:
        return bench_option(key, arg, state, &options.json);
    }
}

static const struct argp_option argp_options[] = {
    BENCH_JSON_OPTION,
    { "pages", 'p', "N", 0, "pages that node 0 writes (default 1024)", 0 },
    { "readers", 'R', "all|one", 0,
      "who reads: all other nodes at once, or node 1 alone (default all)", 0 },
    { "rounds", 'r', "N", 0, "repetitions (default 10)", 0 },
    { "warm-up", 'w', "N", 0, "repetitions before these (default 2)", 0 },
    { 0 },
};

int main(int argc, char **argv)
{
    static const struct argp argp = {
        argp_options, parse_option,
        NULL,         "Measure page fetches; run it under hlrcrun -n 2 or more.",
        NULL,         NULL,
        NULL,
    };
    struct phase cold = { 0 }, warm = { 0 };
    struct bench_json json = { 0 };

    job_page_by_page();
    job_open(&argc, &argv, &argp, &options, 2);
    if (hlrc_node_id() == 0)
        bench_json_open(&json, options.json);
    cold.series = job_series_make(options.rounds);
    warm.series = job_series_make(options.rounds);
    measure(&cold, &warm);
    finish(&cold);
    finish(&warm);
    if (hlrc_node_id() == 0)
        report(&json, &cold, &warm);
    job_close(wrong);
}
