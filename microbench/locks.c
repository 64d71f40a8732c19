/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a lock, us. Counters are summed over all nodes, per operation.
 *
 *  cached        lock and unlock of a lock that node 0 held last; the others wait in a barrier.
 *                BATCH together.
 *  remote        lock and unlock of a free lock that another node held last. Nodes 0 and 1 take
 *                turns by a timetable, which sends no messages and, unlike a barrier, has no node
 *                waiting in the library. When a node acquires the lock, the other's core has been
 *                idle for SLOT; a wake takes longer from deeper sleep states. Only the lock and
 *                unlock are timed and counted. A node that is late for its turn spoils one sample.
 *  lock_unlock   K nodes contend (--sizes; 1: only node 0): each locks, increments a shared
 *                counter and unlocks, repeatedly, for a slice of time. The time from before the
 *                lock to after the unlock; samples of all K nodes. Figure 5 of Buntinas, Panda and
 *                Gropp (NIC-Based Atomic Remote Memory Operations in Myrinet/GM) shows its mean.
 *  acquire       the part of lock_unlock spent in hlrc_lock.
 *  hand_over     from before the unlock of one node to after the lock of the next node, which
 *                received the lock from it: a clock reading stored beside the counter. The page
 *                that holds both is fetched after that. Only where all nodes have the same clock.
 *  per_hand_over the slice, divided by the number of increments by another node than before: one
 *  sample per slice.
 *  per_increment the slice, divided by the increments of all nodes.
 *  unequal       most increments of a node / fewest increments of a node (a ratio).
 *
 * Two more clock readings are taken while the lock is held. The counter is checked after each
 * slice.
 */
#include "microbench/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH 200
/* SLOT: ns from turn to turn, as long as the sleep before the wake floor of the fault benchmark.
 * LEAD: ns by which a node wakes before its turn, so that its own core is not the idle one. */
#define SLOT    2000000
#define LEAD    1000000
#define SAMPLES 20000 /* maximum kept per node */

static unsigned long lock = 1, slice_ms = 20;
static uint64_t wrong;

static void lock_unlock(void)
{
    hlrc_lock((hlrc_lock_t)lock);
    hlrc_unlock((hlrc_lock_t)lock);
}

/* ---- Without contention ---- */

static double cached_once(void *context)
{
    (void)context;
    if (hlrc_node_id() != 0)
        return NAN;
    uint64_t start = bench_now();
    for (int i = 0; i < BATCH; i++)
        lock_unlock();
    return bench_us_since(start) / BATCH;
}

static void measure_cached(void)
{
    struct job_figure figure = {
        .name = "cached",
        .unit = "us",
        .operations = BATCH,
        .shape = BENCH_SHAPE({ "batch", BATCH, NULL }),
    };

    job_measure(figure, cached_once, NULL);
    hlrc_barrier();
}

