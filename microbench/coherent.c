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
 *               time. That time of all workers is divided by the increments. The counter is
 *               checked.
 *  barriers     POSIX barriers, back to back; a sample is the mean of BATCH
 *
 * All in us.
 */
#include "microbench/bench.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 128
#define PAGES   1024
#define WORDS   (BENCH_PAGE / sizeof(uint64_t))
#define BATCH   50
#define SLICE   5000000 /* ns */

enum { READ_PAGES, TOUCH_WORD, CONTEND, MEET, LEAVE };

/* Mapped by all workers. */
static struct shared {
    pthread_barrier_t meet;  /* before and after a measurement */
    pthread_barrier_t timed; /* the barrier that is measured */
    pthread_mutex_t mutex;
    int task; /* set by worker 0 before the barrier */
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
static bool processes = true;

static void read_pages(size_t me)
{
    uint64_t start = bench_now(), bad = 0;

    for (size_t page = 0; page < PAGES; page++)
        bad +=
            *(volatile uint64_t *)&shared->pages[page][page % WORDS] != shared->generation + page;
    shared->us[me] = bench_us_since(start) / PAGES;
    shared->wrong += bad;
}

static void contend(size_t me)
{
    shared->done[me] = 0;
    while (bench_now() < shared->until) {
        pthread_mutex_lock(&shared->mutex);
        shared->counter++;
        pthread_mutex_unlock(&shared->mutex);
        shared->done[me]++;
    }
}

/* All workers except worker 0, which does the same in its measurements. */
static void serve(size_t me)
{
    for (;;) {
        pthread_barrier_wait(&shared->meet);
        int task = shared->task;
        if (task == LEAVE)
            return;
        if (task == READ_PAGES)
            read_pages(me);
        if (task == TOUCH_WORD && me == 1)
            shared->word++;
        if (task == CONTEND)
            contend(me);
        for (int i = 0; task == MEET && i < BATCH; i++)
            pthread_barrier_wait(&shared->timed);
        pthread_barrier_wait(&shared->meet);
    }
}

static void begin(int task)
{
    shared->task = task;
    pthread_barrier_wait(&shared->meet);
}

static void end(void)
{
    pthread_barrier_wait(&shared->meet);
}

/* ---- Measurements by worker 0 ---- */

static double page_once(void *unused)
{
    double sum = 0;

    (void)unused;
    shared->generation += PAGES;
    for (size_t page = 0; page < PAGES; page++)
        for (size_t i = 0; i < WORDS; i++)
            shared->pages[page][i] = shared->generation + page;
    begin(READ_PAGES);
    end();
    for (size_t w = 1; w < workers; w++)
        sum += shared->us[w];
    return sum / (double)(workers - 1);
}

static double fetch_add_once(void *unused)
{
    (void)unused;
    begin(TOUCH_WORD);
    end();
    uint64_t start = bench_now();
    for (int i = 0; i < BATCH; i++)
        shared->word++;
    return bench_us_since(start) / BATCH;
}

static double lock_once(void *unused)
{
    uint64_t before = shared->counter, all = 0;

    (void)unused;
    shared->until = bench_now() + SLICE;
    uint64_t start = bench_now();
    begin(CONTEND);
    contend(0);
    end();
    double us = bench_us_since(start);
    for (size_t w = 0; w < workers; w++)
        all += shared->done[w];
    shared->wrong += shared->counter - before != all;
    return all > 0 ? us * (double)workers / (double)all : NAN;
}

static double barriers_once(void *unused)
{
    (void)unused;
    begin(MEET);
    uint64_t start = bench_now();
    for (int i = 0; i < BATCH; i++)
        pthread_barrier_wait(&shared->timed);
    double us = bench_us_since(start) / BATCH;
    end();
    return us;
}

/* ---- Workers ---- */

static void *worker_main(void *arg)
{
    serve((size_t)(uintptr_t)arg);
    return NULL;
}

static void start_workers(pthread_t *thread)
{
    pid_t parent = getpid();

    for (size_t w = 1; w < workers; w++) {
        if (!processes) {
            if (pthread_create(&thread[w], NULL, worker_main, (void *)(uintptr_t)w) != 0)
                bench_fail(1, "cannot start a thread; lower --workers");
            continue;
        }
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                serve(w);
            _exit(0);
        }
        if (child < 0)
            bench_fail(1, "fork: cannot start a process; lower --workers");
    }
}

static void end_workers(const pthread_t *thread)
{
    shared->task = LEAVE;
    pthread_barrier_wait(&shared->meet);
    for (size_t w = 1; w < workers; w++) {
        if (processes)
            (void)wait(NULL);
        else
            (void)pthread_join(thread[w], NULL);
    }
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

static const struct bench_figure figures[] = {
    { "page", "a word of each page that another worker wrote" },
    { "fetch_add", "a word that another worker wrote last" },
    { "lock_unlock", "a mutex that all workers contend for" },
    { "barriers", "barriers of POSIX, back to back" },
    { NULL, NULL },
};
static bench_once *const measured[] = { page_once, fetch_add_once, lock_once, barriers_once };

enum { KEY_WORKERS = 500, KEY_AS };

static const struct argp_option options[] = {
    { "workers", KEY_WORKERS, "N", 0, "number of workers, 2 to 128 (default 2)", 0 },
    { "as", KEY_AS, "KIND", 0, "processes or threads (default processes)", 0 },
    { NULL, 0, NULL, 0, NULL, 0 },
};

static bool take(int key, char *arg)
{
    if (key == KEY_WORKERS) {
        workers = bench_number("--workers", arg, 2, WORKERS);
        return true;
    }
    if (key != KEY_AS)
        return false;
    processes = strcmp(arg, "processes") == 0;
    if (!processes && strcmp(arg, "threads") != 0)
        bench_fail(2, "--as %s: no such kind; choose processes or threads", arg);
    return true;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "coherent",
        .what = "Measure what memory that caches keep coherent costs, without HLRC.",
        .figures = figures,
        .warmup = 2,
        .repetitions = 50,
        .seconds = 0.3,
        .options = options,
        .take = take,
    };
    pthread_t thread[WORKERS];

    bench_arguments(&program, argc, argv);
    share();
    start_workers(thread);
    bench_begin("none", 1, BENCH_SHAPE({ "as", 0, processes ? "processes" : "threads" }));
    for (size_t i = 0; figures[i].name != NULL; i++) {
        if (!bench_wants(figures[i].name))
            continue;
        struct bench_stat stat = bench_measure(measured[i], NULL);
        bench_result(figures[i].name, "us",
                     BENCH_SHAPE({ "workers", (double)workers, NULL },
                                 { "as", 0, processes ? "processes" : "threads" }),
                     &stat);
    }
    end_workers(thread);
    (void)bench_results_end();
    bench_end();
    if (shared->wrong != 0)
        bench_fail(1, "%lu values were wrong", (unsigned long)shared->wrong);
    return 0;
}
