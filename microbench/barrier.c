/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a barrier without preceding writes, us, samples of all nodes.
 *
 *  barrier       a single barrier, from the call to its return. Nodes leave it, and enter the next
 *                one, at different times.
 *  barriers      back to back, BATCH timed together: the test of Buntinas, Panda and Sadayappan
 *                (Fast NIC-Based Barrier over Myrinet/GM, section 6), by pairwise exchange
 *                (--barrier pe) and by a tree (gb) of any dimension (--barrier-fan).
 *  arrive        the call of hlrc_barrier_arrive, whether or not the others have arrived before
 *  depart        the call of hlrc_barrier_depart, after SLACK us of computation: the remaining
 *                wait of a split (fuzzy) barrier
 *
 * The result names the selected barrier and its fan.
 */
#include "microbench/job.h"

#include <math.h>
#include <stdlib.h>

#define BATCH 50
#define SLACK 20 /* us */

static double barrier_once(void *context)
{
    uint64_t start = bench_now();

    (void)context;
    hlrc_barrier();
    return bench_us_since(start);
}

static double barriers_once(void *context)
{
    uint64_t start = bench_now();

    (void)context;
    for (int i = 0; i < BATCH; i++)
        hlrc_barrier();
    return bench_us_since(start) / BATCH;
}

/* CONTEXT: true to time the arrive call, false to time the depart call */
static double split_once(void *context)
{
    const bool *arrive = context;
    uint64_t start = bench_now();

    hlrc_barrier_arrive();
    double arrived = bench_us_since(start);
    bench_wait_until(bench_now() + SLACK * 1000);
    start = bench_now();
    hlrc_barrier_depart();
    double departed = bench_us_since(start);
    return *arrive ? arrived : departed;
}

static const struct bench_figure figures[] = {
    { "barrier", "one barrier, timed separately" },
    { "barriers", "back to back, 50 timed together" },
    { "arrive", "the call of hlrc_barrier_arrive" },
    { "depart", "the call of hlrc_barrier_depart, 20 us later" },
    { NULL, NULL },
};

static const struct bench_program program = {
    .name = "barrier",
    .what = "Measure barriers; run it under hlrcrun.",
    .figures = figures,
    .warmup = 5,
    .repetitions = 200,
    .seconds = 1,
};

static void measure(const char *name, size_t batch, bench_once *once, void *context)
{
    struct job_figure figure = {
        .name = name,
        .unit = "us",
        .operations = (double)batch,
        .shape = BENCH_SHAPE({ "nodes", hlrc_node_count(), NULL },
                             { "barrier", 0, job_option("barrier", "auto") },
                             { "fan", atof(job_option("barrier-fan", "4")), NULL },
                             { "batch", (double)batch, NULL }),
    };

    if (bench_wants(name))
        job_measure(figure, once, context);
}

int main(int argc, char **argv)
{
    bool arrive = true, depart = false;

    job_begin(&argc, &argv, &program, 1);
    measure("barrier", 1, barrier_once, NULL);
    measure("barriers", BATCH, barriers_once, NULL);
    measure("arrive", 1, split_once, &arrive);
    measure("depart", 1, split_once, &depart);
    (void)job_results_end();
    job_end(0);
}
