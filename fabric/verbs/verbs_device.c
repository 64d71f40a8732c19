/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verbs_device.c - finding the adapter, queue pairs, and connecting them; see verbs.h. */
#include "fabric/verbs/verbs_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_TRIES 6

/* The user's choice; -1 or empty: find one. */
struct verbs_device_choice {
    char name[IBV_SYSFS_NAME_MAX];
    int port, gid;
};

static struct verbs_device_choice verbs_device_parse_choice(const char *text)
{
    struct verbs_device_choice c = { .port = -1, .gid = -1 };
    if (text && *text)
        (void)sscanf(text, "%63[^:]:%d:%d", c.name, &c.port, &c.gid);
    return c;
}

/* RoCE v2 over IPv4 is routable; an InfiniBand port needs only its first entry. */
static int verbs_device_score_gid(const struct ibv_gid_entry *e)
{
    static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    bool ipv4 = memcmp(e->gid.raw, mapped, sizeof mapped) == 0;
    switch (e->gid_type) {
    case IBV_GID_TYPE_IB:
        return 1;
    case IBV_GID_TYPE_ROCE_V1:
        return ipv4 ? 2 : 1;
    case IBV_GID_TYPE_ROCE_V2:
        return ipv4 ? 4 : 3;
    }
    return 0;
}

/* The whole table in one call: a soft-RoCE port has 1,024 entries, nearly all of them empty. */
static int verbs_device_best_gid(struct ibv_context *ctx, int port)
{
    enum { ENTRIES = 256 };
    struct ibv_gid_entry *table = calloc(ENTRIES, sizeof *table);
    ssize_t count = table ? ibv_query_gid_table(ctx, table, ENTRIES, 0) : 0;
    int best = 0, score = 0;
    for (ssize_t i = 0; i < count; i++) {
        if (table[i].port_num == (uint32_t)port && verbs_device_score_gid(&table[i]) > score) {
            score = verbs_device_score_gid(&table[i]);
            best = (int)table[i].gid_index;
        }
    }
    free(table);
    return best;
}

/* Takes this port if it is active and matches the choice. */
static bool verbs_device_try_port(struct verbs_fabric *v, struct ibv_context *ctx, int port,
                                  const struct verbs_device_choice *c)
{
    struct ibv_port_attr attr;
    if ((c->port >= 0 && c->port != port) || ibv_query_port(ctx, (uint8_t)port, &attr) != 0 ||
        attr.state != IBV_PORT_ACTIVE)
        return false;
    v->port = port;
    v->port_attr = attr;
    v->gid_index = c->gid >= 0 ? c->gid : verbs_device_best_gid(ctx, port);
    return true;
}

static bool verbs_device_try(struct verbs_fabric *v, struct ibv_device *dev,
                             const struct verbs_device_choice *c)
{
    if (c->name[0] && strcmp(c->name, ibv_get_device_name(dev)) != 0)
        return false;
    struct ibv_context *ctx = ibv_open_device(dev);
    if (!ctx)
        return false;
    if (ibv_query_device(ctx, &v->device_attr) == 0)
        for (int port = 1; port <= v->device_attr.phys_port_cnt; port++)
            if (verbs_device_try_port(v, ctx, port, c)) {
                v->context = ctx;
                return true;
            }
    ibv_close_device(ctx);
    return false;
}

/* The requested adapter does not exist, or has no active port: prints the adapters that exist. */
static void verbs_device_unknown(struct verbs_fabric *v, struct ibv_device **list, int count)
{
    char line[512];
    size_t used =
        (size_t)snprintf(line, sizeof line,
                         "verbs: no adapter %.64s with a port that is up; there %s", v->job.device,
                         count == 0   ? "is none"
                         : count == 1 ? "is"
                                      : "are");
    for (int i = 0; i < count && used < sizeof line - IBV_SYSFS_NAME_MAX; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s", i ? "," : "",
                                 ibv_get_device_name(list[i]));
    if (v->job.fail)
        v->job.fail(line);
}

