/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * is.c - NPB IS: ranks of integer keys, ten times, of which two keys change each time.
 *
 * As the published program does by default, threads put their shares of the keys into buckets, and
 * then rank whole buckets. `is CLASS histograms` is its other way: each thread counts all values,
 * and the histograms are added up.
 */
#include "npb.h"

#define ITERATIONS  10
#define TESTS       5
#define BUCKET_BITS 10
#define BUCKETS     (1 << BUCKET_BITS)
#define MAX_KEYS    (1 << 25)
#define MAX_VALUES  (1 << 21)

static const struct class
{
    int key_bits, value_bits;
    int at[TESTS], rank[TESTS];
    int sign[TESTS];  /* the rank moves by this much with each iteration */
    int rises, falls; /* added to the number of the iteration where it is 1, where it is -1 */
} classes[] = {
    { 16,
      11,
      { 48427, 17148, 23627, 62548, 4431 },
      { 0, 18, 346, 64917, 65463 },
      { 1, 1, 1, -1, -1 },
      0,
      0 },
    { 20,
      16,
      { 357773, 934767, 875723, 898999, 404505 },
      { 1249, 11698, 1039987, 1043896, 1048018 },
      { 1, 1, -1, -1, -1 },
      -2,
      0 },
    { 23,
      19,
      { 2112377, 662041, 5336171, 3642833, 4250760 },
      { 104, 17523, 123928, 8288932, 8388264 },
      { 1, 1, 1, -1, -1 },
      -1,
      -1 },
    { 25,
      21,
      { 41869, 812306, 5102857, 18232239, 26860214 },
      { 33422937, 10244, 59149, 33135281, 99 },
      { -1, 1, 1, -1, 1 },
      0,
      0 },
};

static const struct class *class;
static int num_keys, num_values, bucket_shift;
static int keys[MAX_KEYS], sorted[MAX_KEYS];
static int below[MAX_VALUES]; /* keys up to this value */
static int bucket_end[BUCKETS];
static int (*bucket_sizes)[BUCKETS]; /* by thread */
static int **histograms;             /* by thread */
static int passed;

/* Threads make shares of equal size, each from its own place of the sequence. */
static void make_keys(void)
{
#pragma omp parallel
    {
        long threads = omp_get_num_threads(), thread = omp_get_thread_num();
        long begin = num_keys * thread / threads, end = num_keys * (thread + 1) / threads;
        uint64_t x = npb_skip(NPB_SEED, 4 * (uint64_t)begin);

        for (long i = begin; i < end; i++) {
            double sum = npb_random(&x);

            sum += npb_random(&x);
            sum += npb_random(&x);
            sum += npb_random(&x);
            keys[i] = (int)(num_values / 4 * sum);
        }
    }
}

static void allocate(void)
{
    int threads = omp_get_max_threads();

    bucket_shift = class->value_bits - BUCKET_BITS;
    bucket_sizes = npb_alloc((size_t)threads * sizeof *bucket_sizes);
    histograms = npb_alloc((size_t)threads * sizeof *histograms);
    for (int t = 0; t < threads; t++)
        histograms[t] = npb_alloc((size_t)num_values * sizeof **histograms);
}

/* Where the calling thread puts its first key of each bucket: behind those of smaller buckets, and
 * behind those of the threads before it. */
static void find_places(int place[BUCKETS])
{
    int threads = omp_get_num_threads(), thread = omp_get_thread_num(), sum = 0;

    for (int b = 0; b < BUCKETS; b++) {
        int all = 0;

        for (int t = 0; t < threads; t++) {
            if (t == thread)
                place[b] = sum + all;
            all += bucket_sizes[t][b];
        }
        sum += all;
        if (thread == 0)
            bucket_end[b] = sum;
    }
}

static void rank_bucket(int b)
{
    int width = 1 << bucket_shift, first = b * width;
    int begin = b > 0 ? bucket_end[b - 1] : 0;

    for (int v = first; v < first + width; v++)
        below[v] = 0;
    for (int i = begin; i < bucket_end[b]; i++)
        below[sorted[i]]++;
    below[first] += begin;
    for (int v = first + 1; v < first + width; v++)
        below[v] += below[v - 1];
}

