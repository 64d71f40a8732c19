/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_partner.h - hlrcrun --partner: checkpoints in memory, each with a copy at another
 * node.
 *
 * Directory ROOT/N is in the memory of the host of node N. Node N + 1 is its partner; the last
 * node's is node 0. ROOT/N has
 *
 *   G.node.N    the file of node N, of checkpoint G (checkpoint_manifest.h)
 *   G.node.M    the copy of the file of node M, of which N is the partner
 *   manifest.G
 *
 * No node opens a directory of another one: files pass piece by piece, by remote writes to the
 * control window, while the program runs.
 *
 *   sender   | reads piece k, writes it to a slot of the receiver, then the count of its pieces
 *   receiver | appends that piece to its file, then writes its own count to the sender
 *
 *   [checkpoint.copy-first] A node writes its manifest after all files and all copies are complete,
 *       and all nodes agree. So a manifest at any node means that each file exists twice.
 *   - A piece is visible before its count [fabric.target-order]. A sender writes a slot again after
 *     its receiver has counted the piece in it.
 *   - Counts have the number of the pass. All nodes agree (checkpoint_exchange.h) between two
 *     passes, so a count of an earlier one is overwritten or ignored.
 *   - A node with an error counts all pieces.
 */
#ifndef HLRC_CHECKPOINT_PARTNER_H
#define HLRC_CHECKPOINT_PARTNER_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_manifest.h"

/* Room in the control window; 0: none is needed. */
size_t checkpoint_partner_bytes(void);
/* Creates ROOT/N of this node, and writes its path, unless `root` is empty or hlrcrun has not made
 * it. 0, or a negative errno after one line. */
int checkpoint_partner_open(const char *root, char path[PATH_MAX]);
/* -ENOSPC if this host has little memory left, or too little for its control group. Allocates
 * nothing. */
int checkpoint_partner_room(void);

/* Collective; `dir` is this node's. Sends and receives the copies. `last`: the last
 * complete checkpoint. 0, or a negative errno of any node, after a line by that one. */
int checkpoint_partner_copy(const char *dir, const struct checkpoint_manifest *m, uint32_t last);
/* Collective, before the checkpoint is loaded: nodes get what they do not have of it. 0, or a
 * negative errno of any node. */
int checkpoint_partner_recover(const char *dir, const struct checkpoint_manifest *m);
/* Removes what this node has of a checkpoint that is not complete, its manifest first. */
void checkpoint_partner_discard(const char *dir, const struct checkpoint_manifest *m);

#endif
