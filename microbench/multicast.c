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
#include "microbench/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/limits.h"

#define LARGEST  2048
#define GRH      40 /* precedes each received datagram */
#define RECEIVES 64
#define SLOT     4096 /* of a receive: does not cross a page */
#define QKEY     0x11111111
#define GROUP    "239.77.0.1"
#define PATIENCE 1000000000u /* ns until a message counts as lost */
#define STOP     UINT64_MAX

/* In the window: the last words of the two places; at node 0 a report of each node. */
#define LAST_WORD(number) (SLOT * (1 + (number) % 2) - sizeof(uint64_t))
#define REPORT(node)      (2 * SLOT + (size_t)(node)*64)
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

/* An unreliable queue pair, and where its datagrams go: to each node, and to the group. */
static struct {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    int gid_index;
    union ibv_gid gid, group;
    char *buffer; /* RECEIVES slots, and one to send from */
    struct ibv_ah *to[NODES_MAX], *to_group;
    uint32_t qpn[NODES_MAX];
} ud;

static size_t bytes;
static uint64_t tag; /* of the last message sent or received */
static uint64_t lost, wrong;
static struct bench_series posts;

static uint64_t tag_number(uint64_t of)
{
    return of >> 16;
}

/* ---- The queue pair -------------------------------------------------------------------------- */

static void *made(void *object, const char *what)
{
    if (!object)
        bench_fail(1, "%s: %s", what, strerror(errno));
    return object;
}

static void done(int rc, const char *what)
{
    if (rc)
        bench_fail(1, "%s: %s", what, strerror(rc < 0 ? -rc : rc));
}

static void open_device(void)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);

    for (int i = 0; list && i < count && !ud.context; i++)
        if (!*net.device || strcmp(net.device, ibv_get_device_name(list[i])) == 0)
            ud.context = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    if (!ud.context)
        bench_fail(2, "no RDMA adapter; multicast measures that of --fabric verbs");
}

/* The entry of the port's table that is an address of IPv4, of RoCE v2. */
static void find_gid(void)
{
    struct ibv_gid_entry entry;
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

    for (int i = 0; i < 16; i++)
        if (ibv_query_gid_ex(ud.context, 1, (uint32_t)i, &entry, 0) == 0 &&
            entry.gid_type == IBV_GID_TYPE_ROCE_V2 && memcmp(entry.gid.raw, mapped, 12) == 0) {
            ud.gid = entry.gid;
            ud.gid_index = i;
            return;
        }
    bench_fail(1, "the adapter's port has no address of RoCE v2 over IPv4");
}

static void make_queue(void)
{
    size_t size = (RECEIVES + 1) * SLOT;

    ud.pd = made(ibv_alloc_pd(ud.context), "ibv_alloc_pd");
    ud.cq = made(ibv_create_cq(ud.context, 4 * RECEIVES, NULL, NULL, 0), "ibv_create_cq");
    ud.buffer = bench_memory(aligned_alloc(SLOT, size));
    memset(ud.buffer, 0, size);
    ud.mr = made(ibv_reg_mr(ud.pd, ud.buffer, size, IBV_ACCESS_LOCAL_WRITE), "ibv_reg_mr");
    struct ibv_qp_init_attr init = {
        .send_cq = ud.cq,
        .recv_cq = ud.cq,
        .qp_type = IBV_QPT_UD,
        .cap = { .max_send_wr = RECEIVES,
                 .max_recv_wr = RECEIVES,
                 .max_send_sge = 1,
                 .max_recv_sge = 1 },
    };
    ud.qp = made(ibv_create_qp(ud.pd, &init), "ibv_create_qp");
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
    done(ibv_modify_qp(ud.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
         "ibv_modify_qp to INIT");
}

static void post_receive(size_t slot)
{
    struct ibv_sge part = { .addr = (uintptr_t)(ud.buffer + slot * SLOT),
                            .length = GRH + LARGEST,
                            .lkey = ud.mr->lkey };
    struct ibv_recv_wr work = { .wr_id = slot, .sg_list = &part, .num_sge = 1 }, *bad;

    done(ibv_post_recv(ud.qp, &work, &bad), "ibv_post_recv");
}

static void start_queue(void)
{
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };

    for (size_t slot = 0; slot < RECEIVES; slot++)
        post_receive(slot);
    done(ibv_modify_qp(ud.qp, &attr, IBV_QP_STATE), "ibv_modify_qp to RTR");
    attr.qp_state = IBV_QPS_RTS;
    done(ibv_modify_qp(ud.qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "ibv_modify_qp to RTS");
}

/* ---- The group ------------------------------------------------------------------------------- */

/* The adapter gives the group's datagrams to the queue pair. soft-RoCE gets them from the kernel's
 * network, where an interface has to be a member as well. */
static void join_group(void)
{
    struct ip_mreq member = { .imr_multiaddr.s_addr = inet_addr(GROUP) };
    int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);

    memcpy(&member.imr_interface, ud.gid.raw + 12, 4);
    if (socket_fd < 0 ||
        setsockopt(socket_fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member) != 0)
        bench_fail(1, "IP_ADD_MEMBERSHIP " GROUP ": %s", strerror(errno));
    if (net.node != 0)
        done(ibv_attach_mcast(ud.qp, &ud.group, 0), "ibv_attach_mcast");
}

