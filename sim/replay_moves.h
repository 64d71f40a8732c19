/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_moves.h - what a node knows of pages that may move: noted by replay_move.c, decided in the
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
    uint32_t page, units; /* 0: it was read */
};

/* Of a node. */
struct moves {
    struct move wanted[MOVES_ROUND], list[MOVES_ROUND];
    uint32_t wanted_count, list_count, batch;
    uint64_t epoch; /* of the list, + 1 */
    /* by the other node: as home, what it was told and has read; as writer, what it told */
    struct told_word *told;
    uint32_t *read, *wrote;
};

struct moves *replay_moves_of(struct replay_node *n);
bool replay_moves_off(const struct replay_node *n); /* no home moves in this replay */
void replay_move_tried(struct copy *c);
/* What WRITER has told this node, the home. */
void replay_move_listen(struct replay_node *n, unsigned writer);

#endif
