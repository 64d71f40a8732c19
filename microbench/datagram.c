/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* datagram.c - see datagram.h. */
#include "microbench/datagram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GRH  40 /* precedes each received datagram */
#define QKEY 0x11111111

struct datagram datagram;

static void *datagram_made(void *object, const char *what)
{
    if (!object)
        bench_fail(1, "%s: %s", what, strerror(errno));
    return object;
}

void datagram_done(int rc, const char *what)
{
    if (rc)
        bench_fail(1, "%s: %s", what, strerror(rc < 0 ? -rc : rc));
}

static void datagram_find_device(void)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);

    for (int i = 0; list && i < count && !datagram.context; i++)
        if (!*net.device || strcmp(net.device, ibv_get_device_name(list[i])) == 0)
            datagram.context = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    if (!datagram.context)
        bench_fail(2, "no RDMA adapter; this measures that of --fabric verbs");
}

/* The entry of the port's table that is an address of IPv4, of RoCE v2. */
static void datagram_find_gid(void)
{
    struct ibv_gid_entry entry;
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

    for (int i = 0; i < 16; i++)
        if (ibv_query_gid_ex(datagram.context, 1, (uint32_t)i, &entry, 0) == 0 &&
            entry.gid_type == IBV_GID_TYPE_ROCE_V2 && memcmp(entry.gid.raw, mapped, 12) == 0) {
            datagram.gid = entry.gid;
            datagram.gid_index = i;
            return;
        }
    bench_fail(1, "the adapter's port has no address of RoCE v2 over IPv4");
}

void datagram_post_receive(size_t slot)
{
    struct ibv_sge part = { .addr = (uintptr_t)(datagram.buffer + slot * DATAGRAM_SLOT),
                            .length = GRH + DATAGRAM_LARGEST,
                            .lkey = datagram.mr->lkey };
    struct ibv_recv_wr work = { .wr_id = slot, .sg_list = &part, .num_sge = 1 }, *bad;

    datagram_done(ibv_post_recv(datagram.qp, &work, &bad), "ibv_post_recv");
}

struct ibv_qp *datagram_queue(void)
{
    struct ibv_qp_init_attr init = {
        .send_cq = datagram.cq,
        .recv_cq = datagram.cq,
        .qp_type = IBV_QPT_UD,
        .cap = { .max_send_wr = DATAGRAM_RECEIVES,
                 .max_recv_wr = DATAGRAM_RECEIVES,
                 .max_send_sge = 1,
                 .max_recv_sge = 1 },
    };
    struct ibv_qp *qp = datagram_made(ibv_create_qp(datagram.pd, &init), "ibv_create_qp");
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

    datagram_done(ibv_modify_qp(qp, &attr,
                                IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
                  "ibv_modify_qp to INIT");
    attr.qp_state = IBV_QPS_RTR;
    datagram_done(ibv_modify_qp(qp, &attr, IBV_QP_STATE), "ibv_modify_qp to RTR");
    attr.qp_state = IBV_QPS_RTS;
    datagram_done(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "ibv_modify_qp to RTS");
    return qp;
}

void datagram_open(void)
{
    size_t size = (DATAGRAM_RECEIVES + 1) * DATAGRAM_SLOT;

    datagram_find_device();
    datagram_find_gid();
    datagram.pd = datagram_made(ibv_alloc_pd(datagram.context), "ibv_alloc_pd");
    datagram.cq =
        datagram_made(ibv_create_cq(datagram.context, 4 * DATAGRAM_RECEIVES, NULL, NULL, 0),
                      "ibv_create_cq");
    datagram.buffer = bench_memory(aligned_alloc(DATAGRAM_SLOT, size));
    memset(datagram.buffer, 0, size);
    datagram.mr =
        datagram_made(ibv_reg_mr(datagram.pd, datagram.buffer, size, IBV_ACCESS_LOCAL_WRITE),
                      "ibv_reg_mr");
    datagram.qp = datagram_queue();
    for (size_t slot = 0; slot < DATAGRAM_RECEIVES; slot++)
        datagram_post_receive(slot);
}

struct ibv_ah *datagram_address(const union ibv_gid *gid, uint8_t service_level,
                                uint8_t traffic_class)
{
    struct ibv_ah_attr attr = { .is_global = 1,
                                .port_num = 1,
                                .sl = service_level,
                                .grh = { .dgid = *gid,
                                         .sgid_index = (uint8_t)datagram.gid_index,
                                         .hop_limit = 64,
                                         .traffic_class = traffic_class } };

    return datagram_made(ibv_create_ah(datagram.pd, &attr), "ibv_create_ah");
}

char *datagram_to_send(void)
{
    return datagram.buffer + DATAGRAM_RECEIVES * DATAGRAM_SLOT;
}

void datagram_send(struct ibv_qp *qp, struct ibv_ah *to, uint32_t qpn, size_t bytes)
{
    struct ibv_sge part = { .addr = (uintptr_t)datagram_to_send(),
                            .length = (uint32_t)bytes,
                            .lkey = datagram.mr->lkey };
    struct ibv_send_wr work = { .sg_list = &part,
                                .num_sge = 1,
                                .opcode = IBV_WR_SEND,
                                .send_flags = IBV_SEND_SIGNALED,
                                .wr.ud = { .ah = to, .remote_qpn = qpn, .remote_qkey = QKEY } },
                       *bad;

    datagram_done(ibv_post_send(qp, &work, &bad), "ibv_post_send");
}

void datagram_await_sent(int count)
{
    struct ibv_wc wc;

    while (count > 0) {
        int got = ibv_poll_cq(datagram.cq, 1, &wc);
        if (got > 0 && wc.status != IBV_WC_SUCCESS)
            bench_fail(1, "a datagram was not sent: %s", ibv_wc_status_str(wc.status));
        count -= got > 0;
    }
}
