/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A message from node 0 to all other nodes, as write notices and the release of a barrier are, by
 * one multicast datagram and by a message to each: us from its start until node 0 has posted it
 * (`part` post), and until the last of the others has it (arrival).
 * Needs --fabric verbs, RoCE over IPv4, and all nodes on one machine, whose clock they share.
 *
 *  multicast  one datagram to a group of which the others are members
 *  datagrams  a datagram to each of them; both of an unreliable queue pair (UD)
 *  writes     an RDMA write to each of them, by the fabric
 *
 * The receivers poll for all three alike, and yield the core after each poll. `lost` in a result
 * counts messages that had not arrived after a second; their repetitions give no sample.
 *
 * A message consists of words that all have its tag: its number and its bytes. A write ends where
 * the receiver polls, since its last word arrives last. A receiver reports the time, then the tag.
 * Only after that it checks the words, so messages alternate between two places.
 */
#include "microbench/datagram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/limits.h"

#define GROUP    "239.77.0.1"
#define PATIENCE 1000000000u /* ns until a message counts as lost */
#define STOP     UINT64_MAX

/* In the window: the last words of the two places; at node 0 a report of each node. */
#define LAST_WORD(number) (DATAGRAM_SLOT * (1 + (number) % 2) - sizeof(uint64_t))
#define REPORT(node)      (2 * DATAGRAM_SLOT + (size_t)(node)*64)
#define REPORT_TAG        sizeof(uint64_t) /* after the time */

static double multicast_once(void);
static double datagrams_once(void);
static double writes_once(void);

static const struct way {
    const char *name, *what;
    bench_once *once;
} ways[] = {
    { "multicast", "one multicast datagram", multicast_once },
    { "datagrams", "a datagram to each other node", datagrams_once },
    { "writes", "an RDMA write to each other node", writes_once },
};

/* Where node 0's datagrams go: to each node, and to the group. */
static struct {
    union ibv_gid group_gid;
    struct ibv_ah *node[NODES_MAX], *group;
    uint32_t qpn[NODES_MAX];
} targets;

static size_t bytes;
static uint64_t tag; /* of the last message sent or received */
static uint64_t lost, wrong;
static struct bench_series posts;

static uint64_t tag_number(uint64_t of)
{
    return of >> 16;
}

/* ---- The group ------------------------------------------------------------------------------- */

/* The adapter gives the group's datagrams to the queue pair. soft-RoCE gets them from the kernel's
 * network, where an interface has to be a member as well. */
static void join_group(void)
{
    struct ip_mreq member = { .imr_multiaddr.s_addr = inet_addr(GROUP) };
    int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);

    memcpy(&member.imr_interface, datagram.gid.raw + 12, 4);
    if (socket_fd < 0 ||
        setsockopt(socket_fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member) != 0)
        bench_fail(1, "IP_ADD_MEMBERSHIP " GROUP ": %s", strerror(errno));
    if (net.node != 0)
        datagram_done(ibv_attach_mcast(datagram.qp, &targets.group_gid, 0), "ibv_attach_mcast");
}

/* Addresses of all nodes: the last four bytes of an address of IPv4, and the queue pair. */
static void learn_addresses(void)
{
    uint32_t ip;
    uint64_t all[NODES_MAX];

    memcpy(&ip, datagram.gid.raw + 12, sizeof ip);
    net_gather((uint64_t)datagram.qp->qp_num << 32 | ip, all);
    for (int n = 1; net.node == 0 && n < net.nodes; n++) {
        union ibv_gid gid = datagram.gid;
        ip = (uint32_t)all[n];
        memcpy(gid.raw + 12, &ip, sizeof ip);
        targets.node[n] = datagram_address(&gid, 0, 0);
        targets.qpn[n] = (uint32_t)(all[n] >> 32);
    }
    if (net.node == 0)
        targets.group = datagram_address(&targets.group_gid, 0, 0);
}

static void open_queue(void)
{
    in_addr_t group = inet_addr(GROUP);

    datagram_open();
    targets.group_gid = datagram.gid;
    memcpy(targets.group_gid.raw + 12, &group, sizeof group);
    join_group();
    learn_addresses();
    net_meet();
}

/* ---- Node 0 sends ---------------------------------------------------------------------------- */

static void fill(char *to)
{
    tag = (tag_number(tag) + 1) << 16 | bytes;
    for (size_t at = 0; at < bytes; at += sizeof tag)
        memcpy(to + at, &tag, sizeof tag);
}

static _Atomic uint64_t *word(size_t offset)
{
    return (_Atomic uint64_t *)(void *)(net.window.base + offset);
}

/* The last arrival, or 0 if a message was lost. */
static uint64_t await_reports(void)
{
    uint64_t until = bench_now() + PATIENCE, last = 0, missing = 0;

    for (int n = 1; n < net.nodes; n++) {
        while (atomic_load(word(REPORT(n) + REPORT_TAG)) != tag && bench_now() < until)
            sched_yield();
        uint64_t when = atomic_load(word(REPORT(n)));
        if (atomic_load(word(REPORT(n) + REPORT_TAG)) != tag)
            missing++;
        else if (when > last)
            last = when;
    }
    lost += missing;
    return missing ? 0 : last;
}

