/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_moves.h - a node's state for home migration: recorded by replay_move.c, used by the
 * rounds of replay_round.c. */
#ifndef SIM_REPLAY_MOVES_H
#define SIM_REPLAY_MOVES_H

#include "sim/replay.h"

struct replay_moves_told {
    uint32_t page, units; /* 0: already read */
};

/* State of one node. */
struct replay_moves {
    struct policy_migrate_move wanted[POLICY_MIGRATE_ROUND], list[POLICY_MIGRATE_ROUND];
    uint32_t wanted_count, list_count, batch;
    uint64_t epoch; /* of the list, + 1 */
    /* by other node. As home: ring of reported costs, number read. As writer: number written */
    struct replay_moves_told *told;
    uint32_t *read, *wrote;
};

struct replay_moves *replay_moves_of(struct replay_node *n);
bool replay_moves_off(const struct replay_node *n); /* no home migrates in this replay */
/* Processes what WRITER has reported to this node, the home. */
void replay_move_listen(struct replay_node *n, unsigned writer);

#endif
