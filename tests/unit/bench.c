/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The harness of the microbenchmarks: what it says of samples whose statistics are known, which
 * repetitions it allows for, lists of numbers, and the JSON that it writes.
 */
#include "microbench/bench.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(double found, double wanted)
{
    if (fabs(found - wanted) > 1e-9)
        fail_msg("%.12g, not %.12g", found, wanted);
}

/* ---- Statistics ---- */

enum { FIGURES = 9 };

/* min, median, mean, max, p10, p50, p90, p99, p999 */
static void expect_stat(struct bench_stat stat, size_t count, const double wanted[FIGURES])
{
    const double found[FIGURES] = { stat.min, stat.median, stat.mean, stat.max, stat.p10,
                                    stat.p50, stat.p90,    stat.p99,  stat.p999 };

    assert_int_equal(stat.count, count);
    for (int i = 0; i < FIGURES; i++)
        expect(found[i], wanted[i]);
}

static void few_samples(void)
{
    double ten[] = { 7, 3, 10, 1, 9, 5, 2, 8, 4, 6 }, odd[] = { 20, -4, 1 }, one[] = { 2.5 };

    expect_stat(bench_stat(ten, 10), 10, (double[]){ 1, 5.5, 5.5, 10, 1, 5, 9, 10, 10 });
    expect_stat(bench_stat(odd, 3), 3, (double[]){ -4, 1, 17. / 3, 20, -4, 1, 20, 20, 20 });
    expect_stat(bench_stat(one, 1), 1, (double[]){ 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5 });
    expect_stat(bench_stat(one, 0), 0, (double[]){ 0, 0, 0, 0, 0, 0, 0, 0, 0 });
}

/* 1 to 2000: the p-th percentile is 20 p. */
static void percentiles_of_many(void)
{
    static double x[2000];

    for (size_t i = 0; i < BENCH_COUNT(x); i++)
        x[i] = (double)(BENCH_COUNT(x) - i);
    struct bench_stat stat = bench_stat(x, BENCH_COUNT(x));
    expect_stat(stat, BENCH_COUNT(x),
                (double[]){ 1, 1000.5, 1000.5, 2000, 200, 1000, 1800, 1980, 1998 });
    expect(bench_percentile(x, BENCH_COUNT(x), 1), 2);
    expect(bench_percentile(x, BENCH_COUNT(x), 1000), 2000);
}

/* How many samples are in the bucket that begins at BOUND. */
static uint64_t from(const struct bench_stat *stat, double bound)
{
    for (size_t i = 0; i < BENCH_BUCKETS; i++)
        if (bench_bucket_from(i) == bound)
            return stat->log2[i];
    fail_msg("no bucket begins at %g", bound);
    return 0;
}

static void histogram_by_powers_of_two(void)
{
    double x[] = { 0, -3, 0.5, 0.999, 1, 1.5, 1.999, 2, 3, 4, 1024, 2047, 1e300, 1e-9 };
    struct bench_stat stat = bench_stat(x, BENCH_COUNT(x));
    uint64_t sum = 0;

    assert_int_equal(stat.log2[0], 3); /* 0, -3, 1e-9 */
    assert_int_equal(from(&stat, 0.25), 0);
    assert_int_equal(from(&stat, 0.5), 2);
    assert_int_equal(from(&stat, 1), 3);
    assert_int_equal(from(&stat, 2), 2);
    assert_int_equal(from(&stat, 4), 1);
    assert_int_equal(from(&stat, 1024), 2);
    assert_int_equal(stat.log2[BENCH_BUCKETS - 1], 1);
    for (size_t i = 0; i < BENCH_BUCKETS; i++)
        sum += stat.log2[i];
    assert_int_equal(sum, BENCH_COUNT(x));
}

/* A thousand of the numbers below 20,000: none twice, and their mean is near that of all. */
static void more_samples_than_fit(void)
{
    struct bench_series series = { .max = 1000 };

    for (int i = 0; i < 20000; i++)
        bench_series_add(&series, i);
    assert_int_equal(series.count, 1000);
    assert_int_equal(series.seen, 20000);
    struct bench_stat stat = bench_stat(series.sample, series.count);
    for (size_t i = 1; i < series.count; i++)
        assert_true(series.sample[i] > series.sample[i - 1]);
    assert_true(stat.min >= 0 && stat.max <= 19999);
    assert_true(stat.mean > 9000 && stat.mean < 11000);
    bench_series_clear(&series);
    assert_int_equal(series.count, 0);
    bench_series_add(&series, 7);
    expect(bench_series_stat(&series).max, 7);
    assert_null(series.sample);
}

