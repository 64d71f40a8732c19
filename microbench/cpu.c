/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slowdown of a node that computes while all others use objects whose home is there (span.h).
 * Node 1 is the home of locks, pages and words.
 *
 *  lock    one lock, acquired and released repeatedly. With --locks handler it stays biased to its
 *          only user, and its home gets no messages.
 *  locks   many locks, one after the other, each of which was last held at its home. Its home
 *          acquires them again between spans.
 *  page    pages read one after the other. A reader may keep a quarter of them (--cache-size), so
 *          it fetches each again on every pass.
 *  word    fetch-and-add of an atomic word
 *  word_compare, word_exchange
 *          the same by compare-and-exchange and by exchange
 *
 * Results of each USE: operation (us), lost (percent of the computation), iterations and
 * iterations_idle (rounds of the compute loop in a span with operations and in one without),
 * others and others_idle (CPU time of the other threads of its process, in percent of the span),
 * handler (of its handler, by hlrc_stats_get). With --delays, that many us after each operation.
 * The rate is in PER_S, and figure 7 of Buntinas, Panda and Gropp shows iterations over it.
 */
#include "microbench/span.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 20
#define WORDS (BENCH_PAGE / sizeof(uint64_t))
#define KEPT  "1M" /* cache size of a node */
#define PAGES 1024
#define PAIRS 100000 /* maximum number of span pairs kept */

static unsigned long operations, lock_count = 32768;
static struct bench_list delays = { 1, { 0 } };
static unsigned long delay;
static uint64_t wrong;

/* Operations in one sample; with a delay between operations, each is timed separately. */
static int batch(void)
{
    return delay > 0 ? 1 : BATCH;
}

static void broadcast(void *buf, size_t len, int root)
{
    int rc = hlrc_broadcast(buf, len, root);

    if (rc != 0)
        bench_fail(1, "hlrc_broadcast of %zu bytes: %s", len, strerror(-rc));
}

/* ---- Locks: the home is the lock's number modulo the number of nodes ---- */

static hlrc_lock_t *locks; /* lock_count of them, divided among the nodes that use them */
static unsigned long next_lock;

static void take_and_free(hlrc_lock_t lock)
{
    hlrc_lock(lock);
    hlrc_unlock(lock);
}

static double lock_batch(uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < batch(); i++)
        take_and_free(1);
    double us = bench_us_since(start) / batch();
    *done += (uint64_t)batch();
    return us;
}

/* Nodes 0, 2, 3, ... use the list of locks in turn. */
static hlrc_lock_t lock_of(unsigned long i)
{
    unsigned long takers = (unsigned long)hlrc_node_count() - 1,
                  node = (unsigned long)hlrc_node_id(), taker = node > 1 ? node - 1 : 0;

    return locks[(i * takers + taker) % lock_count];
}

static double locks_batch(uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < batch(); i++)
        take_and_free(lock_of(next_lock++));
    double us = bench_us_since(start) / batch();
    *done += (uint64_t)batch();
    return us;
}

static hlrc_lock_t create(void)
{
    hlrc_lock_t lock = 0;
    int rc = hlrc_lock_create(&lock);

    if (rc != 0)
        bench_fail(1, "hlrc_lock_create: %s; lower --locks", strerror(-rc));
    return lock;
}

/* All locks created by one node have the same home. Returns the node whose locks have node 1 as
 * home. */
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

    locks = calloc(lock_count, sizeof(locks[0]));
    if (locks == NULL)
        bench_fail(1, "out of memory: %lu locks", lock_count);
    for (unsigned long i = 0; hlrc_node_id() == creator && i < lock_count; i++) {
        locks[i] = create();
        wrong += locks[i] % (unsigned)hlrc_node_count() != 1;
    }
    broadcast(locks, lock_count * sizeof(locks[0]), creator);
}

/* Node 1 acquires all locks, so that the next users find them there. */
static void take_back(void)
{
    unsigned long most = 0;

    for (int node = 0; node < hlrc_node_count(); node++) {
        unsigned long taken = next_lock;
        broadcast(&taken, sizeof(taken), node);
        most = taken > most ? taken : most;
    }
    most *= (unsigned long)hlrc_node_count() - 1;
    for (unsigned long i = 0; hlrc_node_id() == 1 && i < most && i < lock_count; i++)
        take_and_free(locks[i]);
    next_lock = 0;
    hlrc_barrier();
}

