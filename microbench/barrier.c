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
 *  whole, split  a barrier, and the two halves of a split one, with COMPUTE us (--compute) of
 *                computation before it and between them; without COMPUTE
 *  pe_words, gb_words
 *                back to back, by atomic words (hlrc_atomic_t): by pairwise exchange, and by
 *                gathering and broadcast along a tree of dimension 4 (the paper's two algorithms).
 *                A step is an atomic at the partner's word. With --protocol async the partner's
 *                handler performs it, otherwise the fabric does. So they are like with like. PE
 *                only with a power of two of nodes.
 *  groups        back to back, by two groups of nodes (even and odd) at once, and by the even one
 *                only: groups 2 and 1. From four nodes on.
 *
 * The result names the selected barrier and its fan.
 */
#include "microbench/job.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#define BATCH     50
#define SLACK     20 /* us */
#define DIMENSION 4  /* of the tree of words */
#define ROUNDS    16 /* of pairwise exchange */

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

static struct bench_list compute;
static uint64_t compute_ns;

/* Less the computation, as far as it was that long. */
static double without_compute(uint64_t start)
{
    return fmax(0, bench_us_since(start) - (double)compute_ns / 1000);
}

static double whole_once(void)
{
    uint64_t start = bench_now();

    bench_wait_until(start + compute_ns);
    hlrc_barrier();
    return without_compute(start);
}

static double split_once(void)
{
    uint64_t start = bench_now();

    hlrc_barrier_arrive();
    bench_wait_until(bench_now() + compute_ns);
    hlrc_barrier_depart();
    return without_compute(start);
}

/* ---- By atomic words ---- */

/* Of a node: a word of each round, the arrivals of its children, and the release by its parent. */
enum { WORD_ARRIVALS = ROUNDS, WORD_RELEASE, WORDS };

static hlrc_atomic_t (*words)[WORDS]; /* by node */
static uint64_t epochs[2];            /* barriers begun by pairs, and by the tree */

static void make_words(void)
{
    words = bench_memory(calloc((size_t)hlrc_node_count(), sizeof *words));
    for (int node = 0; node < hlrc_node_count(); node++) {
        for (int i = 0; node == hlrc_node_id() && i < WORDS; i++)
            job_check(hlrc_atomic_create(&words[node][i], 0), "hlrc_atomic_create");
        job_broadcast(words[node], sizeof words[node], node);
    }
}

static void await_own(int word, uint64_t least)
{
    while (hlrc_atomic_load(words[hlrc_node_id()][word]) < least)
        sched_yield();
}

static void pairs_barrier(void)
{
    uint64_t epoch = ++epochs[0];

    for (int round = 0; 1 << round < hlrc_node_count(); round++) {
        (void)hlrc_atomic_exchange(words[hlrc_node_id() ^ 1 << round][round], epoch);
        await_own(round, epoch);
    }
}

static int child(int i)
{
    return hlrc_node_id() * DIMENSION + 1 + i;
}

static void tree_barrier(void)
{
    int node = hlrc_node_id(), children = 0;
    uint64_t epoch = ++epochs[1];

    while (children < DIMENSION && child(children) < hlrc_node_count())
        children++;
    await_own(WORD_ARRIVALS, epoch * (uint64_t)children);
    if (node > 0) {
        (void)hlrc_atomic_fetch_add(words[(node - 1) / DIMENSION][WORD_ARRIVALS], 1);
        await_own(WORD_RELEASE, epoch);
    }
    for (int i = 0; i < children; i++)
        (void)hlrc_atomic_exchange(words[child(i)][WORD_RELEASE], epoch);
}

static double pairs_once(void)
{
    return bench_us_each(pairs_barrier, BATCH);
}

static double tree_once(void)
{
    return bench_us_each(tree_barrier, BATCH);
}

/* ---- Groups ---- */

static hlrc_group_t group;
static int groups;

static void make_groups(void)
{
    int nodes = hlrc_node_count(), *members = bench_memory(calloc((size_t)nodes, sizeof *members));
    int count = 0;

    for (int node = hlrc_node_id() % 2; node < nodes; node += 2)
        members[count++] = node;
    job_check(hlrc_group_create(members, count, &group), "hlrc_group_create");
    free(members);
}

static void group_barrier(void)
{
    hlrc_group_barrier(group);
}

/* The group that does not take part waits in the barrier. */
static double groups_once(void)
{
    hlrc_barrier();
    double us = hlrc_node_id() % 2 < groups ? bench_us_each(group_barrier, BATCH) : NAN;
    hlrc_barrier();
    return us;
}

/* ---- The program ---- */

static const struct {
    const char *name, *what;
    bench_once *once;
    int batch;
} figures[] = {
    { "barrier", "one barrier, timed separately", barrier_once, 1 },
    { "barriers", "back to back, 50 timed together", barriers_once, BATCH },
    { "arrive", "the call of hlrc_barrier_arrive", arrive_once, 1 },
    { "depart", "the call of hlrc_barrier_depart, 20 us later", depart_once, 1 },
    { "pe_words", "pairwise exchange by atomic words", pairs_once, BATCH },
    { "gb_words", "a tree by atomic words", tree_once, BATCH },
    { "whole", "a barrier after computing", whole_once, 1 },
    { "split", "a split barrier, computing in between", split_once, 1 },
    { "groups", "barriers of two groups at once, and of one", groups_once, BATCH },
};
enum { PLAIN = 6 }; /* the figures without a list */

static const struct bench_program program =
    BENCH_PROGRAM("Measure barriers; run it under hlrcrun.", figures, 5, 200, 1,
                  BENCH_OPTION_NUMBERS("compute", 'c', "us of computation of whole and split",
                                       &compute, 0, 1000000, "0,20"),
                  BENCH_OPTIONS_END);

static void report(size_t figure, const char *more, uint64_t value)
{
    job_report(figures[figure].name, "us", figures[figure].batch, figures[figure].once,
               bench_shape("nodes %d barrier %s fan %g batch %d %s %.10g", hlrc_node_count(),
                           job_option("barrier", "auto"), atof(job_option("barrier-fan", "4")),
                           figures[figure].batch, more, (double)value));
}

static void report_split(void)
{
    for (size_t i = 0; i < compute.count; i++) {
        compute_ns = compute.value[i] * 1000;
        for (size_t figure = PLAIN; figure < PLAIN + 2; figure++)
            report(figure, "compute_us", compute.value[i]);
    }
}

static void report_groups(void)
{
    make_groups();
    for (groups = 1; groups <= 2; groups++)
        report(PLAIN + 2, "groups", (uint64_t)groups);
    hlrc_group_free(group);
}

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 1);
    int nodes = hlrc_node_count();
    make_words();
    for (size_t i = 0; i < PLAIN; i++)
        if (figures[i].once != pairs_once || (nodes & (nodes - 1)) == 0)
            report(i, "groups", 1);
    report_split();
    if (nodes >= 4 && bench_wants("groups"))
        report_groups();
    job_end(0, job_options);
}
