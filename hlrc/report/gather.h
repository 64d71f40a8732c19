/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gather.h - sends data in each node's memory to node 0 when a job finalizes, through the fabric,
 * piece by piece.
 *
 *   - There is one piece at node 0: a node sends the next one after node 0 has reported that it
 *     took the previous one. Node 0 gathers from one node at a time.
 */
#ifndef HLRC_GATHER_H
#define HLRC_GATHER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define GATHER_PIECE 65536u
#define GATHER_HEAD  64u
#define GATHER_BYTES (2 * GATHER_HEAD + GATHER_PIECE) /* in the control window of each node */

struct gather {
    uint64_t number; /* of the piece sent last */
};
#define GATHER_INIT \
    {               \
        0           \
    }

/* Waiting serves nothing: called at the end, when no node sends anything else. */

/* On all nodes except 0, any number of times, then gather_end: `bytes` at memory + at go to `at`
 * there. */
void gather_send(struct gather *g, const void *memory, size_t at, size_t bytes);
void gather_end(struct gather *g);

/* On node 0, for each other node in turn. */
void gather_receive(int node, void *to);

/* Waits until the word is `least` or more. */
void gather_await(const _Atomic uint64_t *word, uint64_t least);
/* Writes a word of a control window; returns after it has arrived. */
void gather_write_word(int node, size_t at, uint64_t value);

#endif
