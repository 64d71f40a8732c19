/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "boot/boot.h"

void exchange_init(struct exchange *exchange, int nodes)
{
    memset(exchange, 0, sizeof *exchange);
    exchange->nodes = nodes;
}

void exchange_free(struct exchange *exchange)
{
    free(exchange->gather);
    free(exchange->result);
    exchange_init(exchange, exchange->nodes);
}

static int exchange_gather_begin(struct exchange *exchange, size_t blob)
{
    exchange->gather = malloc(blob * (size_t)exchange->nodes + 1); /* blobs may be empty */
    if (exchange->gather == NULL)
        return -ENOMEM;
    exchange->blob = blob;
    exchange->given = 0;
    memset(exchange->got, 0, sizeof exchange->got);
    memset(exchange->whole, 0, sizeof exchange->whole);
    return 0;
}

static void exchange_gather_finish(struct exchange *exchange)
{
    free(exchange->result); /* all nodes have read it */
    exchange->result = exchange->gather;
    exchange->total = exchange->blob * (size_t)exchange->nodes;
    exchange->gather = NULL;
    for (int i = 0; i < exchange->nodes; i++) {
        exchange->sent[i] = 0;
        exchange->reading[i] = true;
    }
}

int exchange_piece(struct exchange *exchange, int node, const struct wire_head *head,
                   const char *piece, size_t len)
{
    if (head->total > BOOT_BLOB_MAX || exchange->reading[node])
        return -EPROTO;
    if (exchange->gather == NULL && exchange_gather_begin(exchange, head->total) < 0)
        return -ENOMEM;
    if (head->total != exchange->blob)
        return -EMSGSIZE;
    if (exchange->whole[node] || head->offset != exchange->got[node] ||
        len > exchange->blob - exchange->got[node])
        return -EPROTO;
    memcpy(exchange->gather + (size_t)node * exchange->blob + head->offset, piece, len);
    exchange->got[node] += len;
    if (exchange->got[node] < exchange->blob)
        return 0;
    exchange->whole[node] = true;
    if (++exchange->given < exchange->nodes)
        return 0;
    exchange_gather_finish(exchange);
    return 1;
}

bool exchange_reading(const struct exchange *exchange, int node)
{
    return exchange->reading[node];
}

void exchange_send(struct exchange *exchange, int node, int fd)
{
    while (exchange->reading[node]) {
        size_t at = exchange->sent[node], left = exchange->total - at;
        struct wire_head head = { .type = WIRE_RESULT,
                                  .total = (uint32_t)exchange->total,
                                  .offset = (uint32_t)at };
        size_t len = left < WIRE_PIECE ? left : WIRE_PIECE;
        struct iovec iov[2] = { { &head, sizeof head }, { exchange->result + at, len } };
        struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

        if (sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN && errno != ENOBUFS)
                exchange->reading[node] = false; /* the node is gone; its pidfd reports that */
            return;
        }
        exchange->sent[node] += len;
        exchange->reading[node] = exchange->sent[node] < exchange->total;
    }
}

bool exchange_waits(const struct exchange *exchange, int node)
{
    return exchange->gather != NULL && exchange->whole[node];
}

int exchange_waiting(const struct exchange *exchange)
{
    for (int i = 0; i < exchange->nodes; i++)
        if (exchange_waits(exchange, i))
            return i;
    return -1;
}
