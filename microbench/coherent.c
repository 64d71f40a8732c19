/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of hardware cache coherence on one machine, without HLRC, for processes (--as
 * processes) that share memory or for threads: the figures of pagefetch, locks, words and barrier,
 * named as in those programs. Worker 0 measures. --workers of them take part and wait in a POSIX
 * barrier before each repetition.
 *
 *  page         worker 0 writes all pages; then every other worker reads one word of each. The
 *               readers' time divided by the number of pages, averaged over the readers.
 *  fetch_add    by worker 0 on a word that worker 1 has written; a sample is the mean of BATCH
 *  lock_unlock  all workers lock a POSIX mutex, increment a counter and unlock it, for a slice of
 *               time, at least once each. That time of all workers is divided by the increments.
 *               The counter is checked.
 *  barriers     POSIX barriers, back to back; a sample is the mean of BATCH
 *
 * All in us.
 */
#include "microbench/bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 128
#define PAGES   1024
#define WORDS   BENCH_PAGE_WORDS
#define BATCH   50
#define SLICE   5000000 /* ns */

/* Done by a worker in a measurement; NULL: it leaves. The program is the same in all processes. */
typedef void task(size_t me);

/* Mapped by all workers. */
static struct shared {
    pthread_barrier_t meet;  /* before and after a measurement */
    pthread_barrier_t timed; /* the barrier that is measured */
    pthread_mutex_t mutex;
    task *task; /* set by worker 0 before the barrier */
    uint64_t until;
    uint64_t counter;       /* under the mutex */
    uint64_t done[WORKERS]; /* each worker its own; read by worker 0 after a barrier */
    double us[WORKERS];     /* as done */
    _Atomic uint64_t word;
    _Atomic uint64_t wrong;
    uint64_t generation;
    uint64_t pages[PAGES][WORDS]; /* written by worker 0 between barriers */
} * shared;

static unsigned long workers = 2;
static bool threads;

static void read_pages(size_t me)
{
    uint64_t start = bench_now(), bad = 0;

    for (size_t page = 0; page < PAGES; page++)
        bad +=
            *(volatile uint64_t *)&shared->pages[page][page % WORDS] != shared->generation + page;
    shared->us[me] = bench_us_since(start) / PAGES;
    shared->wrong += bad;
}

static void touch_word(size_t me)
{
    if (me == 1)
        shared->word++;
}

static void contend(size_t me)
{
    shared->done[me] = 0;
    do {
        pthread_mutex_lock(&shared->mutex);
        shared->counter++;
        pthread_mutex_unlock(&shared->mutex);
        shared->done[me]++;
    } while (bench_now() < shared->until);
}

static void enter_timed(void)
{
    pthread_barrier_wait(&shared->timed);
}

static void enter_barriers(size_t me)
{
    shared->us[me] = bench_us_each(enter_timed, BATCH);
}

/* All workers except worker 0, which does the same in its measurements. */
static void serve(size_t me)
{
    for (;;) {
        pthread_barrier_wait(&shared->meet);
        if (shared->task == NULL)
            return;
        shared->task(me);
        pthread_barrier_wait(&shared->meet);
    }
}

static void begin(task *next)
{
    shared->task = next;
    pthread_barrier_wait(&shared->meet);
}

static void end(void)
{
    pthread_barrier_wait(&shared->meet);
}

/* ---- Measurements by worker 0 ---- */

static double page_once(void)
{
    double sum = 0;

    shared->generation += PAGES;
    for (size_t page = 0; page < PAGES; page++)
        for (size_t i = 0; i < WORDS; i++)
            shared->pages[page][i] = shared->generation + page;
    begin(read_pages);
    end();
    for (size_t w = 1; w < workers; w++)
        sum += shared->us[w];
    return sum / (double)(workers - 1);
}

static void add(void)
{
    shared->word++;
}

static double fetch_add_once(void)
{
    begin(touch_word);
    end();
    return bench_us_each(add, BATCH);
}

static double lock_once(void)
{
    uint64_t before = shared->counter, all = 0;

    shared->until = bench_now() + SLICE;
    uint64_t start = bench_now();
    begin(contend);
    contend(0);
    end();
    double us = bench_us_since(start);
    for (size_t w = 0; w < workers; w++)
        all += shared->done[w];
    shared->wrong += shared->counter - before != all;
    return us * (double)workers / (double)all;
}

static double barriers_once(void)
{
    begin(enter_barriers);
    enter_barriers(0);
    end();
    return shared->us[0];
}

/* ---- Workers ---- */

static void *worker_main(void *arg)
{
    serve((size_t)(uintptr_t)arg);
    return NULL;
}

static pthread_t thread[WORKERS];

static void start_process(size_t me)
{
    pid_t parent = getpid(), child = fork();

    if (child < 0)
        bench_fail(1, "fork: cannot start a process; lower --workers");
    if (child > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        serve(me);
    _exit(0);
}

static void start_workers(void)
{
    for (size_t w = 1; w < workers; w++)
        if (!threads)
            start_process(w);
        else if (pthread_create(&thread[w], NULL, worker_main, (void *)(uintptr_t)w) != 0)
            bench_fail(1, "cannot start a thread; lower --workers");
}

static void end_workers(void)
{
    begin(NULL);
    for (size_t w = 1; w < workers; w++)
        (void)(threads ? pthread_join(thread[w], NULL) : wait(NULL));
}

static void share(void)
{
    pthread_barrierattr_t barrier;
    pthread_mutexattr_t mutex;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        bench_fail(1, "mmap: no memory for %zu bytes", sizeof *shared);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->meet, &barrier, (unsigned)workers);
    pthread_barrier_init(&shared->timed, &barrier, (unsigned)workers);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
}

/* ---- The program ---- */

static const struct {
    const char *name, *what;
    bench_once *once;
} figures[] = {
    { "page", "a word of each page that another worker wrote", page_once },
    { "fetch_add", "a word that another worker wrote last", fetch_add_once },
    { "lock_unlock", "a mutex that all workers contend for", lock_once },
    { "barriers", "barriers of POSIX, back to back", barriers_once },
};

static const struct bench_program program = BENCH_PROGRAM(
    "Measure what memory that caches keep coherent costs, without HLRC.", figures, 2, 50, 0.3,
    BENCH_OPTION_NUMBER("workers", 0, "number of workers, 2 to 128", &workers, 2, WORKERS),
    BENCH_OPTION_EITHER("as", 0, "KIND", "processes or threads", &threads, "processes|threads"),
    BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    bench_arguments(&program, argc, argv);
    share();
    start_workers();
    bench_begin("none", 1, threads ? "as threads" : "as processes");
    for (size_t i = 0; i < BENCH_COUNT(figures); i++)
        bench_report(figures[i].name, "us", figures[i].once,
                     bench_shape("workers %lu as %s", workers, threads ? "threads" : "processes"));
    end_workers();
    bench_end(NULL);
    if (shared->wrong != 0)
        bench_fail(1, "%lu values were wrong", (unsigned long)shared->wrong);
    return 0;
}
