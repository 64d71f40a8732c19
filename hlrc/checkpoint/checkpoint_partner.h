/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_partner.h - hlrcrun --partner: checkpoints in memory, each with a copy at another
 * node.
 *
 * A node has its checkpoints in its store (checkpoint_store.h). Another node, its partner, has the
 * copies in its own. A store has
 *
 *   G.node.N    the file of node N, of checkpoint G (checkpoint_manifest.h), or its copy
 *   manifest.G
 *
 * No node opens another store: files pass piece by piece, by remote writes to the control window,
 * while the program runs.
 *
 *   sender   | reads piece k, writes it to a slot of the receiver, then the count of its pieces
 *   receiver | appends that piece to its file, then writes its own count to the sender
 *
 *   [checkpoint.copy-first] The first node of a store writes the manifest after all files and all
 *       copies are complete, and all nodes agree. So a manifest in any store means that each file
 *       exists twice, if there are two stores.
 *   [checkpoint.newer-removed] A recovery removes all files of later checkpoints, which were not
 *       complete. The next job writes these anew, but not in each store: a copy may go to another
 *       one than before.
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