int verbs_find_device(struct verbs_fabric *v)
{
    struct verbs_device_choice c = verbs_device_parse_choice(v->job.device);
    int count = 0;
    /* a child may be forked, to exec: the queues must not move. Newer kernels ensure that. */
    (void)ibv_fork_init();
    struct ibv_device **list = ibv_get_device_list(&count);
    if (!list)
        return -errno;
    for (int i = 0; i < count && !v->context; i++)
        verbs_device_try(v, list[i], &c);
    if (!v->context && c.name[0])
        verbs_device_unknown(v, list, count);
    ibv_free_device_list(list);
    return v->context ? 0 : -ENODEV;
}

/* Prints into `why` the reason why no adapter can be used. */
int verbs_probe(char *why, size_t len)
{
    struct verbs_fabric *v = calloc(1, sizeof *v);
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    int rc = v ? verbs_find_device(v) : -ENOMEM;
    if (rc && count == 0)
        snprintf(why, len, "no RDMA device on this machine (ibv_devices lists none)");
    else if (rc)
        snprintf(why, len, "no port of %s%s is up (ibv_devinfo shows their state)",
                 ibv_get_device_name(list[0]), count > 1 ? " or of the other devices" : "");
    else
        verbs_release_device(v);
    if (list)
        ibv_free_device_list(list);
    free(v);
    return rc;
}

static const char *verbs_device_atomics_of(enum ibv_atomic_cap cap)
{
    return cap == IBV_ATOMIC_GLOB  ? "also with the CPUs'"
           : cap == IBV_ATOMIC_HCA ? "only with its own"
                                   : "none";
}

static void verbs_device_describe_port(struct ibv_context *ctx, const struct ibv_device_attr *dev,
                                       int port, void (*say)(const char *))
{
    char line[256];
    struct ibv_port_attr attr;
    if (ibv_query_port(ctx, (uint8_t)port, &attr) != 0)
        return;
    bool ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
    snprintf(line, sizeof line, "%s:%d:%d  %s, %s, packet payload %d bytes",
             ibv_get_device_name(ctx->device), port, verbs_device_best_gid(ctx, port),
             ethernet ? "RoCE" : "InfiniBand",
             attr.state == IBV_PORT_ACTIVE ? "active" : ibv_port_state_str(attr.state),
             128 << attr.active_mtu);
    say(line);
    snprintf(line, sizeof line,
             "  atomics %s; reads and atomics in flight: %d with one node; nodes: %d",
             verbs_device_atomics_of(dev->atomic_cap), dev->max_qp_rd_atom, dev->max_qp);
    say(line);
    snprintf(line, sizeof line,
             "  memory regions: %d of at most %.0f GiB; receives: %d; completions: %d", dev->max_mr,
             (double)dev->max_mr_size / (1 << 30), dev->max_srq_wr, dev->max_cqe);
    say(line);
}

void verbs_describe(void (*say)(const char *line))
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    for (int i = 0; list && i < count; i++) {
        struct ibv_device_attr attr;
        struct ibv_context *ctx = ibv_open_device(list[i]);
        if (ctx && ibv_query_device(ctx, &attr) == 0)
            for (int port = 1; port <= attr.phys_port_cnt; port++)
                verbs_device_describe_port(ctx, &attr, port, say);
        if (ctx)
            ibv_close_device(ctx);
    }
    if (list)
        ibv_free_device_list(list);
}

/* And some spare ones if the adapter has them. */
static int verbs_device_choose_receives(struct verbs_fabric *v)
{
    char line[256];
    uint64_t events = (uint64_t)v->job.rx_depth * (uint64_t)v->job.nodes,
             most = (uint64_t)v->device_attr.max_srq_wr;
    if (events <= most) {
        v->receives = (uint32_t)(events + 256 < most ? events + 256 : most);
        return 0;
    }
    snprintf(line, sizeof line,
             "verbs: adapter %s takes %ju receives, but %d nodes can have %ju events outstanding "
             "at one; lower --threads or use fewer nodes",
             ibv_get_device_name(v->context->device), (uintmax_t)most, v->job.nodes,
             (uintmax_t)events);
    if (v->job.fail)
        v->job.fail(line);
    return -ENOSPC;
}

