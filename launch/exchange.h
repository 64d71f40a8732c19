/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_EXCHANGE_H
#define HLRC_EXCHANGE_H

/*
 * hlrcrun's side of boot_exchange(): gather a blob from each node, then give all of them to
 * everybody.
 *
 *   EX1  A node gives its blob of the next round only after it has got all of this one. So there is
 *        at most one gathering and, besides, one result that slow nodes are still reading.
 *   EX2  Nothing blocks: a node that does not read (it may be stopped) gets the rest when its
 *        socket has room.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "boot/wire.h"

struct exchange {
    int nodes;
    char *gather;          /* blobs of the round that is being gathered, or NULL */
    size_t blob;           /* length of each */
    int given;             /* nodes whose blob is complete */
    size_t got[NODES_MAX]; /* bytes of each node's blob */
    bool whole[NODES_MAX]; /* node waits for the others */
    char *result;          /* the round before */
    size_t total;
    size_t sent[NODES_MAX]; /* bytes of the result */
    bool reading[NODES_MAX];
};

void exchange_init(struct exchange *exchange, int nodes);
void exchange_free(struct exchange *exchange);

/*
 * exchange_piece - a piece of node's blob has come. 1: the round is complete, results can be sent;
 * -EMSGSIZE: its length is not that of the others; -EPROTO;  -ENOMEM
 */
int exchange_piece(struct exchange *exchange, int node, const struct wire_head *head,
                   const char *piece, size_t len);

bool exchange_reading(const struct exchange *exchange, int node); /* has something to be sent */
void exchange_send(struct exchange *exchange, int node, int fd);  /* as much as goes */
/* a node that waits for the others, or -1 */
int exchange_waiting(const struct exchange *exchange);
bool exchange_waits(const struct exchange *exchange, int node); /* whether this one does */

#endif
