/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <math.h>
#include <stdlib.h>

/* Marsaglia's xorshift, always from the same seed. */
static uint64_t drawn(uint64_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

void bench_series_add(struct bench_series *series, double sample)
{
    series->seen++;
    if (series->max > 0 && series->count == series->max) {
        uint64_t at = drawn(series->seen);
        if (at < series->max)
            series->sample[at] = sample;
        return;
    }
    if (series->count == series->room) {
        series->room = series->room > 0 ? 2 * series->room : 1024;
        series->sample = bench_memory(realloc(series->sample, series->room * sizeof(double)));
    }
    series->sample[series->count++] = sample;
}

void bench_series_clear(struct bench_series *series)
{
    series->count = 0;
    series->seen = 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_percentile(const double *sorted, size_t n, unsigned per_mille)
{
    return sorted[(n * per_mille + 999) / 1000 - 1];
}

double bench_bucket_from(size_t bucket)
{
    return bucket == 0 ? 0 : ldexp(1, BENCH_LOWEST + (int)bucket - 1);
}

static size_t bucket_of(double sample)
{
    int exponent;

    if (sample < ldexp(1, BENCH_LOWEST))
        return 0;
    (void)frexp(sample, &exponent); /* from 2^(exponent-1) to below 2^exponent */
    size_t bucket = (size_t)(exponent - BENCH_LOWEST);
    return bucket < BENCH_BUCKETS ? bucket : BENCH_BUCKETS - 1;
}

struct bench_stat bench_stat(double *samples, size_t n)
{
    struct bench_stat stat = { .count = n };
    double sum = 0;

    if (n == 0)
        return stat;
    qsort(samples, n, sizeof(samples[0]), ascending);
    for (size_t i = 0; i < n; i++) {
        sum += samples[i];
        stat.log2[bucket_of(samples[i])]++;
    }
    stat.median = (samples[n / 2] + samples[(n - 1) / 2]) / 2;
    stat.min = samples[0];
    stat.max = samples[n - 1];
    stat.mean = sum / (double)n;
    stat.p10 = bench_percentile(samples, n, 100);
    stat.p50 = bench_percentile(samples, n, 500);
    stat.p90 = bench_percentile(samples, n, 900);
    stat.p99 = bench_percentile(samples, n, 990);
    stat.p999 = bench_percentile(samples, n, 999);
    return stat;
}

struct bench_stat bench_series_stat(struct bench_series *series)
{
    struct bench_stat stat = bench_stat(series->sample, series->count);

    free(series->sample);
    *series = (struct bench_series){ .max = series->max };
    return stat;
}
