/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What synchronisation costs. Times in microseconds, medians over the samples of all nodes that
 * take part; counters are those of all nodes together, per operation.
 *
 *  lock_cached     lock and unlock of a lock that node 0 held last; the others wait in a barrier.
 *                  An operation is one lock and unlock.
 *  lock_remote     lock and unlock of a lock that another node held last and nobody wants. Nodes 0
 *                  and 1 take turns by a timetable, which sends nothing and, unlike a barrier, has
 *                  nobody wait in the library. When a node takes the lock, the other's core has
 *                  been idle for SLOT: the deeper it sleeps, the longer a wake takes. Only the lock
 *                  and unlock are timed and counted; a node that is late for its turn spoils one
 *                  sample.
 *  lock_contended  all nodes lock, increment a shared counter, unlock, over and over. Time from
 *                  barrier exit to barrier exit per increment of any node.
 *  turns           the same for TURNS_MS milliseconds, by the clock; per hand-over, that is, per
 *                  increment of a counter that another node has incremented last.
 *                  turns_increments: per increment of any node. turns_unequal: increments of the
 *                  node that had most / of the one that had least.
 *  barrier         nothing written; nodes arrive together.
 *  barriers        the same, back to back: the clock is read once for 50 of them.
 *  two_writers     nodes 0 and 1 each write one word of every page, other words than the other; the
 *                  home of the first half of the pages is node 0 if the protocol makes the first
 *                  writer home, that of the second half node 1. Barrier exit to barrier exit, per
 *                  page: it includes refetching what the other wrote in the round before. The
 *                  other's word of the round before is read and checked.
 */
#include "microbench/job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS    (BENCH_PAGE / sizeof(uint64_t))
#define WARM_UP  5
#define BATCH    200 /* operations in one sample of what is too short to be timed alone */
#define BARRIERS 50
#define TURNS_MS 100
/* ns from turn to turn: as long as the sleep before the wake floor of the fault benchmark; and how
 * long before its turn a node wakes up, so that it is not the one that was asleep. */
#define SLOT 2000000
#define LEAD 1000000

struct options {
    const char *json;
    unsigned long rounds;
    unsigned long pages;
    unsigned long lock;
    const char *only; /* NULL: all */
};

static struct options options = { .rounds = 100, .pages = 256, .lock = 1 };
static uint64_t wrong;

struct result {
    struct job_series series;
    struct job_counts counts;
    double operations;                     /* of all nodes together, for the counters */
    uint64_t homes[2];                     /* pages whose home is node 0, node 1 */
    struct job_series increments, unequal; /* turns; at node 0 */
};

static double us_since(uint64_t start)
{
    return (double)(bench_now() - start) / 1000;
}