static int verbs_device_make_queues(struct verbs_fabric *v)
{
    int rc = verbs_device_choose_receives(v);
    if (rc)
        return rc;
    struct ibv_srq_init_attr srq = { .attr = { .max_wr = v->receives, .max_sge = 1 } };
    v->pd = ibv_alloc_pd(v->context);
    v->send_channel = ibv_create_comp_channel(v->context);
    v->recv_channel = ibv_create_comp_channel(v->context);
    if (!v->pd || !v->send_channel || !v->recv_channel)
        return -ENOMEM;
    v->send_cq = ibv_create_cq(v->context, 2 * VERBS_WORKS, NULL, v->send_channel, 0);
    v->recv_cq = ibv_create_cq(v->context, (int)v->receives + 16, NULL, v->recv_channel, 0);
    v->srq = ibv_create_srq(v->pd, &srq);
    if (!v->send_cq || !v->recv_cq || !v->srq)
        return -ENOMEM;
    int fds[] = { v->send_channel->fd, v->recv_channel->fd };
    for (int i = 0; i < 2; i++)
        if (fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK) != 0)
            return -errno;
    return 0;
}

static struct ibv_qp *verbs_device_make_qp(struct verbs_fabric *v, uint32_t *max_inline)
{
    struct ibv_qp_init_attr attr = {
        .send_cq = v->send_cq,
        .recv_cq = v->recv_cq,
        .srq = v->srq,
        .qp_type = IBV_QPT_RC,
        .cap = { .max_send_wr = VERBS_DEPTH, .max_send_sge = 1, .max_inline_data = *max_inline },
    };
    struct ibv_qp *qp = ibv_create_qp(v->pd, &attr);
    if (qp)
        *max_inline = attr.cap.max_inline_data;
    return qp;
}

static int verbs_device_make_qps(struct verbs_fabric *v)
{
    v->max_inline = 256;
    for (int n = 0; n < v->job.nodes; n++) {
        uint32_t room = v->max_inline;
        struct ibv_qp *qp = verbs_device_make_qp(v, &room);
        if (!qp) { /* an adapter with less room for inline data */
            room = 0;
            qp = verbs_device_make_qp(v, &room);
        }
        if (!qp)
            return errno ? -errno : -ENOMEM;
        if (room < v->max_inline)
            v->max_inline = room;
        v->peer[n].qp = qp;
        pthread_spin_init(&v->peer[n].lock, PTHREAD_PROCESS_PRIVATE);
    }
    return 0;
}

/* A node's parameters for the connections to it. */
struct verbs_device_address {
    union ibv_gid gid;
    uint32_t psn, reads;
    uint16_t lid, mtu;
    int32_t status;
    uint32_t qpn[]; /* by peer */
};

static size_t verbs_device_address_bytes(const struct verbs_fabric *v)
{
    return sizeof(struct verbs_device_address) +
           ((size_t)v->job.nodes * sizeof(uint32_t) + 7) / 8 * 8;
}

static void verbs_device_fill_address(struct verbs_fabric *v, struct verbs_device_address *a)
{
    a->status = ibv_query_gid(v->context, (uint8_t)v->port, v->gid_index, &a->gid) ? -EIO : 0;
    a->lid = v->port_attr.lid;
    a->mtu = (uint16_t)v->port_attr.active_mtu;
    a->psn = ((uint32_t)getpid() * 2654435761u) & 0xffffff;
    a->reads = (uint32_t)v->device_attr.max_qp_rd_atom;
    for (int n = 0; n < v->job.nodes; n++)
        a->qpn[n] = v->peer[n].qp->qp_num;
}

