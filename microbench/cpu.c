/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a node that computes loses while all others use what has its home there (span.h): node 1 is
 * the home of locks and pages.
 *
 *  lock   one lock, taken and freed over and over. With --locks handler it stays with a node that
 *         is the only one to want it, and its home learns nothing of that.
 *  locks  many locks, one after the other, each of which was taken at its home last. Its home takes
 *         them back between spans.
 *  page   pages read one after the other, of which a reader keeps a quarter (--cache-size), so that
 *         it fetches each again whenever it comes back to it.
 *
 * NAME_computing is in us per operation; the rest, as in span.h, in hundredths. Remote atomics:
 * atomics.c.
 */
#include "microbench/span.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 20
#define WORDS (BENCH_PAGE / sizeof(uint64_t))
#define KEPT  "1M" /* of copies, by a node */
#define PAGES 1024
#define PAIRS 100000 /* of spans that are kept */

struct options {
    const char *json;
    unsigned long rounds;
    unsigned long operations;
    unsigned long locks;
    const char *only; /* NULL: all */
};

static struct options options = { .rounds = 25, .operations = 0, .locks = 32768 };
static uint64_t wrong;

static void broadcast(void *buf, size_t len, int root)
{
    int rc = hlrc_broadcast(buf, len, root);

    if (rc != 0)
        bench_fail(1, "hlrc_broadcast of %zu bytes: %s", len, strerror(-rc));
}

/* ---- Locks: the home of one is its number modulo the number of nodes ---- */

static hlrc_lock_t *locks; /* options.locks of them, shared out among the nodes that take them */
static unsigned long next_lock;

static void take_and_free(hlrc_lock_t lock)
{
    hlrc_lock(lock);
    hlrc_unlock(lock);
}

static double lock_batch(uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < BATCH; i++)
        take_and_free(1);
    *done += BATCH;
    return (double)(bench_now() - start) / 1000 / BATCH;
}

/* Nodes 0, 2, 3, ... take turns in the list of locks. */
static hlrc_lock_t lock_of(unsigned long i)
{
    unsigned long takers = (unsigned long)hlrc_node_count() - 1,
                  node = (unsigned long)hlrc_node_id(), taker = node > 1 ? node - 1 : 0;

    return locks[(i * takers + taker) % options.locks];
}

static double locks_batch(uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < BATCH; i++)
        take_and_free(lock_of(next_lock++));
    *done += BATCH;
    return (double)(bench_now() - start) / 1000 / BATCH;
}

static hlrc_lock_t create(void)
{
    hlrc_lock_t lock = 0;
    int rc = hlrc_lock_create(&lock);

    if (rc != 0)
        bench_fail(1, "hlrc_lock_create: %s; lower --locks", strerror(-rc));
    return lock;
}

/* All that a node creates have one home: of which node that is node 1? */
static int find_creator(void)
{
    hlrc_lock_t lock = create();
    bool found = (int)(lock % (unsigned)hlrc_node_count()) == 1;

    hlrc_lock_destroy(lock);
    return (int)job_sum(found ? (uint64_t)hlrc_node_id() : 0);
}

static void make_locks(void)
{
    int creator = find_creator();

    locks = calloc(options.locks, sizeof(locks[0]));
    if (locks == NULL)
        bench_fail(1, "out of memory: %lu locks", options.locks);
    for (unsigned long i = 0; hlrc_node_id() == creator && i < options.locks; i++) {
        locks[i] = create();
        wrong += locks[i] % (unsigned)hlrc_node_count() != 1;
    }
    broadcast(locks, options.locks * sizeof(locks[0]), creator);
}

/* So that those who come next find the locks there. */
static void take_back(void)
{
    unsigned long most = 0;

    for (int node = 0; node < hlrc_node_count(); node++) {
        unsigned long taken = next_lock;
        broadcast(&taken, sizeof(taken), node);
        most = taken > most ? taken : most;
    }
    most *= (unsigned long)hlrc_node_count() - 1;
    for (unsigned long i = 0; hlrc_node_id() == 1 && i < most && i < options.locks; i++)
        take_and_free(locks[i]);
    next_lock = 0;
    hlrc_barrier();
}

/* ---- Pages ---- */

static uint64_t *region; /* PAGES pages; the first word of each is its number */
static size_t next_page;

