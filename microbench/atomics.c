/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an atomic operation on a 64-bit word at another node costs: by the fabric, or by a request
 * to the home's handler (--protocol async, with --handler as it waits). Microseconds per operation,
 * medians over samples of BATCH of them.
 *
 *  NAME_own          of node 0 on a word of its own
 *  NAME_waiting      on a word of node 1, which waits in a barrier
 *  NAME_computing    on a word of node 1, which computes (span.h), and what that costs there:
 *  NAME_lost         of its computation, in hundredths
 *  NAME_others       CPU time of the other threads of its process, in hundredths of the time;
 *  NAME_others_idle  while nobody performs operations; NAME_handler: of its handler alone
 *  fetch_add_spread  on words of all other nodes in turn, 16 at most, which wait in a barrier
 *  fetch_add_all     of all nodes at once on one word, of node 1, per operation of any node
 *
 * NAME is fetch_add, compare_exchange or exchange.
 */
#include "microbench/span.h"

#include <stdlib.h>
#include <string.h>

#define BATCH   100
#define TARGETS 16

struct options {
    const char *json;
    unsigned long rounds;
};

static struct options options = { .rounds = 50 };
static hlrc_atomic_t words[TARGETS + 1]; /* of nodes 0, 1, ... */
static uint64_t expected[TARGETS + 1], wrong;
static int targets; /* other nodes that have one */

typedef void operation(int word);

static void fetch_add(int word)
{
    hlrc_atomic_fetch_add(words[word], 1);
    expected[word]++;
}

/* Nobody else writes the word. */
static void compare_exchange(int word)
{
    uint64_t seen = expected[word];

    wrong += !hlrc_atomic_compare_exchange(words[word], &seen, seen + 1);
    expected[word]++;
}

static void exchange(int word)
{
    wrong += hlrc_atomic_exchange(words[word], expected[word] + 1) != expected[word];
    expected[word]++;
}

/* One sample: BATCH operations at the words from `first` on, `count` of them in turn. */
static double batch(operation *perform, int first, int count)
{
    uint64_t start = bench_now();

    for (int i = 0; i < BATCH; i++)
        perform(first + i % count);
    return (double)(bench_now() - start) / 1000 / BATCH;
}

static void tell(struct bench_json *json, const char *name, const char *how,
                 struct job_series *series, const char *what)
{
    char full[64];
    struct bench_stat stat = job_series_stat(series);

    if (hlrc_node_id() != 0)
        return;
    snprintf(full, sizeof full, "%s_%s", name, how);
    bench_row(full, stat, what);
    snprintf(full, sizeof full, "%s_%s_us", name, how);
    bench_json_stat(json, full, stat);
}

/* Node 0 alone; the others wait. */
static void measure(struct bench_json *json, const char *name, const char *how, operation *perform,
                    int first, int count)
{
    struct job_series series = job_series_make(options.rounds);

    for (unsigned long r = 0; hlrc_node_id() == 0 && r < options.rounds + 1; r++) {
        double us = batch(perform, first, count);
        if (r > 0)
            job_series_add(&series, us);
    }
    hlrc_barrier();
    tell(json, name, how, &series, "");
}

static operation *computing; /* what node 0 performs while node 1 computes */

static double batch_computing(uint64_t *done)
{
    *done += BATCH;
    return batch(computing, 1, 1);
}

static void measure_computing(struct bench_json *json, const char *name, operation *perform)
{
    computing = perform;
    unsigned long pairs = options.rounds / 10 + 1;
    struct span span = span_make(pairs, hlrc_node_id() == 0 ? batch_computing : NULL);

    for (unsigned long r = 0; r < pairs; r++)
        span_pair(&span);
    span_tell(json, name, &span);
}

static void measure_all(struct bench_json *json)
{
    struct job_series series = job_series_make(options.rounds);
    uint64_t nodes = (uint64_t)hlrc_node_count();

    for (unsigned long r = 0; r < options.rounds; r++) {
        hlrc_barrier();
        uint64_t start = bench_now();
        for (int i = 0; i < BATCH; i++)
            hlrc_atomic_fetch_add(words[1], 1);
        hlrc_barrier();
        job_series_add(&series, (double)(bench_now() - start) / 1000 / (BATCH * (double)nodes));
    }
    expected[1] += options.rounds * BATCH * nodes;
    tell(json, "fetch_add", "all", &series, "per operation of any node");
}

static void make_words(void)
{
    int nodes = hlrc_node_count();

    targets = nodes - 1 < TARGETS ? nodes - 1 : TARGETS;
    for (int n = 0; n <= targets; n++) {
        int rc = hlrc_node_id() == n ? hlrc_atomic_create(&words[n], 0) : 0;
        if (rc != 0)
            bench_fail(1, "hlrc_atomic_create: %s", strerror(-rc));
        hlrc_broadcast(&words[n], sizeof words[n], n);
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    if (key != 'r')
        return bench_option(key, arg, state, &options.json);
    options.rounds = bench_number("--rounds", arg, 1, 100000);
    return 0;
}

static const struct argp_option argp_options[] = {
    BENCH_JSON_OPTION,
    { "rounds", 'r', "N", 0, "samples of each figure (default 50)", 0 },
    { 0 },
};

int main(int argc, char **argv)
{
    static const struct argp argp = {
        argp_options,
        parse_option,
        NULL,
        "Measure atomic operations on words at other nodes; run it under hlrcrun -n 2 or more.",
        NULL,
        NULL,
        NULL,
    };
    static const struct {
        const char *name;
        operation *perform;
    } all[] = { { "fetch_add", fetch_add },
                { "compare_exchange", compare_exchange },
                { "exchange", exchange } };
    struct bench_json json = { 0 };

    job_open(&argc, &argv, &argp, &options, 2);
    make_words();
    job_table(&json, options.json);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        measure(&json, all[i].name, "own", all[i].perform, 0, 1);
        measure(&json, all[i].name, "waiting", all[i].perform, 1, 1);
        measure_computing(&json, all[i].name, all[i].perform);
    }
    measure(&json, "fetch_add", "spread", fetch_add, 1, targets);
    hlrc_broadcast(expected, sizeof expected, 0);
    measure_all(&json);
    for (int n = 0; n <= targets; n++)
        wrong += hlrc_node_id() == 0 && hlrc_atomic_load(words[n]) != expected[n];
    bench_json_close(&json);
    job_close(wrong);
}
