/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the fabric alone costs, without pages or protocols: to be held against what the adapter's
 * own tools measure (ib_read_lat, ib_write_lat, ib_atomic_lat). Node 0 works at node 1's window,
 * from one thread. Microseconds from the start of an operation to its known end, median over the
 * iterations; the two nodes of an event take turns, and the time is half of a round trip.
 *
 *  read, write      so many bytes, one at a time, between windows; a write has ended when it is
 *                   placed
 *  version_page     reads of 16 bytes, to private memory, and of 4 KiB, under way together: a page
 *                   fetch of ARDMAR
 *  cas, fetch_add   8 bytes
 *  event            a write with immediate of 8 bytes, seen by a peer that polls
 *  asked_page       such a write of 128 bytes, answered by writes of 4 KiB and of a word that node
 *                   0 polls: a page fetch of ASYNC whose home polls
 *  bandwidth        reads of so many bytes, DEPTH under way at a time; bytes per microsecond
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "boot/boot.h"
#include "fabric/fabric.h"
#include "microbench/bench.h"

#define MAX_BYTES  (1u << 20)
#define DEPTH      16
#define WINDOW     ((size_t)(DEPTH + 2) * MAX_BYTES)
#define WORD       ((size_t)(DEPTH + 1) * MAX_BYTES) /* where atomics and events go */
#define ANSWER     (WORD + 4096)                     /* the word behind a page that was asked for */
#define REQUEST    128
#define PAGE       4096
#define ITERATIONS 1000000

static struct options {
    const char *json;
    unsigned long iterations, bytes;
} options = { .iterations = 1000 };

static struct boot *boot;
static struct fabric *fabric;
static struct fabric_window window;
static struct config config;

static int exchange(void *ctx, const void *mine, size_t len, void *all)
{
    return boot_exchange(ctx, mine, len, all);
}

static void fabric_failed(const char *line)
{
    diag_fatal(1, "%s", line);
}

static void open_fabric(void)
{
    struct fabric_job job = { .node = boot_node(boot),
                              .nodes = boot_nodes(boot),
                              .rx_depth = 64,
                              .exchange = exchange,
                              .ctx = boot,
                              .fail = fabric_failed,
                              .device = config.device,
                              .peer_timeout = config.peer_timeout };
    int rc = fabric_open(config.fabric, &job, &fabric);

    if (rc == 0)
        rc = fabric_window_create(fabric, WINDOW, &window);
    if (rc == 0)
        rc = fabric_window_prepare(fabric, window.id, 0, WINDOW);
    if (rc != 0)
        diag_fatal(1, "fabric %s: %s", config.fabric, strerror(-rc));
    memset(window.base, 1, WINDOW);
    boot_exchange(boot, NULL, 0, NULL);
}

/* ---- Operations: each is one iteration, of so many bytes ---- */

static void read_once(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;

    fabric_read(fabric, 1, window.id, 0, window.base, bytes, &op);
    fabric_wait(fabric, &op);
}

static void write_once(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;

    fabric_write(fabric, 1, window.id, 0, window.base, bytes, &op);
    fabric_wait(fabric, &op);
}

static void version_page_once(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t versions[2];

    fabric_read(fabric, 1, window.id, WORD, versions, sizeof versions, &op);
    fabric_read(fabric, 1, window.id, 0, window.base, bytes, &op);
    fabric_wait(fabric, &op);
}

static void cas_once(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old;

    (void)bytes;
    fabric_cas(fabric, 1, window.id, WORD, 0, 0, &old, &op);
    fabric_wait(fabric, &op);
}

static void fetch_add_once(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old;

    (void)bytes;
    fabric_fetch_add(fabric, 1, window.id, WORD, 1, &old, &op);
    fabric_wait(fabric, &op);
}

static struct bench_stat time_of(void (*once)(size_t), size_t bytes)
{
    double *sample = calloc(options.iterations, sizeof *sample);
    struct bench_stat stat;

    if (sample == NULL)
        bench_fail(1, "out of memory");
    for (unsigned long i = 0; i < options.iterations / 10 + 1; i++)
        once(bytes);
    for (unsigned long i = 0; i < options.iterations; i++) {
        uint64_t begun = bench_now();

        once(bytes);
        sample[i] = (double)(bench_now() - begun) * 1e-3;
    }
    stat = bench_stat(sample, options.iterations);
    free(sample);
    return stat;
}

static struct bench_stat bandwidth_of(size_t bytes)
{
    struct fabric_op op[DEPTH] = { FABRIC_OP_INIT };
    uint64_t begun = bench_now();
    double rate;

    for (unsigned long i = 0; i < options.iterations; i++) {
        size_t slot = i % DEPTH;

        fabric_wait(fabric, &op[slot]);
        fabric_read(fabric, 1, window.id, slot * MAX_BYTES, window.base + slot * MAX_BYTES, bytes,
                    &op[slot]);
    }
    for (size_t slot = 0; slot < DEPTH; slot++)
        fabric_wait(fabric, &op[slot]);
    rate = (double)options.iterations * (double)bytes / ((double)(bench_now() - begun) * 1e-3);
    return (struct bench_stat){ rate, rate, rate };
}

/* ---- Events: both nodes play ---- */

