/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of an operation on an atomic word (hlrc_atomic_t): by the fabric, or by a request to
 * the home's handler (--protocol async, with --handler for its way of waiting): figure 4 of
 * Buntinas, Panda and Gropp (NIC-Based Atomic Remote Memory Operations in Myrinet/GM). us per
 * operation, samples of BATCH operations. Their cost for a home that computes: cpu.c. On the
 * fabric's own interface: atomics.c.
 *
 *  load, fetch_add, exchange, compare_exchange (expected value matches),
 *  compare_exchange_miss (it does not)
 *                WORD own: of node 0, whose home it is; other: of node 1, which waits in a
 *                barrier; spread: TARGETS words, with all other nodes as homes in turn.
 *  fetch_add_all by all nodes at once on one word of node 1, per operation of any node
 */
#include "microbench/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH   100
#define TARGETS 16

static hlrc_atomic_t words[TARGETS + 1]; /* of node 0; of nodes 1, 2, ... in turn */
static uint64_t expected[TARGETS + 1], wrong;

typedef void operation(int word);

static void load(int word)
{
    wrong += hlrc_atomic_load(words[word]) != expected[word];
}

static void fetch_add(int word)
{
    wrong += hlrc_atomic_fetch_add(words[word], 1) != expected[word];
    expected[word]++;
}

/* No other node writes the word. */
static void compare_exchange(int word)
{
    uint64_t seen = expected[word];

    wrong += !hlrc_atomic_compare_exchange(words[word], &seen, seen + 1);
    expected[word]++;
}

static void compare_exchange_miss(int word)
{
    uint64_t seen = ~expected[word];

    wrong += hlrc_atomic_compare_exchange(words[word], &seen, 0) || seen != expected[word];
}

static void exchange(int word)
{
    wrong += hlrc_atomic_exchange(words[word], expected[word] + 1) != expected[word];
    expected[word]++;
}

static const struct test {
    const char *name;
    operation *perform;
} tests[] = {
    { "load", load },
    { "fetch_add", fetch_add },
    { "compare_exchange", compare_exchange },
    { "compare_exchange_miss", compare_exchange_miss },
    { "exchange", exchange },
};

static const struct place {
    const char *word;
    int first, count; /* words[first] to words[first + count - 1] */
} places[] = {
    { "own", 0, 1 },
    { "other", 1, 1 },
    { "spread", 1, TARGETS },
};

struct one {
    const struct test *test;
    const struct place *place;
};

/* Only node 0; the others wait in the next collective call. */
static double batch_once(void *context)
{
    const struct one *one = context;

    if (hlrc_node_id() != 0)
        return NAN;
    uint64_t start = bench_now();
    for (int i = 0; i < BATCH; i++)
        one->test->perform(one->place->first + i % one->place->count);
    return bench_us_since(start) / BATCH;
}

static void measure(const struct test *test, const struct place *place)
{
    struct one one = { test, place };
    struct job_figure figure = {
        .name = test->name,
        .unit = "us",
        .operations = BATCH,
        .shape =
            BENCH_SHAPE({ "word", 0, place->word }, { "targets", place->count, NULL },
                        { "handler", 0, job_option("handler", "block") }, { "batch", BATCH, NULL }),
    };

    job_measure(figure, batch_once, &one);
    hlrc_barrier();
}

static double all_once(void *context)
{
    (void)context;
    hlrc_barrier();
    uint64_t start = bench_now();
    for (int i = 0; i < BATCH; i++)
        hlrc_atomic_fetch_add(words[1], 1);
    hlrc_barrier();
    expected[1] += BATCH * (uint64_t)hlrc_node_count();
    return bench_us_since(start) / (BATCH * (double)hlrc_node_count());
}

static void measure_all(void)
{
    struct job_figure figure = {
        .name = "fetch_add_all",
        .unit = "us",
        .operations = BATCH * (double)hlrc_node_count(),
        .shape =
            BENCH_SHAPE({ "word", 0, "shared" }, { "targets", 1, NULL },
                        { "contending", hlrc_node_count(), NULL },
                        { "handler", 0, job_option("handler", "block") }, { "batch", BATCH, NULL }),
    };

    job_measure(figure, all_once, NULL);
}

static void make_words(void)
{
    for (int i = 0; i <= TARGETS; i++) {
        int node = i == 0 ? 0 : 1 + (i - 1) % (hlrc_node_count() - 1);
        int rc = hlrc_node_id() == node ? hlrc_atomic_create(&words[i], 0) : 0;
        if (rc != 0)
            bench_fail(1, "hlrc_atomic_create: %s", strerror(-rc));
        hlrc_broadcast(&words[i], sizeof words[i], node);
    }
}

static const struct bench_figure figures[] = {
    { "load", "hlrc_atomic_load" },
    { "fetch_add", "hlrc_atomic_fetch_add" },
    { "compare_exchange", "hlrc_atomic_compare_exchange that finds what it expects" },
    { "compare_exchange_miss", "hlrc_atomic_compare_exchange that does not" },
    { "exchange", "hlrc_atomic_exchange" },
    { "fetch_add_all", "all nodes at once on one word" },
    { NULL, NULL },
};

static const struct bench_program program = {
    .name = "words",
    .what = "Measure operations on atomic words; run it under hlrcrun -n 2 or more.",
    .figures = figures,
    .warmup = 3,
    .repetitions = 100,
    .seconds = 0.3,
};

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 2);
    make_words();
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        for (size_t k = 0; bench_wants(tests[i].name) && k < sizeof places / sizeof places[0]; k++)
            measure(&tests[i], &places[k]);
    hlrc_broadcast(expected, sizeof expected, 0);
    if (bench_wants("fetch_add_all"))
        measure_all();
    for (int i = 0; i <= TARGETS; i++)
        wrong += hlrc_node_id() == 0 && hlrc_atomic_load(words[i]) != expected[i];
    (void)job_results_end();
    job_end(wrong);
}
