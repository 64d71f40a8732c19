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

#define BATCH   100
#define TARGETS 16

static hlrc_atomic_t words[TARGETS + 1]; /* of node 0; of nodes 1, 2, ... in turn */
static uint64_t expected[TARGETS + 1], wrong;

/* The words in use: words[first] to words[first + count - 1]. */
static const struct choice {
    const char *word;
    int first, count;
} choices[] = {
    { "own", 0, 1 },
    { "other", 1, 1 },
    { "spread", 1, TARGETS },
};
static const struct choice *chosen;
static int next;

static int next_word(void)
{
    return chosen->first + next++ % chosen->count;
}

static void load(void)
{
    int word = next_word();

    wrong += hlrc_atomic_load(words[word]) != expected[word];
}

static void fetch_add(void)
{
    int word = next_word();

    wrong += hlrc_atomic_fetch_add(words[word], 1) != expected[word]++;
}

/* No other node writes the word. */
static void compare_exchange(void)
{
    int word = next_word();
    uint64_t seen = expected[word]++;

    wrong += !hlrc_atomic_compare_exchange(words[word], &seen, seen + 1);
}

static void compare_exchange_miss(void)
{
    int word = next_word();
    uint64_t seen = ~expected[word];

    wrong += hlrc_atomic_compare_exchange(words[word], &seen, 0) || seen != expected[word];
}

static void exchange(void)
{
    int word = next_word();
    uint64_t before = expected[word]++;

    wrong += hlrc_atomic_exchange(words[word], before + 1) != before;
}

static const struct test {
    const char *name, *what;
    bench_operation *perform; /* by node 0 */
} tests[] = {
    { "load", "hlrc_atomic_load", load },
    { "fetch_add", "hlrc_atomic_fetch_add", fetch_add },
    { "compare_exchange", "hlrc_atomic_compare_exchange that finds what it expects",
      compare_exchange },
    { "compare_exchange_miss", "hlrc_atomic_compare_exchange that does not",
      compare_exchange_miss },
    { "exchange", "hlrc_atomic_exchange", exchange },
    { "fetch_add_all", "all nodes at once on one word", NULL },
};
static const struct test *now;

/* Only node 0; the others wait in the next collective call. */
static double batch_once(void)
{
    next = 0;
    return hlrc_node_id() == 0 ? bench_us_each(now->perform, BATCH) : NAN;
}

static void add(void)
{
    hlrc_atomic_fetch_add(words[1], 1);
}

static double all_once(void)
{
    hlrc_barrier();
    uint64_t start = bench_now();
    (void)bench_us_each(add, BATCH);
    hlrc_barrier();
    expected[1] += BATCH * (uint64_t)hlrc_node_count();
    return bench_us_since(start) / (BATCH * (double)hlrc_node_count());
}

static void measure_all(void)
{
    const char *handler = job_option("handler", "block");
    int nodes = hlrc_node_count();

    for (now = tests; now->perform != NULL; now++)
        for (chosen = choices; chosen < choices + BENCH_COUNT(choices); chosen++)
            job_report(now->name, "us", BATCH, batch_once,
                       bench_shape("word %s targets %d handler %s batch %d", chosen->word,
                                   chosen->count, handler, BATCH));
    job_broadcast(expected, sizeof expected, 0);
    job_report("fetch_add_all", "us", BATCH * (double)nodes, all_once,
               bench_shape("word shared targets 1 contending %d handler %s batch %d", nodes,
                           handler, BATCH));
}

static void make_words(void)
{
    for (int i = 0; i <= TARGETS; i++) {
        int node = i == 0 ? 0 : 1 + (i - 1) % (hlrc_node_count() - 1);
        if (hlrc_node_id() == node)
            job_check(hlrc_atomic_create(&words[i], 0), "hlrc_atomic_create");
        job_broadcast(&words[i], sizeof words[i], node);
    }
}

static const struct bench_program program =
    BENCH_PROGRAM("Measure operations on atomic words; run it under hlrcrun -n 2 or more.", tests,
                  3, 100, 0.3, BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 2);
    make_words();
    measure_all();
    for (int i = 0; i <= TARGETS; i++)
        wrong += hlrc_node_id() == 0 && hlrc_atomic_load(words[i]) != expected[i];
    job_end(wrong, job_options);
}