static double us_until_all(uint64_t start)
{
    bench_series_add(&posts, bench_us_since(start));
    uint64_t last = await_reports();
    return last ? bench_us_between(start, last) : (double)NAN;
}

static double multicast_once(void)
{
    fill(datagram_to_send());
    uint64_t start = bench_now();
    datagram_send(datagram.qp, targets.group, 0xffffff, bytes);
    double us = us_until_all(start);
    datagram_await_sent(1);
    return us;
}

static double datagrams_once(void)
{
    fill(datagram_to_send());
    uint64_t start = bench_now();
    for (int n = 1; n < net.nodes; n++)
        datagram_send(datagram.qp, targets.node[n], targets.qpn[n], bytes);
    double us = us_until_all(start);
    datagram_await_sent(net.nodes - 1);
    return us;
}

static double writes_once(void)
{
    size_t at = LAST_WORD(tag_number(tag) + 1) + sizeof tag - bytes;
    struct fabric_op op[NODES_MAX] = { FABRIC_OP_INIT };

    fill(net.window.base + at);
    uint64_t start = bench_now();
    for (int n = 1; n < net.nodes; n++)
        fabric_write(net.fabric, n, net.window.id, at, net.window.base + at, bytes, &op[n]);
    double us = us_until_all(start);
    for (int n = 1; n < net.nodes; n++)
        fabric_wait(net.fabric, &op[n]);
    return us;
}

static void give_result(const char *name, const char *part, struct bench_series *series)
{
    struct bench_stat stat = bench_series_stat(series);
    bench_result(name, "us",
                 bench_shape("part %s bytes %zu lost %ju", part, bytes, (uintmax_t)lost), &stat,
                 NULL);
}

static void measure(const struct way *way)
{
    struct bench_series arrivals = { 0 };
    size_t count = bench_warm_up(way->once);

    lost = 0;
    bench_series_clear(&posts);
    bench_repeat(&arrivals, count, way->once);
    give_result(way->name, "post", &posts);
    give_result(way->name, "arrival", &arrivals);
}

static void measure_all(void)
{
    for (size_t i = 0; i < bench.sizes.count; i++) {
        bytes = bench.sizes.value[i] / sizeof tag * sizeof tag;
        for (size_t k = 0; k < BENCH_COUNT(ways); k++)
            if (bench_wants(ways[k].name))
                measure(&ways[k]);
    }
    /* in both places: a receiver whose last message was lost polls the other one */
    for (int n = 1; n < net.nodes; n++)
        for (size_t place = 0; place < 2; place++)
            net_write_word(n, LAST_WORD(place), STOP);
}

/* ---- The others receive ---------------------------------------------------------------------- */

static void report(void)
{
    uint64_t now = bench_now();

    net_write_word(0, REPORT(net.node), now);
    net_write_word(0, REPORT(net.node) + REPORT_TAG, tag);
}

/* A message whose last word is at END. One that was given up as lost may come late. */
static void take(uint64_t its_tag, const char *end)
{
    size_t length = its_tag & 0xffff;

    if (its_tag <= tag)
        return;
    tag = its_tag;
    report();
    for (size_t at = 0; at < length; at += sizeof tag)
        wrong += memcmp(end - at, &tag, sizeof tag) != 0;
}

static void poll_datagrams(void)
{
    struct ibv_wc wc;
    uint64_t its_tag;

    if (ibv_poll_cq(datagram.cq, 1, &wc) <= 0)
        return;
    if (wc.status != IBV_WC_SUCCESS)
        bench_fail(1, "a datagram was not received: %s", ibv_wc_status_str(wc.status));
    const char *end = datagram.buffer + wc.wr_id * DATAGRAM_SLOT + wc.byte_len - sizeof its_tag;
    memcpy(&its_tag, end, sizeof its_tag);
    take(its_tag, end);
    datagram_post_receive(wc.wr_id);
}

static void receive_all(void)
{
    for (;;) {
        size_t end = LAST_WORD(tag_number(tag) + 1);
        uint64_t its_tag = atomic_load(word(end));
        if (its_tag == STOP)
            return;
        take(its_tag, net.window.base + end);
        poll_datagrams();
        sched_yield();
    }
}

static const struct bench_program program = BENCH_PROGRAM(
    "Measure a message to all other nodes by multicast and by unicast; run it under hlrcrun "
    "--fabric verbs, all nodes on one machine.",
    ways, 20, 200, 0.5,
    BENCH_OPTION_SIZES("bytes of a message", 8, DATAGRAM_LARGEST, "8,64,512,2K"),
    BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    uint64_t all[NODES_MAX], sum = 0;

    net_open(&program, argc, argv, REPORT(NODES_MAX), 2, 0);
    open_queue();
    if (net.node == 0)
        measure_all();
    else
        receive_all();
    net_gather(wrong, all);
    for (int n = 0; n < net.nodes; n++)
        sum += all[n];
    net_close(net.node == 0 ? sum : 0);
}