static void sleep_until(uint64_t when)
{
    struct timespec time = { (time_t)(when / 1000000000), (long)(when % 1000000000) };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static double take_turn(struct job_counts *counts, uint64_t when)
{
    sleep_until(when - LEAD);
    bench_wait_until(when);
    job_counts_start(counts);
    uint64_t start = bench_now();
    lock_unlock();
    double us = bench_us_since(start);
    job_counts_stop(counts);
    return us;
}

/* Without a common clock, each node counts from when it receives the start time; SLOTs are long
 * enough for that. */
static void measure_remote(void)
{
    size_t count = bench_allowed(bench.repetitions, bench.seconds, 1, UINT64_C(2) * SLOT);
    uint64_t node = (uint64_t)hlrc_node_id(), in = job_agree(bench_now() + 2 * SLOT);
    uint64_t start = job_one_machine() ? in : bench_now() + 2 * SLOT;
    struct bench_series series = bench_series_make(count);
    struct job_counts counts = { 0 }, ignored = { 0 };
    uint64_t warmup = bench.warmup;
    struct job_figure figure = { .name = "remote",
                                 .unit = "us",
                                 .operations = 2 * (double)count,
                                 .shape = BENCH_SHAPE({ "slot_us", SLOT / 1000, NULL }) };

    for (uint64_t r = 0; node < 2 && r < warmup + count; r++) {
        double us = take_turn(r < warmup ? &ignored : &counts, start + (2 * r + node) * SLOT);
        if (r >= warmup)
            bench_series_add(&series, us);
    }
    hlrc_barrier();
    job_result(&figure, &series, &counts);
}

/* ---- Nodes 0 to K-1 contend ---- */

/* In shared memory, written by the holder of the lock. */
struct shared {
    uint64_t count;      /* increments */
    uint64_t last;       /* node of the last increment, plus 1 */
    uint64_t hand_overs; /* increments by another node than the previous one */
    uint64_t freed;      /* clock reading of the last holder before its unlock */
};

struct contest {
    volatile struct shared *shared;
    int nodes; /* number of contending nodes */
    bool same_clock;
    uint64_t increments;                                       /* by all nodes, in all slices */
    struct bench_series lock_unlock, acquire, hand_over;       /* of this node */
    struct bench_series per_hand_over, per_increment, unequal; /* at node 0 */
    struct job_counts counts;
};

static double us_between(uint64_t start, uint64_t end)
{
    double ns = (double)end - (double)start - bench_clock_cost();

    return ns > 0 ? ns / 1000 : 0;
}

static void increment(struct contest *c)
{
    volatile struct shared *s = c->shared;
    uint64_t me = (uint64_t)hlrc_node_id() + 1, start = bench_now();

    hlrc_lock((hlrc_lock_t)lock);
    uint64_t got = bench_now();
    bench_series_add(&c->acquire, us_between(start, got));
    if (s->last != me) {
        if (s->last != 0 && c->same_clock)
            bench_series_add(&c->hand_over, us_between(s->freed, got));
        s->hand_overs += s->last != 0;
        s->last = me;
    }
    s->count++;
    s->freed = bench_now();
    hlrc_unlock((hlrc_lock_t)lock);
    bench_series_add(&c->lock_unlock, bench_us_since(start));
}

static double at_least_1(double x)
{
    return x > 1 ? x : 1;
}

/* Records the increments of one slice; shared->count is the sum over all slices. */
static void account(struct contest *c, double us, uint64_t mine, uint64_t hand_overs)
{
    struct bench_series each = bench_series_make(1);
    uint64_t all = job_sum(mine);

    if (hlrc_node_id() < c->nodes)
        bench_series_add(&each, (double)mine);
    struct bench_stat of_nodes = job_stat(&each);
    c->increments += all;
    wrong += c->shared->count != c->increments;
    if (hlrc_node_id() != 0)
        return;
    if (c->nodes > 1)
        bench_series_add(&c->per_hand_over, us / at_least_1((double)hand_overs));
    bench_series_add(&c->per_increment, us / at_least_1((double)all));
    bench_series_add(&c->unequal, of_nodes.max / at_least_1(of_nodes.min));
}

static double slice_once(void *context)
{
    struct contest *c = context;
    uint64_t mine = 0, before = c->shared->hand_overs;

    if (hlrc_node_id() == 0)
        c->shared->last = 0; /* no hand-over from one slice to the next */
    hlrc_barrier();
    job_counts_start(&c->counts);
    uint64_t start = bench_now(), end = start + slice_ms * 1000000;
    for (; hlrc_node_id() < c->nodes && bench_now() < end; mine++)
        increment(c);
    hlrc_barrier();
    double us = bench_us_since(start);
    job_counts_stop(&c->counts);
    account(c, us, mine, c->shared->hand_overs - before);
    return NAN;
}

static struct contest contest_make(int nodes)
{
    return (struct contest){
        .shared = job_allocate(sizeof(struct shared)),
        .nodes = nodes,
        .same_clock = job_one_machine(),
        .lock_unlock = bench_series_make(SAMPLES),
        .acquire = bench_series_make(SAMPLES),
        .hand_over = bench_series_make(SAMPLES),
        .per_hand_over = bench_series_make(bench.repetitions),
        .per_increment = bench_series_make(bench.repetitions),
        .unequal = bench_series_make(bench.repetitions),
    };
}

static void tell(const char *name, const char *unit, struct bench_series *series, struct contest *c,
                 struct job_counts *counts, double operations)
{
    struct job_figure figure = {
        .name = name,
        .unit = unit,
        .operations = operations,
        .shape = BENCH_SHAPE({ "contending", c->nodes, NULL }),
    };

    if (bench_wants(name) && job_sum(series->count) > 0)
        job_result(&figure, series, counts);
    else
        bench_series_free(series);
}

static void contend(int nodes)
{
    struct contest c = contest_make(nodes);
    size_t count = bench_warm_up(slice_once, &c, job_agree);
    uint64_t before = c.increments;

    bench_series_clear(&c.lock_unlock);
    bench_series_clear(&c.acquire);
    bench_series_clear(&c.hand_over);
    bench_series_clear(&c.per_hand_over);
    bench_series_clear(&c.per_increment);
    bench_series_clear(&c.unequal);
    c.counts = (struct job_counts){ 0 };
    bench_repeat(NULL, count, slice_once, &c);
    double increments = (double)(c.increments - before);
    tell("lock_unlock", "us", &c.lock_unlock, &c, NULL, 0);
    tell("acquire", "us", &c.acquire, &c, NULL, 0);
    tell("hand_over", "us", &c.hand_over, &c, NULL, 0);
    tell("per_hand_over", "us", &c.per_hand_over, &c, NULL, 0);
    tell("per_increment", "us", &c.per_increment, &c, &c.counts, increments);
    tell("unequal", "ratio", &c.unequal, &c, NULL, 0);
    hlrc_free_all((void *)c.shared);
}

/* ---- The program ---- */

static const struct bench_figure figures[] = {
    { "cached", "lock and unlock, held here last" },
    { "remote", "lock and unlock, held elsewhere last, free" },
    { "lock_unlock", "K nodes contend: lock, increment, unlock" },
    { "acquire", "K nodes contend: the call of hlrc_lock" },
    { "hand_over", "from before an unlock until the next node has the lock" },
    { "per_hand_over", "a slice of time, by the hand-overs in it" },
    { "per_increment", "a slice of time, by the increments in it" },
    { "unequal", "most increments of a node / least" },
    { NULL, NULL },
};

static bool take(int key, char *arg)
{
    if (key == 'l')
        lock = bench_number("--lock", arg, 0, HLRC_STATIC_LOCKS - 1);
    else if (key == 'S')
        slice_ms = bench_number("--slice", arg, 1, 10000);
    else
        return false;
    return true;
}

static const struct argp_option options[] = {
    { "lock", 'l', "N", 0, "the lock to use (default 1)", 0 },
    { "slice", 'S', "MS", 0, "how long nodes contend for one repetition (default 20)", 0 },
    { 0 },
};

static const struct bench_program program = {
    .name = "locks",
    .what = "Measure locks; run it under hlrcrun.",
    .figures = figures,
    .warmup = 2,
    .repetitions = 20,
    .seconds = 1,
    .sizes = "1-16",
    .sizes_are = "how many nodes contend",
    .smallest = 1,
    .largest = 1024,
    .options = options,
    .take = take,
};

/* True if any figure with contending nodes is requested. */
static bool wants_contention(void)
{
    for (const struct bench_figure *f = figures + 2; f->name != NULL; f++)
        if (bench_wants(f->name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 1);
    unsigned long nodes = (unsigned long)hlrc_node_count();
    if (bench_wants("cached"))
        measure_cached();
    if (bench_wants("remote") && nodes > 1)
        measure_remote();
    for (size_t i = 0; i < bench.sizes.count; i++)
        if (wants_contention() && bench.sizes.value[i] <= nodes)
            contend((int)bench.sizes.value[i]);
    (void)job_results_end();
    job_end(wrong);
}