static void sleep_until(uint64_t when)
{
    struct timespec time = { (time_t)(when / 1000000000), (long)(when % 1000000000) };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void *allocate(size_t size)
{
    void *at = hlrc_malloc_all(size);

    if (at == NULL)
        bench_fail(1,
                   "%zu bytes of shared memory are not available; raise --memory or lower --pages",
                   size);
    return at;
}

/* ---- Locks ---- */

static void lock_unlock(void)
{
    hlrc_lock((hlrc_lock_t)options.lock);
    hlrc_unlock((hlrc_lock_t)options.lock);
}

static void lock_cached(struct result *result)
{
    if (hlrc_node_id() == 0) {
        lock_unlock();
        job_counts_start(&result->counts);
        for (unsigned long r = 0; r < options.rounds; r++) {
            uint64_t start = bench_now();
            for (int i = 0; i < BATCH; i++)
                lock_unlock();
            job_series_add(&result->series, us_since(start) / BATCH);
        }
        job_counts_stop(&result->counts);
    }
    hlrc_barrier();
    result->operations = (double)options.rounds * BATCH;
}

static void take_turn(struct result *result, uint64_t when, bool counted)
{
    struct job_counts counts = result->counts;

    sleep_until(when - LEAD);
    bench_wait_until(when);
    job_counts_start(&counts);
    uint64_t start = bench_now();
    lock_unlock();
    double time = us_since(start);
    job_counts_stop(&counts);
    if (counted) {
        job_series_add(&result->series, time);
        result->counts = counts;
    }
}

static void lock_remote(struct result *result)
{
    uint64_t node = (uint64_t)hlrc_node_id(), start = bench_now() + 2 * SLOT;
    int rc = hlrc_broadcast(&start, sizeof(start), 0);

    if (rc != 0)
        bench_fail(1, "hlrc_broadcast: %s", strerror(-rc));
    for (uint64_t r = 0; node < 2 && r < WARM_UP + options.rounds; r++)
        take_turn(result, start + (2 * r + node) * SLOT, r >= WARM_UP);
    hlrc_barrier();
    result->operations = 2 * (double)options.rounds;
}

static void lock_contended(struct result *result)
{
    volatile uint64_t *counter = allocate(sizeof(*counter));
    uint64_t each = BATCH / 2, nodes = (uint64_t)hlrc_node_count();

    for (unsigned long r = 0; r < options.rounds / 5 + 1; r++) {
        hlrc_barrier();
        job_counts_start(&result->counts);
        uint64_t start = bench_now();
        for (uint64_t i = 0; i < each; i++) {
            hlrc_lock((hlrc_lock_t)options.lock);
            *counter += 1;
            hlrc_unlock((hlrc_lock_t)options.lock);
        }
        hlrc_barrier();
        job_series_add(&result->series, us_since(start) / (double)(each * nodes));
        job_counts_stop(&result->counts);
        result->operations += (double)(each * nodes);
        wrong += *counter != (r + 1) * each * nodes;
    }
    hlrc_barrier();
    hlrc_free_all((void *)counter);
}

struct turns {
    uint64_t count; /* increments */
    uint64_t last;  /* who made the last one */
    uint64_t handovers;
};

/* Returns how many increments were this node's. */
static uint64_t take_turns(volatile struct turns *t)
{
    uint64_t me = (uint64_t)hlrc_node_id(), mine = 0, end = bench_now() + TURNS_MS * 1000000;

    for (; bench_now() < end; mine++) {
        hlrc_lock((hlrc_lock_t)options.lock);
        t->count++;
        t->handovers += t->last != me;
        t->last = me;
        hlrc_unlock((hlrc_lock_t)options.lock);
    }
    return mine;
}

static double at_least_1(double x)
{
    return x > 1 ? x : 1;
}

/* Returns the increments of all nodes. */
static uint64_t sample_turns(struct result *result, volatile struct turns *t)
{
    struct job_series each = job_series_make(1);

    hlrc_barrier();
    uint64_t handovers = t->handovers;
    hlrc_barrier();
    job_counts_start(&result->counts);
    uint64_t start = bench_now(), mine = take_turns(t);
    hlrc_barrier();
    double us = us_since(start);
    job_counts_stop(&result->counts);
    job_series_add(&each, (double)mine);
    struct bench_stat of_nodes = job_series_stat(&each);
    uint64_t all = job_sum(mine);
    if (hlrc_node_id() == 0) {
        job_series_add(&result->series, us / at_least_1((double)(t->handovers - handovers)));
        job_series_add(&result->increments, us / (double)all);
        job_series_add(&result->unequal, of_nodes.max / at_least_1(of_nodes.min));
    }
    return all;
}

static void turns(struct result *result)
{
    volatile struct turns *t = allocate(sizeof(*t));
    unsigned long rounds = options.rounds / 20 + 1;
    uint64_t all = 0;

    result->increments = job_series_make(rounds);
    result->unequal = job_series_make(rounds);
    for (unsigned long r = 0; r < rounds; r++) {
        all += sample_turns(result, t);
        wrong += t->count != all;
    }
    result->operations = (double)all;
    hlrc_barrier();
    hlrc_free_all((void *)t);
}

/* ---- Barriers ---- */

static void barriers(struct result *result)
{
    for (int i = 0; i < WARM_UP * BARRIERS; i++)
        hlrc_barrier();
    job_counts_start(&result->counts);
    for (unsigned long r = 0; r < options.rounds; r++) {
        uint64_t start = bench_now();
        for (int i = 0; i < BARRIERS; i++)
            hlrc_barrier();
        job_series_add(&result->series, us_since(start) / BARRIERS);
    }
    job_counts_stop(&result->counts);
    result->operations = (double)options.rounds * BARRIERS;
}

static void barrier(struct result *result)
{
    for (int i = 0; i < WARM_UP; i++)
        hlrc_barrier();
    job_counts_start(&result->counts);
    for (unsigned long r = 0; r < options.rounds; r++) {
        uint64_t start = bench_now();
        hlrc_barrier();
        job_series_add(&result->series, us_since(start));
    }
    job_counts_stop(&result->counts);
    result->operations = (double)options.rounds;
}

/*
 * Where WRITER writes in ROUND: rounds alternate between two words, so that what is read of the
 * round before is not being written.
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
    for (size_t page = 0; page < options.pages; page++) {
        volatile uint64_t *word = region + page * WORDS;
        word[word_of(node, round)] = word_value(node, round, page);
        if (round > 0)
            wrong += word[word_of(1 - node, round - 1)] != word_value(1 - node, round - 1, page);
    }
}

static void two_writers(struct result *result)
{
    uint64_t *region = allocate(options.pages * BENCH_PAGE);
    size_t half = options.pages / 2, node = (size_t)hlrc_node_id();

    if (node < 2)
        for (size_t i = 0; i < (node == 0 ? half : options.pages - half) * WORDS; i++)
            region[node * half * WORDS + i] = ~UINT64_C(0);
    hlrc_barrier();
    for (uint64_t r = 0; r < WARM_UP + options.rounds; r++) {
        struct job_counts counts = result->counts;
        job_counts_start(&counts);
        uint64_t start = bench_now();
        if (node < 2)
            write_both(region, node, r);
        hlrc_barrier();
        double time = us_since(start) / (double)options.pages;
        job_counts_stop(&counts);
        if (r < WARM_UP)
            continue;
        result->counts = counts;
        if (node < 2)
            job_series_add(&result->series, time);
    }
    for (size_t page = 0; page < options.pages; page++) {
        int home = hlrc_home(region + page * WORDS);
        if (home == 0 || home == 1)
            result->homes[home]++;
    }
    hlrc_free_all(region);
    result->operations = (double)options.pages * (double)options.rounds;
}

/* ---- The program ---- */

struct test {
    const char *name;
    void (*run)(struct result *result);
    int nodes; /* at least */
    const char *what;
};

static const struct test tests[] = {
    { "lock_cached", lock_cached, 1, "lock + unlock, held here last" },
    { "lock_remote", lock_remote, 2, "lock + unlock, held elsewhere last, free" },
    { "lock_contended", lock_contended, 2, "lock + increment + unlock, all nodes" },
    { "turns", turns, 2, "per hand-over from node to node" },
    { "barrier", barrier, 1, "nothing written" },
    { "barriers", barriers, 1, "nothing written, back to back" },
    { "two_writers", two_writers, 2, "per page, refetch included" },
};

/* Figures that a test has beside its own. */
static void tell_beside(struct bench_json *json, const char *name, struct job_series *series,
                        const char *what)
{
    if (job_sum(series->max) == 0)
        return;
    struct bench_stat stat = job_series_stat(series);
    if (hlrc_node_id() != 0)
        return;
    bench_row(name, stat, what);
    bench_json_stat(json, name, stat);
}

static void tell(struct bench_json *json, const struct test *test, const struct result *result,
                 struct bench_stat stat)
{
    char name[64];

    bench_row(test->name, stat, test->what);
    printf("%-22s %10.3f messages %10.3f wakes per operation\n", "",
           job_counts_per(&result->counts, "messages", result->operations),
           job_counts_per(&result->counts, "wakes", result->operations));
    snprintf(name, sizeof(name), "%s_us", test->name);
    bench_json_stat(json, name, stat);
    snprintf(name, sizeof(name), "%s_counters", test->name);
    job_counts_json(json, name, &result->counts, result->operations);
    if (result->homes[0] + result->homes[1] > 0) {
        bench_json_unsigned(json, "two_writers_homes_0", result->homes[0]);
        bench_json_unsigned(json, "two_writers_homes_1", result->homes[1]);
    }
}

static void run(const struct test *test, struct bench_json *json)
{
    struct result result = { .series = job_series_make(options.rounds + 1) };

    hlrc_barrier();
    test->run(&result);
    struct bench_stat stat = job_series_stat(&result.series);
    job_counts_sum(&result.counts);
    if (hlrc_node_id() == 0)
        tell(json, test, &result, stat);
    tell_beside(json, "turns_increments_us", &result.increments, "per increment of any node");
    tell_beside(json, "turns_unequal", &result.unequal, "not us: most / least of a node");
}

static const char *known(const char *name)
{
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (strcmp(name, tests[i].name) == 0)
            return name;
    bench_fail(2, "--only %s: no such figure; choose one of the table", name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'l':
        options.lock = bench_number("--lock", arg, 0, HLRC_STATIC_LOCKS - 1);
        return 0;
    case 'o':
        options.only = known(arg);
        return 0;
    case 'p':
        options.pages = bench_number("--pages", arg, 2, 1ul << 24);
        return 0;
    case 'r':
        options.rounds = bench_number("--rounds", arg, 1, 100000);
        return 0;
    default:
        return bench_option(key, arg, state, &options.json);
    }
}

static const struct argp_option argp_options[] = {
    BENCH_JSON_OPTION,
    { "lock", 'l', "N", 0, "the lock to use (default 1)", 0 },
    { "only", 'o', "NAME", 0, "one figure alone", 0 },
    { "pages", 'p', "N", 0, "pages with two writers (default 256)", 0 },
    { "rounds", 'r', "N", 0, "samples of each figure (default 100)", 0 },
    { 0 },
};

int main(int argc, char **argv)
{
    static const struct argp argp = {
        argp_options, parse_option, NULL, "Measure locks and barriers; run it under hlrcrun.",
        NULL,         NULL,         NULL,
    };
    struct bench_json json = { 0 };

    job_page_by_page();
    job_open(&argc, &argv, &argp, &options, 1);
    job_table(&json, options.json);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (hlrc_node_count() >= tests[i].nodes &&
            (options.only == NULL || strcmp(options.only, tests[i].name) == 0))
            run(&tests[i], &json);
    bench_json_close(&json);
    job_close(wrong);
}