/* ---- Repetitions ---- */

static void repetitions_that_fit(void)
{
    /* 10 took 1 ms */
    assert_int_equal(bench_allowed(100, 1, 10, 1000000), 100);
    assert_int_equal(bench_allowed(100, 0.005, 10, 1000000), 50);
    assert_int_equal(bench_allowed(100, 0.0001, 10, 1000000), BENCH_FEW);
    assert_int_equal(bench_allowed(2, 0.0001, 10, 1000000), 2);
    assert_int_equal(bench_allowed(7, 1, 1, 0), 7);
}

static int calls;

static double count_calls(void)
{
    return ++calls % 2 == 0 ? (double)calls : (double)NAN;
}

static void warm_up_gives_no_samples(void)
{
    bench = (struct bench_settings){ .warmup = 4, .repetitions = 6, .seconds = 3600 };
    struct bench_stat stat = bench_measure(count_calls);
    assert_int_equal(calls, 10);
    assert_int_equal(stat.count, 3); /* NAN is none: 6, 8, 10 */
    expect(stat.min, 6);
    expect(stat.max, 10);
}

/* ---- Lists of numbers ---- */

static void expect_list(const char *text, size_t count, const unsigned long *wanted)
{
    struct bench_list list = bench_numbers("--list", text, 0, 1ul << 30);

    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list.value[i], wanted[i]);
}

static void lists(void)
{
    expect_list("5", 1, (unsigned long[]){ 5 });
    expect_list("1,64,4K,2M", 4, (unsigned long[]){ 1, 64, 4096, 2097152 });
    expect_list("0,1-16", 6, (unsigned long[]){ 0, 1, 2, 4, 8, 16 });
    expect_list("3-10,7", 4, (unsigned long[]){ 3, 6, 10, 7 });
    expect_list("1K-4K", 3, (unsigned long[]){ 1024, 2048, 4096 });
    expect_list("9-9", 1, (unsigned long[]){ 9 });
}

/* ---- JSON ---- */

static char written[2000];

static void json_is_as_written(void)
{
    char path[] = "/tmp/test_bench.XXXXXX";
    int fd = mkstemp(path);
    double x[] = { 1, 1, 3 };
    struct bench_stat stat = bench_stat(x, BENCH_COUNT(x));
    const struct bench_program rows = { .what = "A program without figures." };

    assert_true(fd >= 0);
    bench = (struct bench_settings){ .json = path, .program = &rows };
    bench_begin_rows("us");
    bench_json_string("text", "a \"b\" \\ \n");
    bench_json_number("none", INFINITY);
    bench_json_begin("list", '[');
    bench_json_number(NULL, 123456789);
    bench_json_begin(NULL, '{');
    bench_json_end('}');
    bench_json_number(NULL, 0.25);
    bench_json_end(']');
    bench_json_stat("stat", &stat);
    bench_end(NULL);
    ssize_t length = read(fd, written, sizeof written - 1);
    assert_true(length > 0);
    assert_string_equal(written,
                        "{\"text\": \"a \\\"b\\\" \\\\ \\u000a\", \"none\": null, "
                        "\"list\": [123456789, {}, 0.25], "
                        "\"stat\": {\"median\": 1, \"min\": 1, \"max\": 3, \"mean\": 1.66666667, "
                        "\"count\": 3, \"p10\": 1, \"p50\": 1, \"p90\": 3, \"p99\": 3, "
                        "\"p999\": 3, \"histogram\": [[1, 2], [2, 1]]}}\n");
    close(fd);
    unlink(path);
}

UNIT_MAIN(NULL, NULL, TEST(few_samples), TEST(percentiles_of_many),
          TEST(histogram_by_powers_of_two), TEST(more_samples_than_fit), TEST(repetitions_that_fit),
          TEST(warm_up_gives_no_samples), TEST(lists), TEST(json_is_as_written))
