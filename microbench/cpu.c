/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slowdown of a node that computes while all others use objects whose home is there: the
 * counter test of Buntinas, Panda and Gropp (NIC-Based Atomic Remote Memory Operations in
 * Myrinet/GM, section V). Node 1 is the home of locks, pages and words.
 *
 *  lock    one lock, acquired and released repeatedly. With --locks manager it stays biased to its
 *          only user, and its home gets no messages.
 *  locks   many locks, one after the other, each of which was last held at its home. Its home
 *          acquires them again between spans.
 *  page    pages read one after the other. A reader may keep a quarter of them (--cache-size), so
 *          it fetches each again on every pass.
 *  word    fetch-and-add of an atomic word
 *  word_compare, word_exchange
 *          the same by compare-and-exchange and by exchange
 *
 *  queue   a queue lock of atomic words (queue.h), acquired and released: each is an atomic. The
 *          paper's figure 7 shows `iterations` over PER_S.
 *  send    the same, while node 1 does not compute but puts blocks of SENT bytes into a window of
 *          the last node, which sleeps: bandwidth and bandwidth_idle (MB/s). The paper's figure 8.
 *          Only in jobs of three nodes and more.
 *
 * Node 1 computes for SPAN, by the clock and outside of the library, and counts its iterations.
 * During that time the others perform operations or only read the clock. Spans with and without
 * operations alternate, so that other load on the machine affects both equally. The slowdown
 * depends on whether the threads of node 1 share a core, and varies with the load of the machine.
 * The CPU time of the other threads of its process does not.
 *
 * Results of each USE: operation (us), lost (percent of the computation), iterations and
 * iterations_idle (rounds of the compute loop in a span with operations and in one without),
 * others and others_idle (CPU time of the other threads of its process, in percent of the span),
 * handler (of its handler, by hlrc_stats_get). With --delays, that many us after each operation.
 * The rate is in PER_S, and figure 7 of Buntinas, Panda and Gropp shows iterations over it.
 */
#include "microbench/job.h"
#include "microbench/queue.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPAN    20000000 /* ns */
#define LEAD    2000000  /* ns from the agreement on a span to its start */
#define SAMPLES 20000    /* operation samples kept */
#define THREADS 64       /* maximum per computing process */
#define BATCH   20
#define SENT    16384
#define WORDS   BENCH_PAGE_WORDS
#define KEPT    "1M" /* cache size of a node */
#define PAGES   1024

static unsigned long operations, lock_count = 32768;
static struct bench_list delays;
static uint64_t wrong;

/* ---- Uses: locks, whose home is the lock's number modulo the number of nodes ---- */

static hlrc_lock_t *locks; /* lock_count of them, divided among the nodes that use them */
static unsigned long next_lock;

static void acquire_and_release(hlrc_lock_t lock)
{
    hlrc_lock(lock);
    hlrc_unlock(lock);
}

static void use_lock(void)
{
    acquire_and_release(1);
}

/* Nodes 0, 2, 3, ... use the list of locks in turn. */
static void use_locks(void)
{
    unsigned long users = (unsigned long)hlrc_node_count() - 1,
                  node = (unsigned long)hlrc_node_id(), user = node > 1 ? node - 1 : 0;

    acquire_and_release(locks[(next_lock++ * users + user) % lock_count]);
}

static hlrc_lock_t create(void)
{
    hlrc_lock_t lock = 0;

    job_check(hlrc_lock_create(&lock), "hlrc_lock_create, fewer by --locks");
    return lock;
}

static bool is_at_node_1(hlrc_lock_t lock)
{
    return lock % (unsigned)hlrc_node_count() == 1;
}

/* All locks created by one node have the same home. Returns the node whose locks have node 1 as
 * home. */
static int find_creator(void)
{
    hlrc_lock_t lock = create();
    bool found = is_at_node_1(lock);

    hlrc_lock_destroy(lock);
    return (int)job_sum(found ? (uint64_t)hlrc_node_id() : 0);
}

static void make_locks(void)
{
    int creator = find_creator();

    locks = bench_memory(calloc(lock_count, sizeof(locks[0])));
    for (unsigned long i = 0; hlrc_node_id() == creator && i < lock_count; i++) {
        locks[i] = create();
        wrong += !is_at_node_1(locks[i]);
    }
    job_broadcast(locks, lock_count * sizeof(locks[0]), creator);
}

/* Node 1 acquires all locks, so that the next users find them there. */
static void acquire_all(void)
{
    unsigned long most = 0;

    for (int node = 0; node < hlrc_node_count(); node++) {
        unsigned long used = next_lock;
        job_broadcast(&used, sizeof(used), node);
        most = used > most ? used : most;
    }
    most *= (unsigned long)hlrc_node_count() - 1;
    for (unsigned long i = 0; hlrc_node_id() == 1 && i < most && i < lock_count; i++)
        acquire_and_release(locks[i]);
    next_lock = 0;
    hlrc_barrier();
}

/* ---- Pages and words ---- */

