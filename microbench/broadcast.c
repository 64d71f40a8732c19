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

#define LARGEST (32ul << 20)

static uint64_t wrong;
static unsigned char buffer[LARGEST], other[LARGEST];

/* The value of all bytes in a round. */
static size_t bytes;
static int value;

static void check(void)
{
    wrong += buffer[0] != value || memcmp(buffer, buffer + 1, bytes - 1) != 0;
    value = (value + 1) % 255;
}

static double broadcast_once(void)
{
    memset(buffer, hlrc_node_id() == 0 ? value : 0xff, bytes);
    hlrc_barrier();
    uint64_t start = bench_now();
    job_broadcast(buffer, bytes, 0);
    double us = (double)(bench_now() - start) / 1000;
    check();
    return us;
}

static double copy_once(void)
{
    memset(other, value, bytes);
    uint64_t start = bench_now();
    memcpy(buffer, other, bytes);
    double us = (double)(bench_now() - start) / 1000;
    check();
    return us;
}

static void measure(const char *what, bench_once *once)
{
    char name[64], note[64];

    struct bench_stat stat = job_measure(once);
    snprintf(name, sizeof(name), "%s_%zu", what, bytes);
    snprintf(note, sizeof(note), "%.0f MB/s", (double)bytes / stat.median);
    job_row(name, stat, note);
}

static const struct bench_program program =
    BENCH_PROGRAM_OF_ROWS("Measure hlrc_broadcast; run it under hlrcrun.", 3, 20,
                          BENCH_OPTION_ROUNDS(100000), BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 8, 4096, 65536, 1ul << 20, LARGEST };

    job_begin(&argc, &argv, &program, 1);
    for (size_t i = 0; i < BENCH_COUNT(sizes); i++) {
        bytes = sizes[i];
        measure("broadcast", broadcast_once);
        measure("memcpy", copy_once);
    }
    job_end(wrong, NULL);
}
