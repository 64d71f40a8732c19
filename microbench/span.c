/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/span.h"

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

/* Progress of node 1 in one span, and its CPU clocks; ns. */
struct account {
    double done;
    double others;
    double handler;
};

/* All nodes agree on the start of the next span. */
static uint64_t agree(void)
{
    uint64_t start = bench_now() + LEAD;
    int rc = hlrc_broadcast(&start, sizeof start, 0);

    if (rc != 0)
        bench_fail(1, "hlrc_broadcast: %s", strerror(-rc));
    return start;
}

static double compute_until(uint64_t end)
{
    static volatile double x;
    double rounds = 0;

    for (; bench_now() < end; rounds++)
        for (int i = 0; i < 200; i++)
            x = x * 0.999 + 1;
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

static struct account one_span(struct span *span, bool with_operations)
{
    uint64_t start = agree(), end = start + SPAN;
    struct account account = { 0 };

    bench_wait_until(start);
    if (hlrc_node_id() == 1)
        account = compute(end);
    while (span->work != NULL && bench_now() < end) {
        if (!with_operations)
            continue;
        bench_series_add(&span->us, span->work(&span->done));
        if (span->delay_us > 0)
            bench_wait_until(bench_now() + span->delay_us * 1000);
    }
    hlrc_barrier();
    return account;
}

void span_pair(struct span *span)
{
    struct account with = one_span(span, true), without = one_span(span, false);

    if (hlrc_node_id() != 1)
        return;
    if (without.done > 0) /* else node 1 got no CPU time */
        bench_series_add(&span->lost, 100 * (1 - with.done / without.done));
    bench_series_add(&span->iterations, with.done);
    bench_series_add(&span->iterations_idle, without.done);
    bench_series_add(&span->others, 100 * with.others / SPAN);
    bench_series_add(&span->others_idle, 100 * without.others / SPAN);
    bench_series_add(&span->handler, 100 * with.handler / SPAN);
}

struct span span_make(size_t pairs, span_work *work, unsigned long delay_us)
{
    struct span span = {
        .work = hlrc_node_id() == 1 ? NULL : work,
        .delay_us = delay_us,
        .us = bench_series_make(SAMPLES),
        .lost = bench_series_make(pairs),
        .iterations = bench_series_make(pairs),
        .iterations_idle = bench_series_make(pairs),
        .others = bench_series_make(pairs),
        .others_idle = bench_series_make(pairs),
        .handler = bench_series_make(pairs),
    };

    span_pair(&span);
    bench_series_clear(&span.us);
    bench_series_clear(&span.lost);
    bench_series_clear(&span.iterations);
    bench_series_clear(&span.iterations_idle);
    bench_series_clear(&span.others);
    bench_series_clear(&span.others_idle);
    bench_series_clear(&span.handler);
    span.done = 0;
    return span;
}

/* ---- Results ---- */

void span_tell(const char *use, struct span *span, struct job_counts *counts, double spans)
{
    double done = (double)job_sum(span->done);
    const struct bench_shape *shape =
        BENCH_SHAPE({ "use", 0, use }, { "delay_us", (double)span->delay_us, NULL },
                    { "operations", done, NULL }, { "per_s", done / (spans * SPAN / 1e9), NULL },
                    { "span_us", SPAN / 1000, NULL });

    job_result(&(struct job_figure){ "operation", "us", shape, done }, &span->us, counts);
    job_result(&(struct job_figure){ "lost", "percent", shape, 0 }, &span->lost, NULL);
    job_result(&(struct job_figure){ "iterations", "count", shape, 0 }, &span->iterations, NULL);
    job_result(&(struct job_figure){ "iterations_idle", "count", shape, 0 }, &span->iterations_idle,
               NULL);
    job_result(&(struct job_figure){ "others", "percent", shape, 0 }, &span->others, NULL);
    job_result(&(struct job_figure){ "others_idle", "percent", shape, 0 }, &span->others_idle,
               NULL);
    job_result(&(struct job_figure){ "handler", "percent", shape, 0 }, &span->handler, NULL);
}