static double page_batch(uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < BATCH; i++, next_page++)
        wrong += *(volatile uint64_t *)&region[next_page % PAGES * WORDS] != next_page % PAGES;
    *done += BATCH;
    return (double)(bench_now() - start) / 1000 / BATCH;
}

static void make_pages(void)
{
    uint64_t ignored = 0;

    region = hlrc_malloc_all(PAGES * (size_t)BENCH_PAGE);
    if (region == NULL)
        bench_fail(1, "%d pages of shared memory are not available; raise --memory", PAGES);
    int rc = hlrc_node_id() == 1 ? hlrc_place(region, PAGES * (size_t)BENCH_PAGE, 1) : 0;
    if (rc != 0)
        bench_fail(1, "hlrc_place: %s", strerror(-rc));
    for (size_t i = 0; hlrc_node_id() == 1 && i < PAGES; i++)
        region[i * WORDS] = i;
    hlrc_barrier();
    while (hlrc_node_id() != 1 && next_page < 2 * (size_t)PAGES)
        (void)page_batch(&ignored);
    hlrc_barrier();
}

static void nothing(void)
{
}

/* ---- The program ---- */

static const struct test {
    const char *name;
    void (*make)(void);
    span_work *work;
    void (*between)(void); /* pairs of spans */
} tests[] = {
    { "lock", nothing, lock_batch, nothing },
    { "locks", make_locks, locks_batch, take_back },
    { "page", make_pages, page_batch, nothing },
};

static void run(const struct test *test, struct bench_json *json)
{
    struct job_counts counts = { 0 };
    uint64_t done = 0;
    char name[64];

    test->make();
    struct span span = span_make(PAIRS, test->work);
    test->between();
    for (unsigned long r = 0; r < options.rounds || done < options.operations; r++) {
        job_counts_start(&counts);
        span_pair(&span);
        job_counts_stop(&counts);
        test->between();
        done = job_sum(span.done);
    }
    span_tell(json, test->name, &span);
    job_counts_sum(&counts);
    if (hlrc_node_id() != 0)
        return;
    printf("%-22s %10llu operations, %.3f messages each\n", "", (unsigned long long)done,
           job_counts_per(&counts, "messages", (double)done));
    snprintf(name, sizeof(name), "%s_operations", test->name);
    bench_json_unsigned(json, name, done);
    snprintf(name, sizeof(name), "%s_counters", test->name);
    job_counts_json(json, name, &counts, (double)done);
}

static const char *known(const char *name)
{
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (strcmp(name, tests[i].name) == 0)
            return name;
    bench_fail(2, "--only %s: no such operation; choose lock, locks or page", name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'l':
        options.locks = bench_number("--locks", arg, 1, 1000000);
        return 0;
    case 'O':
        options.only = known(arg);
        return 0;
    case 'o':
        options.operations = bench_number("--operations", arg, 0, 1000000000);
        return 0;
    case 'r':
        options.rounds = bench_number("--rounds", arg, 1, PAIRS);
        return 0;
    default:
        return bench_option(key, arg, state, &options.json);
    }
}

static const struct argp_option argp_options[] = {
    BENCH_JSON_OPTION,
    { "locks", 'l', "N", 0, "how many locks are taken one after the other (default 32768)", 0 },
    { "only", 'O', "lock|locks|page", 0, "one of the three alone", 0 },
    { "operations", 'o', "N", 0,
      "of each kind, by all nodes together: more rounds until there were so many (default 0)", 0 },
    { "rounds", 'r', "N", 0,
      "spans with operations, and as many without, at least (default 25); a span takes 20 ms", 0 },
    { 0 },
};

int main(int argc, char **argv)
{
    static const struct argp argp = {
        argp_options,
        parse_option,
        NULL,
        "Measure what a computing node loses while others use its locks and pages; run it under "
        "hlrcrun -n 2 or more.",
        NULL,
        NULL,
        NULL,
    };
    struct bench_json json = { 0 };

    job_page_by_page();
    (void)setenv("HLRC_CACHE_SIZE", KEPT, 0);
    job_open(&argc, &argv, &argp, &options, 2);
    job_table(&json, options.json);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (options.only == NULL || strcmp(options.only, tests[i].name) == 0)
            run(&tests[i], &json);
    bench_json_close(&json);
    job_close(wrong);
}
