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

typedef void start_op(size_t slot, size_t bytes, struct fabric_op *op);

struct transfer {
    start_op *start;
    size_t bytes;
    size_t batch; /* latency: operations timed together; bandwidth: operations of a burst */
};

static void start_read(size_t slot, size_t bytes, struct fabric_op *op)
{
    fabric_read(net.fabric, 1, net.window.id, slot * bytes,
                net.window.base + NET_LOCAL + slot * bytes, bytes, op);
}

static void start_write(size_t slot, size_t bytes, struct fabric_op *op)
{
    fabric_write(net.fabric, 1, net.window.id, slot * bytes,
                 net.window.base + NET_LOCAL + slot * bytes, bytes, op);
}

static double latency_once(void *context)
{
    const struct transfer *t = context;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < t->batch; i++) {
        t->start(0, t->bytes, &op);
        fabric_wait(net.fabric, &op);
    }
    return bench_us_since(start) / (double)t->batch;
}

static double message_once(void *context)
{
    const struct transfer *t = context;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t start = bench_now();

    for (size_t i = 0; i < t->batch; i++) {
        fabric_write_imm(net.fabric, 1, net.window.id, 0, net.window.base + NET_LOCAL, t->bytes,
                         net_immediate(NET_ECHO, t->bytes), true, &op);
        (void)net_await_event();
        fabric_wait(net.fabric, &op);
    }
    return bench_us_since(start) / (double)t->batch / 2;
}

/* MB/s: bytes per us */
static double burst_once(void *context)
{
    const struct transfer *t = context;
    struct fabric_op op[NET_BATCH] = { FABRIC_OP_INIT };
    size_t slots = NET_AREA / t->bytes < NET_BATCH ? NET_AREA / t->bytes : NET_BATCH;
    uint64_t start = bench_now();

    for (size_t i = 0; i < t->batch; i++) {
        fabric_wait(net.fabric, &op[i % slots]);
        t->start(i % slots, t->bytes, &op[i % slots]);
    }
    for (size_t i = 0; i < slots; i++)
        fabric_wait(net.fabric, &op[i]);
    double us = bench_us_since(start);
    return us > 0 ? (double)(t->batch * t->bytes) / us : 0;
}

/* Repetitions for transfers of BYTES: REPETITIONS up to OFTEN bytes, fewer above. */
static unsigned long less_often(unsigned long repetitions, size_t bytes)
{
    unsigned long less = repetitions / (bytes / OFTEN + 1);

    return less > AT_LEAST ? less : repetitions < AT_LEAST ? repetitions : AT_LEAST;
}

static void measure(const char *name, const char *unit, bench_once *once, struct transfer t)
{
    unsigned long repetitions = bench.repetitions, warmup = bench.warmup;

    if (!bench_wants(name))
        return;
    bench.repetitions = less_often(repetitions, t.bytes);
    bench.warmup = warmup < bench.repetitions ? warmup : bench.repetitions;
    struct bench_stat stat = bench_measure(once, &t);
    bench.repetitions = repetitions;
    bench.warmup = warmup;
    bench_result(name, unit,
                 BENCH_SHAPE({ "bytes", (double)t.bytes, NULL },
                             { "batch", (double)t.batch, NULL }),
                 &stat);
}

static struct transfer latency_of(start_op *start, size_t bytes)
{
    return (struct transfer){ start, bytes, bytes <= NET_PAGE ? NET_BATCH : 1 };
}

static struct transfer burst_of(start_op *start, size_t bytes)
{
    size_t count = BURST / bytes;

    count = count < NET_BATCH ? NET_BATCH : count > MANY ? MANY : count;
    return (struct transfer){ start, bytes, count };
}

/* A burst takes as long as many latency samples, so it is repeated less often. */
static void measure_bursts(const char *name, start_op *start, size_t bytes)
{
    unsigned long repetitions = bench.repetitions;

    bench.repetitions = repetitions > 4 ? repetitions / 4 : repetitions;
    measure(name, "MB/s", burst_once, burst_of(start, bytes));
    bench.repetitions = repetitions;
}

static const struct bench_figure figures[] = {
    { "message_latency", "half of a round trip of writes with immediate" },
    { "read_latency", "until a read is complete" },
    { "write_latency", "until a write is placed" },
    { "read_bandwidth", "many reads under way" },
    { "write_bandwidth", "many writes under way" },
    { NULL, NULL },
};

static const struct bench_program program = {
    .name = "latbw",
    .what = "Measure latency and bandwidth of the fabric (HLRC_FABRIC); run it under hlrcrun -n 2.",
    .figures = figures,
    .warmup = 20,
    .repetitions = 200,
    .seconds = 0.2,
    .sizes = "1-4M",
    .sizes_are = "bytes of a transfer",
    .smallest = 1,
    .largest = LARGEST,
};

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, NET_SIZE, 2, FABRIC_READ | FABRIC_WRITE_IMM);
    for (size_t i = 0; net.node == 0 && i < bench.sizes.count; i++) {
        size_t bytes = bench.sizes.value[i];
        measure("read_latency", "us", latency_once, latency_of(start_read, bytes));
        measure("write_latency", "us", latency_once, latency_of(start_write, bytes));
        measure_bursts("read_bandwidth", start_read, bytes);
        measure_bursts("write_bandwidth", start_write, bytes);
    }
    net_meet();
    for (size_t i = 0; net.node == 0 && i < bench.sizes.count; i++)
        measure("message_latency", "us", message_once, latency_of(NULL, bench.sizes.value[i]));
    if (net.node == 0)
        net_stop_serving();
    else if (net.node == 1)
        net_serve();
    net_close(0);
}