static void send_event(void)
{
    uint64_t word = 1;

    fabric_write_imm(fabric, 1 - boot_node(boot), window.id, WORD + 64, &word, sizeof word, 1, true,
                     NULL);
}

static void await_event(void)
{
    struct fabric_event event;

    for (unsigned long i = 1; fabric_rx_poll(fabric, &event) == 0; i++)
        if (i % 1000 == 0)
            sched_yield();
}

static void event_once(size_t bytes)
{
    (void)bytes;
    send_event();
    await_event();
}

static void asked_page_once(size_t bytes)
{
    static uint64_t asked[REQUEST / sizeof(uint64_t)];
    _Atomic uint64_t *answer = (_Atomic uint64_t *)(void *)((char *)window.base + ANSWER);

    (void)bytes;
    if (asked[0] == 0)
        atomic_store(answer, 0);
    asked[0]++;
    fabric_write_imm(fabric, 1, window.id, WORD + 64, asked, sizeof asked, 1, true, NULL);
    for (unsigned long i = 1; atomic_load_explicit(answer, memory_order_acquire) != asked[0]; i++)
        if (i % 1000 == 0)
            sched_yield();
}

static void send_page(void)
{
    static struct fabric_op page_out = FABRIC_OP_INIT;
    uint64_t *asked = (uint64_t *)(void *)((char *)window.base + WORD + 64);

    fabric_write(fabric, 0, window.id, 0, window.base, PAGE, &page_out);
    fabric_write(fabric, 0, window.id, ANSWER, asked, sizeof *asked, NULL);
}

static void answer_with(void (*answer)(void))
{
    for (unsigned long i = 0; i < options.iterations + options.iterations / 10 + 1; i++) {
        await_event();
        answer();
    }
}

/* ---- All of it ---- */

static void report(struct bench_json *json, const char *name, struct bench_stat stat,
                   const char *what)
{
    bench_row(name, stat, what);
    bench_json_stat(json, name, stat);
}

static void transfers(struct bench_json *json)
{
    static const size_t sizes[] = { 8, 256, 4096, 65536 };
    char name[64];

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t bytes = options.bytes ? options.bytes : sizes[i];

        snprintf(name, sizeof name, "read_%zu_us", bytes);
        report(json, name, time_of(read_once, bytes), "one at a time");
        snprintf(name, sizeof name, "write_%zu_us", bytes);
        report(json, name, time_of(write_once, bytes), "until it is placed");
        snprintf(name, sizeof name, "read_%zu_bytes_per_us", bytes);
        report(json, name, bandwidth_of(bytes), "many under way");
        if (options.bytes)
            return;
    }
}

static void measure(struct bench_json *json)
{
    struct bench_stat stat;

    printf("fabric %s\n", config.fabric);
    bench_json_string(json, "fabric", config.fabric);
    bench_json_unsigned(json, "iterations", options.iterations);
    bench_heading("us, or bytes per us");
    transfers(json);
    report(json, "version_page_us", time_of(version_page_once, PAGE), "two reads together");
    report(json, "cas_us", time_of(cas_once, 8), "compare-and-swap");
    report(json, "fetch_add_us", time_of(fetch_add_once, 8), "fetch-and-add");
    boot_exchange(boot, NULL, 0, NULL);
    stat = time_of(event_once, 8);
    report(json, "event_us", (struct bench_stat){ stat.median / 2, stat.min / 2, stat.max / 2 },
           "half a round trip");
    report(json, "asked_page_us", time_of(asked_page_once, PAGE), "event, page and word");
    bench_json_close(json);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'i':
        options.iterations = bench_number("--iterations", arg, 1, ITERATIONS);
        return 0;
    case 'b':
        options.bytes = bench_number("--bytes", arg, 1, MAX_BYTES);
        return 0;
    default:
        return bench_option(key, arg, state, &options.json);
    }
}

static const struct argp_option argp_options[] = {
    { "bytes", 'b', "N", 0, "transfers of N bytes alone (default 8, 256, 4096, 65536)", 0 },
    { "iterations", 'i', "N", 0, "repetitions (default 1000)", 0 },
    BENCH_JSON_OPTION,
    { 0 },
};

int main(int argc, char **argv)
{
    static const struct argp argp = {
        argp_options, parse_option,
        NULL,         "Measure the fabric (HLRC_FABRIC); run it under hlrcrun -n 2.",
        NULL,         NULL,
        NULL,
    };
    struct bench_json json = { 0 };
    char err[CONFIG_ERROR_MAX];

    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    if (boot_open(&boot) < 0)
        return 1;
    boot_speak(boot);
    config_ask_fabrics(fabric_probe);
    if (config_load(&config, err, sizeof err) < 0)
        diag_fatal(2, "%s", err);
    if (boot_nodes(boot) != 2)
        diag_fatal(2, "%d nodes; this benchmark needs hlrcrun -n 2", boot_nodes(boot));
    open_fabric();
    if (boot_node(boot) == 0) {
        bench_json_open(&json, options.json);
        measure(&json);
    } else {
        /* asleep while node 0 measures what needs no CPU of ours */
        boot_exchange(boot, NULL, 0, NULL);
        answer_with(send_event);
        answer_with(send_page);
    }
    boot_exchange(boot, NULL, 0, NULL);
    fabric_close(fabric);
    boot_goodbye(boot);
    boot_speak(NULL);
    boot_close(boot);
    return 0;
}