/* ---- Pages ---- */

static uint64_t *region; /* PAGES pages; the first word of each is its index */
static size_t next_page;

static double page_batch(uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < batch(); i++, next_page++)
        wrong += *(volatile uint64_t *)&region[next_page % PAGES * WORDS] != next_page % PAGES;
    double us = bench_us_since(start) / batch();
    *done += (uint64_t)batch();
    return us;
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

/* ---- Words ---- */

static hlrc_atomic_t word;

static void make_word(void)
{
    int rc = hlrc_node_id() == 1 && word == 0 ? hlrc_atomic_create(&word, 0) : 0;

    if (rc != 0)
        bench_fail(1, "hlrc_atomic_create: %s", strerror(-rc));
    broadcast(&word, sizeof(word), 1);
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

static double word_batch_of(void (*perform)(void), uint64_t *done)
{
    uint64_t start = bench_now();

    for (int i = 0; i < batch(); i++)
        perform();
    double us = bench_us_since(start) / batch();
    *done += (uint64_t)batch();
    return us;
}

static double fetch_add_batch(uint64_t *done)
{
    return word_batch_of(fetch_add, done);
}

static double compare_batch(uint64_t *done)
{
    return word_batch_of(compare_exchange, done);
}

static double exchange_batch(uint64_t *done)
{
    return word_batch_of(exchange, done);
}

/* ---- The program ---- */

static const struct use {
    const char *name;
    void (*make)(void);
    span_work *work;
    void (*between)(void); /* called between pairs of spans */
} uses[] = {
    { "lock", nothing, lock_batch, nothing },
    { "locks", make_locks, locks_batch, take_back },
    { "page", make_pages, page_batch, nothing },
    { "word", make_word, fetch_add_batch, nothing },
    { "word_compare", make_word, compare_batch, nothing },
    { "word_exchange", make_word, exchange_batch, nothing },
};

/* FIRST: first delay of the list, for which everything is created */
static void run(const struct use *use, bool first)
{
    struct job_counts counts = { 0 };
    uint64_t done = 0, spans = 0;

    if (first)
        use->make();
    struct span span = span_make(PAIRS, use->work, delay);
    use->between();
    for (; spans < bench.repetitions || done < operations; spans++) {
        job_counts_start(&counts);
        span_pair(&span);
        job_counts_stop(&counts);
        use->between();
        done = job_sum(span.done);
    }
    span_tell(use->name, &span, &counts, (double)spans);
}

static const struct bench_figure figures[] = {
    { "lock", "one lock over and over" },
    { "locks", "locks that were last held at their home" },
    { "page", "pages" },
    { "word", "fetch-and-add of an atomic word" },
    { "word_compare", "compare-and-exchange of an atomic word" },
    { "word_exchange", "exchange of an atomic word" },
    { NULL, NULL },
};

static bool take(int key, char *arg)
{
    if (key == 'l')
        lock_count = bench_number("--locks", arg, 1, 1000000);
    else if (key == 'O')
        operations = bench_number("--operations", arg, 0, 1000000000);
    else if (key == 'd')
        delays = bench_numbers("--delays", arg, 0, 100000);
    else
        return false;
    return true;
}

static const struct argp_option options[] = {
    { "delays", 'd', "LIST", 0, "us from one operation to the next (default 0)", 0 },
    { "locks", 'l', "N", 0, "number of locks acquired one after the other (default 32768)", 0 },
    { "operations", 'O', "N", 0,
      "minimum operations of each kind, by all nodes together; adds spans until reached (default "
      "0)",
      0 },
    { 0 },
};

static const struct bench_program program = {
    .name = "cpu",
    .what =
        "Measure what a computing node loses while others use its locks, pages and words; run it "
        "under hlrcrun -n 2 or more. A repetition is 20 ms with operations and 20 ms without.",
    .figures = figures,
    .warmup = 1,
    .repetitions = 10,
    .seconds = 1, /* the length of a repetition is fixed */
    .options = options,
    .take = take,
};

int main(int argc, char **argv)
{
    job_page_by_page();
    (void)setenv("HLRC_CACHE_SIZE", KEPT, 0);
    job_begin(&argc, &argv, &program, 2);
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
        for (size_t k = 0; bench_wants(uses[i].name) && k < delays.count; k++) {
            delay = delays.value[k];
            run(&uses[i], k == 0);
        }
    (void)job_results_end();
    job_end(wrong);
}