static uint64_t *region; /* PAGES pages; the first word of each is its index */
static size_t next_page;

static void use_page(void)
{
    size_t page = next_page++ % PAGES;

    wrong += *(volatile uint64_t *)&region[page * WORDS] != page;
}

static void make_pages(void)
{
    region = job_allocate_at(PAGES * (size_t)BENCH_PAGE, 1);
    for (size_t i = 0; hlrc_node_id() == 1 && i < PAGES; i++)
        region[i * WORDS] = i;
    hlrc_barrier();
    while (hlrc_node_id() != 1 && next_page < 2 * (size_t)PAGES)
        use_page();
    hlrc_barrier();
}

static hlrc_atomic_t word;
static bool has_word;

static void make_word(void)
{
    if (hlrc_node_id() == 1 && !has_word)
        job_check(hlrc_atomic_create(&word, 0), "hlrc_atomic_create");
    has_word = true;
    job_broadcast(&word, sizeof(word), 1);
}

static void fetch_add(void)
{
    hlrc_atomic_fetch_add(word, 1);
}

/* Success depends on the other nodes. */
static void compare_exchange(void)
{
    static uint64_t seen;

    if (hlrc_atomic_compare_exchange(word, &seen, seen + 1))
        seen++;
}

static void exchange(void)
{
    hlrc_atomic_exchange(word, (uint64_t)hlrc_node_id());
}

static void nothing(void)
{
}

static void make_queue(void)
{
    static bool made;

    if (!made)
        queue_make(1);
    made = true;
    wrong += queue_check(hlrc_node_count());
}

static void use_queue(void)
{
    queue_lock();
    queue_unlock();
}

static char *sent; /* a window */

static void make_send(void)
{
    make_queue();
    sent = hlrc_window_create(SENT);
    if (sent == NULL)
        bench_fail(1, "no window of %d bytes; raise --memory", SENT);
}

static const struct use {
    const char *name, *what;
    void (*make)(void);
    bench_operation *perform;
    void (*between)(void); /* called between pairs of spans */
} uses[] = {
    { "lock", "one lock over and over", nothing, use_lock, nothing },
    { "locks", "locks that were last held at their home", make_locks, use_locks, acquire_all },
    { "page", "pages", make_pages, use_page, nothing },
    { "word", "fetch-and-add of an atomic word", make_word, fetch_add, nothing },
    { "word_compare", "compare-and-exchange of an atomic word", make_word, compare_exchange,
      nothing },
    { "word_exchange", "exchange of an atomic word", make_word, exchange, nothing },
    { "queue", "a queue lock of atomic words", make_queue, use_queue, nothing },
    { "send", "the same, of a home that sends", make_send, use_queue, nothing },
};

/* ---- CPU time of the process's other threads ---- */

/* CPU-time clock of one thread of this process, as made by pthread_getcpuclockid(): the complement
 * of its number, with the flags for a thread's clock and for scheduler time. */
static clockid_t clock_of(long thread)
{
    return (clockid_t)(~(unsigned)thread << 3 | 4 | 2);
}

/* The runtime starts its threads in hlrc_init and keeps them. Returns their number. */
static size_t other_threads(long thread[THREADS])
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");

    if (tasks == NULL)
        bench_fail(1, "/proc/self/task: %s", strerror(errno));
    for (const struct dirent *e; (e = readdir(tasks)) != NULL;) {
        long number = strtol(e->d_name, NULL, 10);
        if (number > 0 && number != (long)gettid() && count < THREADS)
            thread[count++] = number;
    }
    (void)closedir(tasks);
    return count;
}