static int verbs_device_to_init(struct verbs_fabric *v, struct ibv_qp *qp)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_INIT,
        .port_num = (uint8_t)v->port,
        .qp_access_flags =
            IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
    };
    return ibv_modify_qp(qp, &attr,
                         IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

/* Reads and atomics in flight at a time: the limits of both adapters, and of the send queue. */
static uint8_t verbs_device_at_most(uint32_t a, uint32_t b, uint32_t limit)
{
    uint32_t m = a < b ? a : b;
    return (uint8_t)(m < limit ? m : limit);
}

static int verbs_device_to_receive(struct verbs_fabric *v, struct ibv_qp *qp,
                                   const struct verbs_device_address *mine,
                                   const struct verbs_device_address *peer)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = (enum ibv_mtu)(mine->mtu < peer->mtu ? mine->mtu : peer->mtu),
        .dest_qp_num = peer->qpn[v->job.node],
        .rq_psn = peer->psn,
        .min_rnr_timer = 1,
        .max_dest_rd_atomic = verbs_device_at_most(mine->reads, peer->reads, VERBS_DEPTH),
        .ah_attr = { .is_global = 1,
                     .dlid = peer->lid,
                     .port_num = (uint8_t)v->port,
                     .grh = { .dgid = peer->gid,
                              .sgid_index = (uint8_t)v->gid_index,
                              .hop_limit = 64 } },
    };
    return ibv_modify_qp(qp, &attr,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                             IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

/*
 * How long an adapter waits for an answer before it retries: 4.096 us times 2 to this power. With 6
 * retries (7 would mean infinitely many) a dead peer is detected after less than a third of
 * peer_timeout. The specification allows an adapter up to four times as long for each; common ones
 * take less than twice.
 */
static uint8_t verbs_device_answer_time(const struct verbs_fabric *v)
{
    double all = v->job.peer_timeout * 1e6 / 3;
    uint8_t power = 1;
    while (power < 31 && (ANSWER_TRIES + 1) * 4.096 * (double)(UINT64_C(2) << power) <= all)
        power++;
    return power;
}

static int verbs_device_to_send(const struct verbs_fabric *v, struct ibv_qp *qp,
                                const struct verbs_device_address *mine,
                                const struct verbs_device_address *peer)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTS,
        .timeout = verbs_device_answer_time(v),
        .retry_cnt = ANSWER_TRIES,
        .rnr_retry = 7,
        .sq_psn = mine->psn,
        .max_rd_atomic = verbs_device_at_most(mine->reads, peer->reads, VERBS_DEPTH),
    };
    return ibv_modify_qp(qp, &attr,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                             IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int verbs_device_connect_all(struct verbs_fabric *v)
{
    size_t nodes = (size_t)v->job.nodes, bytes = verbs_device_address_bytes(v);
    char *all = calloc(nodes + 1, bytes);
    if (!all)
        return -ENOMEM;
    struct verbs_device_address *mine =
        (struct verbs_device_address *)(void *)(all + nodes * bytes);
    verbs_device_fill_address(v, mine);
    int rc = v->job.exchange(v->job.ctx, mine, bytes, all);
    for (size_t n = 0; n < nodes && rc == 0; n++) {
        const struct verbs_device_address *its =
            (const struct verbs_device_address *)(const void *)(all + n * bytes);
        struct ibv_qp *qp = v->peer[n].qp;
        rc = its->status;
        if (rc == 0 && (verbs_device_to_init(v, qp) || verbs_device_to_receive(v, qp, mine, its) ||
                        verbs_device_to_send(v, qp, mine, its)))
            rc = errno ? -errno : -EIO;
    }
    free(all);
    return rc;
}

int verbs_connect(struct verbs_fabric *v)
{
    int rc = verbs_device_make_queues(v);
    if (rc == 0)
        rc = verbs_device_make_qps(v);
    /* every node has to learn of a failure here, or the others wait in the exchange for ever */
    int32_t mine = rc, every[NODES_MAX];
    rc = v->job.exchange(v->job.ctx, &mine, sizeof mine, every);
    for (int n = 0; n < v->job.nodes && rc == 0; n++)
        rc = every[n];
    return rc ? rc : verbs_device_connect_all(v);
}

void verbs_disconnect(struct verbs_fabric *v)
{
    for (int n = 0; n < v->job.nodes; n++)
        if (v->peer[n].qp)
            ibv_destroy_qp(v->peer[n].qp);
    if (v->srq)
        ibv_destroy_srq(v->srq);
    if (v->send_cq)
        ibv_destroy_cq(v->send_cq);
    if (v->recv_cq)
        ibv_destroy_cq(v->recv_cq);
    if (v->send_channel)
        ibv_destroy_comp_channel(v->send_channel);
    if (v->recv_channel)
        ibv_destroy_comp_channel(v->recv_channel);
}

void verbs_release_device(struct verbs_fabric *v)
{
    if (v->pd)
        ibv_dealloc_pd(v->pd);
    if (v->context)
        ibv_close_device(v->context);
}