static void rank_by_buckets(void)
{
#pragma omp parallel
    {
        int *size = bucket_sizes[omp_get_thread_num()], place[BUCKETS];

        memset(size, 0, sizeof *bucket_sizes);
#pragma omp for schedule(static)
        for (int i = 0; i < num_keys; i++)
            size[keys[i] >> bucket_shift]++;
        find_places(place);
#pragma omp for schedule(static)
        for (int i = 0; i < num_keys; i++)
            sorted[place[keys[i] >> bucket_shift]++] = keys[i];
#pragma omp for schedule(dynamic)
        for (int b = 0; b < BUCKETS; b++)
            rank_bucket(b);
    }
}

static void rank_by_histograms(void)
{
#pragma omp parallel
    {
        int threads = omp_get_num_threads();
        int *count = histograms[omp_get_thread_num()];

        memset(count, 0, (size_t)num_values * sizeof *count);
#pragma omp for nowait schedule(static)
        for (int i = 0; i < num_keys; i++)
            count[keys[i]]++;
        for (int v = 1; v < num_values; v++)
            count[v] += count[v - 1];
#pragma omp barrier
#pragma omp for schedule(static)
        for (int v = 0; v < num_values; v++) {
            int sum = 0;

            for (int t = 0; t < threads; t++)
                sum += histograms[t][v];
            below[v] = sum;
        }
    }
}

static void iterate(int iteration, void (*rank)(void))
{
    int test[TESTS];

    keys[iteration] = iteration;
    keys[iteration + ITERATIONS] = num_values - iteration;
    for (int i = 0; i < TESTS; i++)
        test[i] = keys[class->at[i]];
    rank();
    for (int i = 0; i < TESTS; i++) {
        int got = test[i] > 0 ? below[test[i] - 1] : 0, sign = class->sign[i];
        int moved = sign * (iteration + (sign > 0 ? class->rises : class->falls));

        if (got == class->rank[i] + moved)
            passed++;
    }
}

/* Puts each key where its rank says: keys of a value by one thread. Returns how many stand before a
 * smaller one, or differ in number from what was there. */
static long out_of_order(void)
{
    long wrong = 0, before = 0, after = 0;

#pragma omp parallel for reduction(+ : before)
    for (int i = 0; i < num_keys; i++)
        before += keys[i];
#pragma omp parallel for schedule(static)
    for (int v = 0; v < num_values; v++)
        for (int i = v > 0 ? below[v - 1] : 0; i < below[v]; i++)
            sorted[i] = v;
#pragma omp parallel for reduction(+ : after)
    for (int i = 0; i < num_keys; i++)
        after += sorted[i];
#pragma omp parallel for reduction(+ : wrong)
    for (int i = 1; i < num_keys; i++)
        wrong += sorted[i - 1] > sorted[i];
    return wrong + (before != after) + (below[num_values - 1] != num_keys);
}

int main(int argc, char **argv)
{
    bool by_histograms = argc > 2 && strcmp(argv[2], "histograms") == 0;
    void (*rank)(void) = by_histograms ? rank_by_histograms : rank_by_buckets;
    double seconds;
    long wrong;

    class = &classes[npb_class(argc, argv, "SWAB")];
    num_keys = 1 << class->key_bits;
    num_values = 1 << class->value_bits;
    allocate();
    make_keys();
    iterate(1, rank);
    passed = 0;
    seconds = omp_get_wtime();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++)
        iterate(iteration, rank);
    seconds = omp_get_wtime() - seconds;
    wrong = out_of_order();
    printf("IS class %s: %d keys below %d\n", argv[1], num_keys, num_values);
    printf("ranks that are as published: %d of %d\nout of order: %ld\n", passed, TESTS * ITERATIONS,
           wrong);
    return npb_end(passed == TESTS * ITERATIONS && wrong == 0, seconds);
}
