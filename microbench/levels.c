/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A request of 8 bytes from node 0 to node 1 after pages: us from its start until it has arrived.
 * Needs --fabric verbs, RoCE over IPv4, and both nodes on one machine, whose clock they share.
 *
 *  alone  no pages are under way
 *  after  datagrams of 2 KiB were posted before, on another queue pair
 *  ahead  the same, but the request has another service level and traffic class than the pages
 *
 * The receiving queue pair of the pages has no receives, so node 1 drops them on arrival. `lanes`
 * in a result is the code of the port's number of virtual lanes; 1 is one lane, which cannot
 * serve a level before another. Time is spent in order on the sender's CPU, and on a link that is
 * limited (tc qdisc add dev NAME root netem rate 100mbit) in its queue.
 */
#include "microbench/datagram.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define PAGES         32
#define LEVEL         7
#define TRAFFIC_CLASS 0xb8 /* expedited forwarding */
#define PATIENCE      1000000000u
#define STOP          UINT64_MAX

/* In the window: at node 0 the time of an arrival, then its number; at node 1 a word that ends it.
 */
#define REPORT     ((size_t)0)
#define REPORT_TAG ((size_t)8)
#define END        ((size_t)64)

static double alone_once(void);
static double after_once(void);
static double ahead_once(void);

static const struct way {
    const char *name, *what;
    bench_once *once;
} ways[] = {
    { "alone", "a request", alone_once },
    { "after", "a request after pages", after_once },
    { "ahead", "the same with a service level", ahead_once },
};

static struct ibv_ah *plain, *urgent;
static struct ibv_qp *pages;
static uint32_t requests_qpn, pages_qpn; /* of node 1 */
static uint64_t number, lost;

static _Atomic uint64_t *word(size_t offset)
{
    return (_Atomic uint64_t *)(void *)(net.window.base + offset);
}

static void learn_addresses(void)
{
    uint32_t ip;
    uint64_t requests[NODES_MAX], others[NODES_MAX];
    union ibv_gid gid = datagram.gid;

    memcpy(&ip, datagram.gid.raw + 12, sizeof ip);
    net_gather((uint64_t)datagram.qp->qp_num << 32 | ip, requests);
    net_gather(pages->qp_num, others);
    ip = (uint32_t)requests[1];
    memcpy(gid.raw + 12, &ip, sizeof ip);
    requests_qpn = (uint32_t)(requests[1] >> 32);
    pages_qpn = (uint32_t)others[1];
    plain = datagram_address(&gid, 0, 0);
    urgent = datagram_address(&gid, LEVEL, TRAFFIC_CLASS);
}

/* ---- Node 0 sends ---------------------------------------------------------------------------- */

static double request_once(int before, struct ibv_ah *to)
{
    for (int i = 0; i < before; i++)
        datagram_send(pages, plain, pages_qpn, DATAGRAM_LARGEST);
    number++;
    memcpy(datagram_to_send(), &number, sizeof number);
    uint64_t start = bench_now();
    datagram_send(datagram.qp, to, requests_qpn, sizeof number);
    while (atomic_load(word(REPORT_TAG)) != number && bench_now() < start + PATIENCE)
        sched_yield();
    bool arrived = atomic_load(word(REPORT_TAG)) == number;
    lost += !arrived;
    datagram_await_sent(before + 1);
    return arrived ? bench_us_between(start, atomic_load(word(REPORT))) : (double)NAN;
}

static double alone_once(void)
{
    return request_once(0, plain);
}

static double after_once(void)
{
    return request_once(PAGES, plain);
}

static double ahead_once(void)
{
    return request_once(PAGES, urgent);
}

static unsigned count_lanes(void)
{
    struct ibv_port_attr port;

    datagram_done(ibv_query_port(datagram.context, 1, &port), "ibv_query_port");
    return port.max_vl_num;
}

static void measure(const struct way *way, unsigned lanes)
{
    struct bench_series arrivals = { 0 };
    size_t count = bench_warm_up(way->once);

    lost = 0;
    bench_repeat(&arrivals, count, way->once);
    struct bench_stat stat = bench_series_stat(&arrivals);
    bench_result(way->name, "us",
                 bench_shape("pages %d lanes %u lost %ju", way->once == alone_once ? 0 : PAGES,
                             lanes, (uintmax_t)lost),
                 &stat, NULL);
}

static void measure_all(void)
{
    unsigned lanes = count_lanes();

    for (size_t k = 0; k < BENCH_COUNT(ways); k++)
        if (bench_wants(ways[k].name))
            measure(&ways[k], lanes);
    net_write_word(1, END, STOP);
}

/* ---- Node 1 receives ------------------------------------------------------------------------- */

static void receive_all(void)
{
    struct ibv_wc wc;
    uint64_t its;

    for (; atomic_load(word(END)) != STOP; sched_yield()) {
        if (ibv_poll_cq(datagram.cq, 1, &wc) <= 0)
            continue;
        if (wc.status != IBV_WC_SUCCESS)
            bench_fail(1, "a datagram was not received: %s", ibv_wc_status_str(wc.status));
        net_write_word(0, REPORT, bench_now());
        memcpy(&its, datagram.buffer + wc.wr_id * DATAGRAM_SLOT + wc.byte_len - sizeof its,
               sizeof its);
        net_write_word(0, REPORT_TAG, its);
        datagram_post_receive(wc.wr_id);
    }
}

static const struct bench_program program = BENCH_PROGRAM(
    "Measure a request after pages, with and without a service level; run it under hlrcrun -n 2 "
    "--fabric verbs, both nodes on one machine.",
    ways, 20, 200, 0.5, BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    net_open(&program, argc, argv, END + 64, 2, 0);
    datagram_open();
    pages = datagram_queue();
    learn_addresses();
    net_meet();
    if (net.node == 0)
        measure_all();
    else if (net.node == 1)
        receive_all();
    net_meet();
    net_close(0);
}