static struct ibv_ah *address(const union ibv_gid *gid)
{
    struct ibv_ah_attr attr = {
        .is_global = 1,
        .port_num = 1,
        .grh = { .dgid = *gid, .sgid_index = (uint8_t)ud.gid_index, .hop_limit = 64 }
    };

    return made(ibv_create_ah(ud.pd, &attr), "ibv_create_ah");
}

/* Addresses of all nodes: the last four bytes of an address of IPv4, and the queue pair. */
static void learn_addresses(void)
{
    uint32_t ip;
    uint64_t all[NODES_MAX];

    memcpy(&ip, ud.gid.raw + 12, sizeof ip);
    net_gather((uint64_t)ud.qp->qp_num << 32 | ip, all);
    for (int n = 1; net.node == 0 && n < net.nodes; n++) {
        union ibv_gid gid = ud.gid;
        ip = (uint32_t)all[n];
        memcpy(gid.raw + 12, &ip, sizeof ip);
        ud.to[n] = address(&gid);
        ud.qpn[n] = (uint32_t)(all[n] >> 32);
    }
    if (net.node == 0)
        ud.to_group = address(&ud.group);
}

static void open_queue(void)
{
    in_addr_t group = inet_addr(GROUP);

    open_device();
    find_gid();
    ud.group = ud.gid;
    memcpy(ud.group.raw + 12, &group, sizeof group);
    make_queue();
    start_queue();
    join_group();
    learn_addresses();
    net_meet();
}

/* ---- Node 0 sends ---------------------------------------------------------------------------- */

static void send_datagram(struct ibv_ah *to, uint32_t qpn)
{
    struct ibv_sge part = { .addr = (uintptr_t)(ud.buffer + RECEIVES * SLOT),
                            .length = (uint32_t)bytes,
                            .lkey = ud.mr->lkey };
    struct ibv_send_wr work = { .sg_list = &part,
                                .num_sge = 1,
                                .opcode = IBV_WR_SEND,
                                .send_flags = IBV_SEND_SIGNALED,
                                .wr.ud = { .ah = to, .remote_qpn = qpn, .remote_qkey = QKEY } },
                       *bad;

    done(ibv_post_send(ud.qp, &work, &bad), "ibv_post_send");
}

static void await_sent(int count)
{
    struct ibv_wc wc;

    while (count > 0) {
        int got = ibv_poll_cq(ud.cq, 1, &wc);
        if (got > 0 && wc.status != IBV_WC_SUCCESS)
            bench_fail(1, "a datagram was not sent: %s", ibv_wc_status_str(wc.status));
        count -= got > 0;
    }
}

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
    fill(ud.buffer + RECEIVES * SLOT);
    uint64_t start = bench_now();
    send_datagram(ud.to_group, 0xffffff);
    double us = us_until_all(start);
    await_sent(1);
    return us;
}

static double datagrams_once(void)
{
    fill(ud.buffer + RECEIVES * SLOT);
    uint64_t start = bench_now();
    for (int n = 1; n < net.nodes; n++)
        send_datagram(ud.to[n], ud.qpn[n]);
    double us = us_until_all(start);
    await_sent(net.nodes - 1);
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

    if (ibv_poll_cq(ud.cq, 1, &wc) <= 0)
        return;
    if (wc.status != IBV_WC_SUCCESS)
        bench_fail(1, "a datagram was not received: %s", ibv_wc_status_str(wc.status));
    const char *end = ud.buffer + wc.wr_id * SLOT + wc.byte_len - sizeof its_tag;
    memcpy(&its_tag, end, sizeof its_tag);
    take(its_tag, end);
    post_receive(wc.wr_id);
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
    ways, 20, 200, 0.5, BENCH_OPTION_SIZES("bytes of a message", 8, LARGEST, "8,64,512,2K"),
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