static double others_ns(void)
{
    static long thread[THREADS];
    static size_t count;
    double sum = 0;

    if (count == 0)
        count = other_threads(thread);
    for (size_t i = 0; i < count; i++) {
        struct timespec t;
        if (clock_gettime(clock_of(thread[i]), &t) != 0)
            bench_fail(1, "the CPU clock of thread %ld: %s", thread[i], strerror(errno));
        sum += (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
    }
    return sum;
}

static double handler_ns(void)
{
    struct hlrc_stats stats = { .size = sizeof(stats) };

    hlrc_stats_get(&stats);
    return stats.handler_s * 1e9;
}

/* ---- Spans ---- */

/* Operations of all nodes that perform some, all others of node 1. _idle: in spans without. */
enum {
    OPERATION,
    LOST,
    ITERATIONS,
    ITERATIONS_IDLE,
    OTHERS,
    OTHERS_IDLE,
    HANDLER,
    BANDWIDTH,
    BANDWIDTH_IDLE
};

static struct job_figure figures[] = {
    { .name = "operation", .unit = "us", .counters = true, .series.max = SAMPLES },
    { .name = "lost", .unit = "percent" },
    { .name = "iterations", .unit = "count" },
    { .name = "iterations_idle", .unit = "count" },
    { .name = "others", .unit = "percent" },
    { .name = "others_idle", .unit = "percent" },
    { .name = "handler", .unit = "percent" },
    { .name = "bandwidth", .unit = "MB/s" },
    { .name = "bandwidth_idle", .unit = "MB/s" },
};

static const struct use *now;
static unsigned long delay_us;
static uint64_t done; /* operations of this node in this use */

static void add_sample(int figure, double sample)
{
    bench_series_add(&figures[figure].series, sample);
}

/* Progress of node 1 in one span, and its CPU clocks; ns. */
struct account {
    double done, others, handler;
};

static bool sends(void)
{
    return now->make == make_send;
}

static double compute_until(uint64_t end)
{
    static volatile double x;
    static char block[SENT];
    double rounds = 0;

    for (; bench_now() < end; rounds++) {
        if (sends())
            hlrc_put(sent, block, SENT, hlrc_node_count() - 1);
        for (int i = 0; !sends() && i < 200; i++)
            x = x * 0.999 + 1;
    }
    return rounds;
}

static struct account compute(uint64_t end)
{
    double handler = handler_ns(), others = others_ns();
    struct account account = { .done = compute_until(end) };

    account.others = others_ns() - others;
    account.handler = handler_ns() - handler;
    return account;
}

/* With a delay between operations, each is timed separately. */
static void perform_until(uint64_t end)
{
    size_t batch = delay_us > 0 ? 1 : BATCH;

    while (bench_now() < end) {
        add_sample(OPERATION, bench_us_each(now->perform, batch));
        done += batch;
        if (delay_us > 0)
            bench_wait_until(bench_now() + delay_us * 1000);
    }
}

static void sleep_until(uint64_t when)
{
    struct timespec time = { (time_t)(when / 1000000000), (long)(when % 1000000000) };

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static struct account one_span(bool with_operations)
{
    uint64_t start = job_agree(bench_now() + LEAD), end = start + SPAN;
    struct account account = { 0 };

    bench_wait_until(start);
    if (hlrc_node_id() == 1)
        account = compute(end);
    else if (sends() && hlrc_node_id() == hlrc_node_count() - 1)
        sleep_until(end);
    else if (with_operations)
        perform_until(end);
    bench_wait_until(end);
    hlrc_barrier();
    return account;
}

static void span_pair(void)
{
    uint64_t before = done;

    job_counts_start();
    struct account with = one_span(true), without = one_span(false);
    job_counts_stop((double)(done - before));
    if (hlrc_node_id() != 1)
        return;
    if (without.done > 0) /* else node 1 got no CPU time */
        add_sample(LOST, 100 * (1 - with.done / without.done));
    if (sends()) { /* bytes in SPAN ns */
        add_sample(BANDWIDTH, with.done * SENT * 1000 / SPAN);
        add_sample(BANDWIDTH_IDLE, without.done * SENT * 1000 / SPAN);
    }
    add_sample(ITERATIONS, with.done);
    add_sample(ITERATIONS_IDLE, without.done);
    add_sample(OTHERS, 100 * with.others / SPAN);
    add_sample(OTHERS_IDLE, 100 * without.others / SPAN);
    add_sample(HANDLER, 100 * with.handler / SPAN);
}

/* The first pair is not counted, for newly started threads to settle. */
static void measure(void)
{
    uint64_t spans = 0, all = 0;

    span_pair();
    now->between();
    job_clear(figures, BENCH_COUNT(figures));
    done = 0;
    for (; spans < bench.repetitions || all < operations; spans++) {
        span_pair();
        now->between();
        all = job_sum(done);
    }
    job_results(figures, BENCH_COUNT(figures),
                bench_shape("use %s delay_us %lu operations %.10g per_s %.10g span_us %d",
                            now->name, delay_us, (double)all,
                            (double)all / ((double)spans * SPAN / 1e9), SPAN / 1000));
}

static const struct bench_program program = BENCH_PROGRAM(
    "Measure what a computing node loses while others use its locks, pages and words; run it under "
    "hlrcrun -n 2 or more. A repetition is 20 ms with operations and 20 ms without.",
    uses, 1, 10, 1,
    BENCH_OPTION_NUMBERS("delays", 'd', "us from one operation to the next", &delays, 0, 100000,
                         "0"),
    BENCH_OPTION_NUMBER("locks", 'l', "number of locks acquired one after the other", &lock_count,
                        1, 1000000),
    BENCH_OPTION_NUMBER("operations", 'O',
                        "minimum operations of each kind, by all nodes together; adds spans until "
                        "reached",
                        &operations, 0, 1000000000),
    BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    job_page_by_page();
    (void)setenv("HLRC_CACHE_SIZE", KEPT, 0);
    job_begin(&argc, &argv, &program, 2);
    for (now = uses; now < uses + BENCH_COUNT(uses); now++) {
        if (!bench_wants(now->name) || (sends() && hlrc_node_count() < 3))
            continue;
        now->make();
        for (size_t k = 0; k < delays.count; k++) {
            delay_us = delays.value[k];
            measure();
        }
    }
    job_end(wrong, job_options);
}
