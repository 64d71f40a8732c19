/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Latency and bandwidth of the fabric by size (--sizes, 1 byte to 4 MiB), between nodes 0 and 1:
 * figures 1 and 2 of Noronha and Panda (Designing High Performance DSM Systems using InfiniBand).
 *
 *  message_latency   us, half of a round trip of two writes with immediate: node 1 polls, and
 *                    replies with the same number of bytes
 *  read_latency      us until a read is complete; node 1 sleeps, here and below
 *  write_latency     us until a write is placed in node 1's memory
 *  read_bandwidth    MB/s (10^6 bytes) of a burst of reads, of which up to 16, and up to 16 MiB,
 *                    are in flight at a time; until the last one is complete
 *  write_bandwidth   the same, of writes
 *
 * Latencies up to 4 KiB are timed NET_BATCH at a time. Transfers larger than 64 KiB are repeated
 * proportionally less often, at least 10 times.
 */
#include "microbench/net.h"

#include <stdlib.h>

#define LARGEST  ((size_t)4 << 20)
#define MANY     256                /* maximum messages of a burst */
#define BURST    ((size_t)4 << 20)  /* bytes of a burst, but at least NET_BATCH messages */
#define OFTEN    ((size_t)64 << 10) /* up to this size all repetitions are made */
#define AT_LEAST 10

static double latency_once(void);
static double message_once(void);
static double burst_once(void);

static const struct transfer {
    const char *name, *what;
    const char *unit;
    bench_once *once;
    net_start *start;
} transfers[] = {
    { "message_latency", "half of a round trip of writes with immediate", "us", message_once,
      NULL },
    { "read_latency", "until a read is complete", "us", latency_once, net_start_read },
    { "write_latency", "until a write is placed", "us", latency_once, net_start_write },
    { "read_bandwidth", "many reads under way", "MB/s", burst_once, net_start_read },
    { "write_bandwidth", "many writes under way", "MB/s", burst_once, net_start_write },
};

static const struct transfer *now;
static size_t bytes;
static size_t batch; /* latency: operations timed together; bandwidth: operations of a burst */

static double latency_once(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++) {
        now->start(0, bytes, &op);
        fabric_wait(net.fabric, &op);
    }
    return bench_us_since(start) / (double)batch;
}

static double message_once(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++) {
        fabric_write_imm(net.fabric, 1, net.window.id, 0, net.window.base + NET_LOCAL, bytes,
                         net_immediate(NET_ECHO, bytes), true, &op);
        (void)net_await_event();
        fabric_wait(net.fabric, &op);
    }
    return bench_us_since(start) / (double)batch / 2;
}

/* MB/s: bytes per us */
static double burst_once(void)
{
    struct fabric_op op[NET_BATCH] = { FABRIC_OP_INIT };
    size_t slots = NET_AREA / bytes < NET_BATCH ? NET_AREA / bytes : NET_BATCH;
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++) {
        fabric_wait(net.fabric, &op[i % slots]);
        now->start(i % slots * bytes, bytes, &op[i % slots]);
    }
    for (size_t i = 0; i < slots; i++)
        fabric_wait(net.fabric, &op[i]);
    double us = bench_us_since(start);
    return us > 0 ? (double)(batch * bytes) / us : 0;
}

static size_t burst_of(size_t size)
{
    size_t count = BURST / size;

    return count < NET_BATCH ? NET_BATCH : count > MANY ? MANY : count;
}

/* Repetitions for transfers of BYTES: all up to OFTEN bytes, fewer above. A burst takes as long as
 * many latency samples. */
static unsigned long less_often(unsigned long repetitions)
{
    if (now->once == burst_once && repetitions > 4)
        repetitions /= 4;
    unsigned long less = repetitions / (bytes / OFTEN + 1);
    return less > AT_LEAST ? less : repetitions < AT_LEAST ? repetitions : AT_LEAST;
}

static void measure(const struct transfer *transfer, size_t size)
{
    unsigned long repetitions = bench.repetitions, warmup = bench.warmup;

    now = transfer;
    bytes = size;
    batch = now->once == burst_once ? burst_of(size) : size <= NET_PAGE ? NET_BATCH : 1;
    bench.repetitions = less_often(repetitions);
    bench.warmup = warmup < bench.repetitions ? warmup : bench.repetitions;
    bench_report(now->name, now->unit, now->once, bench_shape("bytes %zu batch %zu", bytes, batch));
    bench.repetitions = repetitions;
    bench.warmup = warmup;
}

static const struct bench_program program = BENCH_PROGRAM(
    "Measure latency and bandwidth of the fabric (HLRC_FABRIC); run it under hlrcrun -n 2.",
    transfers, 20, 200, 0.2, BENCH_OPTION_SIZES("bytes of a transfer", 1, LARGEST, "1-4M"),
    BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, NET_SIZE, 2, FABRIC_READ | FABRIC_WRITE_IMM);
    for (size_t i = 0; net.node == 0 && i < bench.sizes.count; i++)
        for (size_t k = 1; k < BENCH_COUNT(transfers); k++)
            measure(&transfers[k], bench.sizes.value[i]);
    net_meet();
    for (size_t i = 0; net.node == 0 && i < bench.sizes.count; i++)
        measure(&transfers[0], bench.sizes.value[i]);
    if (net.node == 0)
        net_stop_serving();
    else if (net.node == 1)
        net_serve();
    net_close(0);
}
