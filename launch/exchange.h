/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_EXCHANGE_H
#define HLRC_EXCHANGE_H

/*
 * hlrcrun's side of boot_exchange(): gathers a blob from each node, then sends all of them to
 * every node.
 *
 *   - A node sends its blob of the next round only after it has received all of this one. So there
 *     is at most one gathering and, besides, one result that slow nodes are still reading.
 *   - Nothing blocks: a node that does not read (it may be stopped) receives the rest when its
 *     socket has room.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "boot/wire.h"

struct exchange {
    int nodes;
    char *gather;          /* blobs of the round in progress, or NULL */
    size_t blob;           /* length of each */
    int given;             /* nodes whose blob is complete */
    size_t got[NODES_MAX]; /* bytes of each node's blob */
    bool whole[NODES_MAX]; /* node waits for the others */
    char *result;          /* of the previous round */
    size_t total;
    size_t sent[NODES_MAX]; /* bytes of the result */
    bool reading[NODES_MAX];
};

void exchange_init(struct exchange *exchange, int nodes);
void exchange_free(struct exchange *exchange);

/*
 * exchange_piece - handles a received piece of node's blob. 1: the round is complete and the
 * results can be sent; -EMSGSIZE: its length differs from the others'; -EPROTO; -ENOMEM
 */
int exchange_piece(struct exchange *exchange, int node, const struct wire_head *head,
                   const char *piece, size_t len);

bool exchange_reading(const struct exchange *exchange, int node); /* part is unsent */
void exchange_send(struct exchange *exchange, int node, int fd);  /* as much as fits */
/* a node that waits for the others, or -1 */
int exchange_waiting(const struct exchange *exchange);
bool exchange_waits(const struct exchange *exchange, int node); /* whether this node waits */

#endif
