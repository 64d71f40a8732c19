/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/net.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "boot/boot.h"

#define SPINS 1000 /* poll iterations before a wait yields the core to another node */

struct net net;

static struct boot *boot;
static struct config config;

/* ---- Start and end --------------------------------------------------------------------------- */

static int exchange(void *ctx, const void *mine, size_t len, void *all)
{
    return boot_exchange(ctx, mine, len, all);
}

static void fabric_failed(const char *line)
{
    diag_fatal(1, "%s", line);
}

static void open_fabric(size_t size)
{
    struct fabric_job job = { .node = net.node,
                              .nodes = net.nodes,
                              .rx_depth = 64,
                              .exchange = exchange,
                              .ctx = boot,
                              .fail = fabric_failed,
                              .device = config.device,
                              .peer_timeout = config.peer_timeout };
    int rc = fabric_open(config.fabric, &job, &net.fabric);

    if (rc == 0)
        rc = fabric_window_create(net.fabric, size, &net.window);
    if (rc == 0)
        rc = fabric_window_prepare(net.fabric, net.window.id, 0, size);
    if (rc != 0)
        diag_fatal(1, "fabric %s: %s", config.fabric, strerror(-rc));
}

void net_open(const struct bench_program *program, int argc, char **argv, size_t size, int nodes,
              unsigned caps)
{
    char err[CONFIG_ERROR_MAX];

    bench_arguments(program, argc, argv);
    if (boot_open(&boot) < 0)
        exit(1);
    boot_speak(boot);
    config_ask_fabrics(fabric_probe_quick);
    if (config_load(&config, err, sizeof err) < 0)
        diag_fatal(2, "%s", err);
    net.node = boot_node(boot);
    net.nodes = boot_nodes(boot);
    net.device = config.device;
    if (net.nodes < nodes)
        diag_fatal(2, "a job of %d nodes: %s needs %d; start it with hlrcrun -n %d", net.nodes,
                   program_invocation_short_name, nodes, nodes);
    open_fabric(size);
    if ((net.fabric->caps & caps) != caps)
        diag_fatal(2, "fabric %s lacks what %s measures; choose another one by HLRC_FABRIC",
                   config.fabric, program_invocation_short_name);
    if (net.node == 0)
        bench_begin(config.fabric, net.nodes, "");
    net_meet();
}

void net_meet(void)
{
    boot_exchange(boot, NULL, 0, NULL);
}

void net_gather(uint64_t mine, uint64_t *all)
{
    boot_exchange(boot, &mine, sizeof mine, all);
}

void net_close(uint64_t wrong)
{
    if (net.node == 0)
        bench_end(NULL);
    net_meet();
    fabric_close(net.fabric);
    boot_goodbye(boot);
    boot_speak(NULL);
    boot_close(boot);
    if (wrong > 0)
        bench_fail(1, "%llu values were wrong", (unsigned long long)wrong);
    exit(0);
}

/* ---- Operations ------------------------------------------------------------------------------ */

void net_start_read(size_t at, size_t bytes, struct fabric_op *op)
{
    (bytes < FABRIC_LONG ? fabric_read : fabric_read_long)(net.fabric, 1, net.window.id, at,
                                                           net.window.base + NET_LOCAL + at, bytes,
                                                           op);
}

void net_start_write(size_t at, size_t bytes, struct fabric_op *op)
{
    (bytes < FABRIC_LONG ? fabric_write : fabric_write_long)(net.fabric, 1, net.window.id, at,
                                                             net.window.base + NET_LOCAL + at,
                                                             bytes, op);
}

uint64_t net_read_word(int node, size_t offset)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t value = 0;

    fabric_read(net.fabric, node, net.window.id, offset, &value, sizeof value, &op);
    fabric_wait(net.fabric, &op);
    return value;
}

void net_write_word(int node, size_t offset, uint64_t value)
{
    fabric_write(net.fabric, node, net.window.id, offset, &value, sizeof value, NULL);
}

uint64_t net_fetch_add(int node, size_t offset, uint64_t add)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;

    fabric_fetch_add(net.fabric, node, net.window.id, offset, add, &old, &op);
    fabric_wait(net.fabric, &op);
    return old;
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Counts the attempts of a poll; yields the core now and then. */
static void poll_again(unsigned long *attempts)
{
    if (++*attempts % SPINS == 0)
        sched_yield();
}

uint32_t net_await_event(void)
{
    struct fabric_event event;
    unsigned long attempts = 0;

    while (fabric_rx_poll(net.fabric, &event) == 0)
        poll_again(&attempts);
    return event.imm;
}

static uint64_t word_here(size_t offset)
{
    return atomic_load_explicit((_Atomic uint64_t *)(void *)(net.window.base + offset),
                                memory_order_acquire);
}

void net_await_word(size_t offset, uint64_t value)
{
    unsigned long attempts = 0;

    while (word_here(offset) != value)
        poll_again(&attempts);
}

uint64_t net_await_change(size_t offset, uint64_t value)
{
    unsigned long attempts = 0;
    uint64_t now;

    while ((now = word_here(offset)) == value)
        poll_again(&attempts);
    return now;
}

static void echo(size_t bytes)
{
    struct fabric_op op = FABRIC_OP_INIT;

    fabric_write_imm(net.fabric, 0, net.window.id, 0, net.window.base + NET_LOCAL, bytes, 0, true,
                     &op);
    fabric_wait(net.fabric, &op);
}

/* The page's source never changes, so its writes need not be awaited. */
static void give_page(void)
{
    static struct fabric_op page = FABRIC_OP_INIT;
    const void *asked = net.window.base + NET_EVENTS;

    fabric_wait(net.fabric, &page);
    fabric_write(net.fabric, 0, net.window.id, 0, net.window.base + NET_LOCAL, NET_PAGE, &page);
    fabric_write(net.fabric, 0, net.window.id, NET_ANSWER, asked, sizeof(uint64_t), NULL);
}

void net_serve(void)
{
    uint64_t given = 0;

    for (;;) {
        uint32_t request = net_await_event();
        switch ((enum net_request)(request & 7)) {
        case NET_TAKE:
            break;
        case NET_GIVE:
            given++;
            fabric_write(net.fabric, 0, net.window.id, NET_CREDIT, &given, sizeof given, NULL);
            break;
        case NET_ECHO:
            echo(request >> 3);
            break;
        case NET_ASK:
            give_page();
            break;
        case NET_STOP:
            return;
        }
    }
}

void net_stop_serving(void)
{
    uint64_t word = 0;

    fabric_write_imm(net.fabric, 1, net.window.id, NET_EVENTS, &word, sizeof word,
                     net_immediate(NET_STOP, 0), true, NULL);
}
