/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of hlrc_broadcast from node 0 into private memory that has been touched: microseconds
 * from its call, after a barrier, to its return; medians over the samples of all nodes.
 *
 *  broadcast_N  of N bytes
 *  memcpy_N     a copy of N bytes, for comparison
 */
#include "microbench/job.h"

#include <string.h>

#define WARM_UP 3
#define LARGEST (32ul << 20)

static unsigned long rounds = 20;
static uint64_t wrong;
static unsigned char buffer[LARGEST], other[LARGEST];

static double broadcast_once(size_t bytes, int value)
{
    memset(buffer, hlrc_node_id() == 0 ? value : 0xff, bytes);
    hlrc_barrier();
    uint64_t start = bench_now();
    job_broadcast(buffer, bytes, 0);
    return (double)(bench_now() - start) / 1000;
}

static double copy_once(size_t bytes, int value)
{
    memset(other, value, bytes);
    uint64_t start = bench_now();
    memcpy(buffer, other, bytes);
    return (double)(bench_now() - start) / 1000;
}

static void measure(const char *what, size_t bytes, double (*once)(size_t, int))
{
    struct bench_series series = { 0 };
    char name[64], note[64];

    for (unsigned long r = 0; r < WARM_UP + rounds; r++) {
        int value = (int)(r % 255);
        double us = once(bytes, value);
        wrong += buffer[0] != value || memcmp(buffer, buffer + 1, bytes - 1) != 0;
        if (r >= WARM_UP)
            bench_series_add(&series, us);
    }
    struct bench_stat stat = job_stat(&series);
    snprintf(name, sizeof(name), "%s_%zu", what, bytes);
    snprintf(note, sizeof(note), "%.0f MB/s", (double)bytes / stat.median);
    job_row(name, stat, note);
}

static const struct bench_option options[] = {
    BENCH_OPTION_NUMBER("rounds", 'r', "samples of each figure", &rounds, 1, 100000),
    BENCH_OPTIONS_END,
};

static const struct bench_program program = { .what =
                                                  "Measure hlrc_broadcast; run it under hlrcrun.",
                                              .options = options };

int main(int argc, char **argv)
{
    static const size_t bytes[] = { 8, 4096, 65536, 1ul << 20, LARGEST };

    job_begin(&argc, &argv, &program, 1);
    for (size_t i = 0; i < BENCH_COUNT(bytes); i++) {
        measure("broadcast", bytes[i], broadcast_once);
        measure("memcpy", bytes[i], copy_once);
    }
    job_end(wrong, NULL);
}
