/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of hlrc_broadcast from node 0 into private memory that has been touched: microseconds
 * from its call, after a barrier, to its return; medians over the samples of all nodes.
 *
 *  broadcast_N  of N bytes
 *  memcpy_N     a copy of N bytes, for comparison
 */
#include "microbench/job.h"

#include <stdlib.h>
#include <string.h>

#define WARM_UP 3

struct options {
    unsigned long rounds;
};

static struct options options = { .rounds = 20 };
static uint64_t wrong;
static unsigned char *buffer, *other;

static void check(size_t bytes, unsigned char value)
{
    wrong += buffer[0] != value || memcmp(buffer, buffer + 1, bytes - 1) != 0;
}

static double broadcast_once(size_t bytes, unsigned long round)
{
    unsigned char value = (unsigned char)round;

    memset(buffer, hlrc_node_id() == 0 ? value : 0xff, bytes);
    hlrc_barrier();
    uint64_t start = bench_now();
    int rc = hlrc_broadcast(buffer, bytes, 0);
    double us = (double)(bench_now() - start) / 1000;
    if (rc != 0)
        bench_fail(1, "hlrc_broadcast of %zu bytes: %s", bytes, strerror(-rc));
    check(bytes, value);
    return us;
}

static double copy_once(size_t bytes, unsigned long round)
{
    memset(other, (int)round, bytes);
    uint64_t start = bench_now();
    memcpy(buffer, other, bytes);
    double us = (double)(bench_now() - start) / 1000;
    check(bytes, (unsigned char)round);
    return us;
}

static void measure(struct bench_json *json, const char *what, size_t bytes,
                    double (*once)(size_t, unsigned long))
{
    struct bench_series series = bench_series_make(options.rounds);
    char name[64], note[64];

    for (unsigned long r = 0; r < WARM_UP + options.rounds; r++) {
        double us = once(bytes, r % 255);
        if (r >= WARM_UP)
            bench_series_add(&series, us);
    }
    struct bench_stat stat = job_stat(&series);
    if (hlrc_node_id() != 0)
        return;
    snprintf(name, sizeof(name), "%s_%zu", what, bytes);
    snprintf(note, sizeof(note), "%.0f MB/s", (double)bytes / stat.median);
    bench_row(name, stat, note);
    snprintf(name, sizeof(name), "%s_%zu_us", what, bytes);
    bench_json_stat(json, name, &stat);
}

static const struct bench_value values[] = {
    { "rounds", 'r', "samples of each figure (default 20)", &options.rounds, 1, 100000 },
    { 0 },
};

int main(int argc, char **argv)
{
    static const size_t bytes[] = { 8, 4096, 65536, 1ul << 20, 32ul << 20 };
    struct bench_json json = { 0 };

    job_table(&json,
              job_open(&argc, &argv, "Measure hlrc_broadcast; run it under hlrcrun.", values, 1));
    buffer = malloc(32ul << 20);
    other = malloc(32ul << 20);
    if (buffer == NULL || other == NULL)
        bench_fail(1, "no memory for two buffers of 32 MiB");
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        measure(&json, "broadcast", bytes[i], broadcast_once);
        measure(&json, "memcpy", bytes[i], copy_once);
    }
    free(other);
    free(buffer);
    bench_json_close(&json);
    job_close(wrong);
}
