/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a barrier without preceding writes, us, samples of all nodes.
 *
 *  barrier       a single barrier, from the call to its return. Nodes leave it, and enter the next
 *                one, at different times.
 *  barriers      back to back, BATCH timed together: the test of Buntinas, Panda and Sadayappan
 *                (Fast NIC-Based Barrier over Myrinet/GM, section 6), by pairwise exchange
 *                (--barrier pairs) and by a tree of any dimension (--barrier-fan).
 *  arrive        the call of hlrc_barrier_arrive, whether or not the others have arrived before
 *  depart        the call of hlrc_barrier_depart, after SLACK us of computation: the remaining
 *                wait of a split (fuzzy) barrier
 *
 * The result names the selected barrier and its fan.
 */
#include "microbench/job.h"

#include <stdlib.h>

#define BATCH 50
#define SLACK 20 /* us */

static double barrier_once(void)
{
    return bench_us_each(hlrc_barrier, 1);
}

static double barriers_once(void)
{
    return bench_us_each(hlrc_barrier, BATCH);
}

static double arrive_once(void)
{
    double us = bench_us_each(hlrc_barrier_arrive, 1);

    bench_wait_until(bench_now() + SLACK * 1000);
    hlrc_barrier_depart();
    return us;
}

static double depart_once(void)
{
    hlrc_barrier_arrive();
    bench_wait_until(bench_now() + SLACK * 1000);
    return bench_us_each(hlrc_barrier_depart, 1);
}

static const struct {
    const char *name, *what;
    bench_once *once;
    int batch;
} figures[] = {
    { "barrier", "one barrier, timed separately", barrier_once, 1 },
    { "barriers", "back to back, 50 timed together", barriers_once, BATCH },
    { "arrive", "the call of hlrc_barrier_arrive", arrive_once, 1 },
    { "depart", "the call of hlrc_barrier_depart, 20 us later", depart_once, 1 },
};

static const struct bench_program program =
    BENCH_PROGRAM("Measure barriers; run it under hlrcrun.", figures, 5, 200, 1, BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 1);
    for (size_t i = 0; i < BENCH_COUNT(figures); i++)
        job_report(figures[i].name, "us", figures[i].batch, figures[i].once,
                   bench_shape("nodes %d barrier %s fan %g batch %d", hlrc_node_count(),
                               job_option("barrier", "auto"), atof(job_option("barrier-fan", "4")),
                               figures[i].batch));
    job_end(0, job_options);
}
