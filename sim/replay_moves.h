/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_moves.h - a node's state for home migration: recorded by replay_move.c, used by the
 * rounds of replay_round.c. */
#ifndef SIM_REPLAY_MOVES_H
#define SIM_REPLAY_MOVES_H

#include "sim/replay.h"

/* page_move.h */
#define WATCH_AFTER 34u
#define TRIES_MOST  3u
#define MOVES_ROUND 4096u
#define BATCH_LEAST 64u
#define BATCH_GROWS 16u
#define TOLD_AFTER  8u
#define TOLD_RING   64u
#define WATCH_SHARE 2u

struct move {
    uint32_t page, to;
};

struct told_word {
    uint32_t page, units; /* 0: already read */
};

/* State of one node. */
struct moves {
    struct move wanted[MOVES_ROUND], list[MOVES_ROUND];
    uint32_t wanted_count, list_count, batch;
    uint64_t epoch; /* of the list, + 1 */
    /* by other node. As home: ring of reported costs, number read. As writer: number written */
    struct told_word *told;
    uint32_t *read, *wrote;
};

struct moves *replay_moves_of(struct replay_node *n);
bool replay_moves_off(const struct replay_node *n); /* no home migrates in this replay */
void replay_move_tried(struct copy *c);
/* Processes what WRITER has reported to this node, the home. */
void replay_move_listen(struct replay_node *n, unsigned writer);

#endif
