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
 *  words         lock and unlock of a queue lock of atomic words (queue.h) at the last node, K
 *                nodes contending, nothing done under it: the test of the paper's figure 5. With
 *                --protocol async atomics are requests to the handler of that node.
 *
 * Two more clock readings are taken while the lock is held. The counter is checked after each
 * slice.
 */
#include "microbench/job.h"
#include "microbench/queue.h"

#include <math.h>
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

static double cached_once(void)
{
    return hlrc_node_id() == 0 ? bench_us_each(lock_unlock, BATCH) : NAN;
}

static void sleep_until(uint64_t when)
{
    struct timespec time = { (time_t)(when / 1000000000), (long)(when % 1000000000) };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static double take_turn(uint64_t when)
{
    sleep_until(when - LEAD);
    bench_wait_until(when);
    job_counts_start();
    double us = bench_us_each(lock_unlock, 1);
    job_counts_stop(1);
    return us;
}

/* Without a common clock, each node counts from when it receives the start time; SLOTs are long
 * enough for that. */
static void measure_remote(void)
{
    size_t count = bench_allowed(bench.repetitions, bench.seconds, 1, UINT64_C(2) * SLOT);
    uint64_t node = (uint64_t)hlrc_node_id(), in = job_agree(bench_now() + 2 * SLOT);
    uint64_t start = job_one_machine() ? in : bench_now() + 2 * SLOT;
    struct job_figure remote = { .name = "remote", .unit = "us", .counters = true };

    job_clear(&remote, 1);
    for (uint64_t r = 0; node < 2 && r < bench.warmup + count; r++) {
        if (r == bench.warmup)
            job_clear(&remote, 1);
        bench_series_add(&remote.series, take_turn(start + (2 * r + node) * SLOT));
    }
    hlrc_barrier();
    job_results(&remote, 1, bench_shape("slot_us %d", SLOT / 1000));
}

/* ---- Nodes 0 to K-1 contend ---- */

/* In shared memory, written by the holder of the lock. */
struct shared {
    uint64_t count;      /* increments */
    uint64_t last;       /* node of the last increment, plus 1 */
    uint64_t hand_overs; /* increments by another node than the previous one */
    uint64_t freed;      /* clock reading of the last holder before its unlock */
};

static volatile struct shared *shared;
static int contending; /* number of contending nodes */
static bool same_clock;
static uint64_t increments; /* by all nodes, in all slices */

/* The figures of contending nodes: the first three have samples of each node, the others of node
 * 0. */
enum {
    LOCK_UNLOCK = 2,
    ACQUIRE,
    HAND_OVER,
    PER_HAND_OVER,
    PER_INCREMENT,
    UNEQUAL,
    FIGURES,
    WORDS = FIGURES
};

static struct job_figure figures[FIGURES + 1] = {
    { "cached", "lock and unlock, held here last", .unit = "us" },
    { "remote", "lock and unlock, held elsewhere last, free", .unit = "us" },
    { "lock_unlock", "K nodes contend: lock, increment, unlock", "us", .series.max = SAMPLES },
    { "acquire", "K nodes contend: the call of hlrc_lock", "us", .series.max = SAMPLES },
    { "hand_over", "from before an unlock until the next node has the lock", "us",
      .series.max = SAMPLES },
    { "per_hand_over", "a slice of time, by the hand-overs in it", .unit = "us" },
    { "per_increment", "a slice of time, by the increments in it", "us", .counters = true },
    { "unequal", "most increments of a node / least", .unit = "ratio" },
    { "words", "K nodes contend: a queue lock of atomic words", "us", .series.max = SAMPLES },
};

static void add_sample(int figure, double sample)
{
    bench_series_add(&figures[figure].series, sample);
}

static void increment(void)
{
    volatile struct shared *s = shared;
    uint64_t me = (uint64_t)hlrc_node_id() + 1, start = bench_now();

    hlrc_lock((hlrc_lock_t)lock);
    uint64_t got = bench_now();
    add_sample(ACQUIRE, bench_us_between(start, got));
    if (s->last != me) {
        if (s->last != 0 && same_clock)
            add_sample(HAND_OVER, bench_us_between(s->freed, got));
        s->hand_overs += s->last != 0;
        s->last = me;
    }
    s->count++;
    s->freed = bench_now();
    hlrc_unlock((hlrc_lock_t)lock);
    add_sample(LOCK_UNLOCK, bench_us_since(start));
}

/* Records the increments of one slice; shared->count is the sum over all slices. */
static void account(double us, uint64_t mine, uint64_t hand_overs)
{
    struct bench_series each = { 0 };
    uint64_t all = job_sum(mine);

    if (hlrc_node_id() < contending)
        bench_series_add(&each, (double)mine);
    struct bench_stat of_nodes = job_stat(&each);
    increments += all;
    wrong += shared->count != increments;
    if (hlrc_node_id() != 0)
        return;
    if (contending > 1)
        add_sample(PER_HAND_OVER, us / fmax((double)hand_overs, 1));
    add_sample(PER_INCREMENT, us / fmax((double)all, 1));
    add_sample(UNEQUAL, of_nodes.max / fmax(of_nodes.min, 1));
}

static double slice_once(void)
{
    uint64_t mine = 0, before = shared->hand_overs;

    if (hlrc_node_id() == 0)
        shared->last = 0; /* no hand-over from one slice to the next */
    hlrc_barrier();
    job_counts_start();
    uint64_t start = bench_now(), end = start + slice_ms * 1000000;
    for (; hlrc_node_id() < contending && bench_now() < end; mine++)
        increment();
    hlrc_barrier();
    double us = bench_us_since(start);
    job_counts_stop((double)mine);
    account(us, mine, shared->hand_overs - before);
    return NAN;
}

static void contend(int nodes)
{
    shared = job_allocate(sizeof(struct shared), "");
    contending = nodes;
    same_clock = job_one_machine();
    increments = 0;
    job_report_all(&figures[LOCK_UNLOCK], FIGURES - LOCK_UNLOCK, slice_once,
                   bench_shape("contending %d", nodes));
    hlrc_free_all((void *)shared);
}

/* ---- A queue lock of atomic words ---- */

static double words_once(void)
{
    hlrc_barrier();
    for (uint64_t end = bench_now() + slice_ms * 1000000;
         hlrc_node_id() < contending && bench_now() < end;) {
        uint64_t start = bench_now();
        queue_lock();
        queue_unlock();
        add_sample(WORDS, bench_us_since(start));
    }
    return NAN;
}

static void contend_words(int nodes)
{
    contending = nodes;
    wrong += queue_check(nodes);
    job_report_all(&figures[WORDS], 1, words_once,
                   bench_shape("contending %d handler %s", nodes, job_option("handler", "block")));
}

/* ---- The program ---- */

static const struct bench_program program =
    BENCH_PROGRAM("Measure locks; run it under hlrcrun.", figures, 2, 20, 1,
                  BENCH_OPTION_NUMBER("lock", 'l', "the lock to use", &lock, 0,
                                      HLRC_STATIC_LOCKS - 1),
                  { "slice", 'S', "MS", "how long nodes contend for one repetition", BENCH_NUMBER,
                    &slice_ms, 1, 10000, NULL },
                  BENCH_OPTION_SIZES("how many nodes contend", 1, 1024, "1-16"), BENCH_OPTIONS_END);

/* True if any figure with contending nodes is requested. */
static bool wants_contention(void)
{
    for (int i = LOCK_UNLOCK; i < FIGURES; i++)
        if (bench_wants(figures[i].name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    job_page_by_page();
    job_begin(&argc, &argv, &program, 1);
    unsigned long nodes = (unsigned long)hlrc_node_count();
    job_report("cached", "us", BATCH, cached_once, bench_shape("batch %d", BATCH));
    if (bench_wants("remote") && nodes > 1)
        measure_remote();
    if (bench_wants("words"))
        queue_make((int)nodes - 1);
    for (size_t i = 0; i < bench.sizes.count; i++)
        if (bench_wants("words") && bench.sizes.value[i] <= nodes)
            contend_words((int)bench.sizes.value[i]);
    for (size_t i = 0; i < bench.sizes.count; i++)
        if (wants_contention() && bench.sizes.value[i] <= nodes)
            contend((int)bench.sizes.value[i]);
    job_end(wrong, job_options);
}
