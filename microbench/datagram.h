/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * datagram.h - an unreliable queue pair (UD) of soft-RoCE or RoCE v2 over IPv4, for microbenchmarks
 * beside the fabric's own connections.
 */
#ifndef MICROBENCH_DATAGRAM_H
#define MICROBENCH_DATAGRAM_H

#include <infiniband/verbs.h>

#include "microbench/net.h"

#define DATAGRAM_LARGEST  2048
#define DATAGRAM_RECEIVES 64   /* slots; as many sends may be under way */
#define DATAGRAM_SLOT     4096 /* of a receive: does not cross a page */

extern struct datagram {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    int gid_index;
    union ibv_gid gid;
    char *buffer; /* DATAGRAM_RECEIVES slots, and one to send from */
} datagram;

/* Ends the program if a call of verbs has failed: rc is errno, or negative. */
void datagram_done(int rc, const char *what);

/* After net_open(). The slots are posted as receives of datagram.qp. */
void datagram_open(void);

/* Another queue pair, ready to send. It has no receives: what arrives there is dropped. */
struct ibv_qp *datagram_queue(void);

struct ibv_ah *datagram_address(const union ibv_gid *gid, uint8_t service_level,
                                uint8_t traffic_class);

/* Where datagram_send() takes its bytes from. */
char *datagram_to_send(void);
void datagram_send(struct ibv_qp *qp, struct ibv_ah *to, uint32_t qpn, size_t bytes);
void datagram_await_sent(int count);
void datagram_post_receive(size_t slot);

#endif
