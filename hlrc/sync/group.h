/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * group.h - barriers of some nodes, by remote writes from pair to pair (pairs.h), whatever
 * --barrier is.
 *
 * A group is made by its members together. The lowest of them gives it a number and invites the
 * others, each of which compares the list of nodes with that of its own call, and answers.
 *
 *   the lowest member    | list, number of the group -> all others | waits for all answers
 *   another              | waits for the invitation, compares      | answers
 *
 * Invariants
 *   GR1  What a member has written is published when it begins to meet, urgently, and its vector
 *        time is handed on (interval.h I7): the homes of what was written need not be members, and
 *        nobody else would wake them.
 *   GR2  The number of a group has its lowest member in it, and that node gives each number once.
 *        So two groups have no slot in common at any node, and their members may meet at the same
 *        time, a node in several groups by several threads.
 *   GR3  The lowest member sends an invitation when all have answered the one before it, and a node
 *        answers when it has read all of it. One thread of a node makes a group at a time: who is
 *        invited to another group than the one it makes was called in another order.
 *   GR4  A group has met; the other nodes have not: no log is trimmed, no home moves, and diffs
 *        that woke nobody are still to be told (interval_met is for barriers of all).
 */
#ifndef HLRC_GROUP_H
#define HLRC_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* What the lowest member of a group writes to another one, behind a word of its own. */
struct invitation {
    uint32_t group; /* its number; GROUP_NONE: there are no more */
    uint32_t count;
    int32_t nodes[NODES_MAX];
};

#define GROUP_NONE UINT32_MAX

/* Of an invitation of so many nodes; and of its place, with its word. */
static inline size_t invitation_bytes(int nodes)
{
    return offsetof(struct invitation, nodes) + (size_t)nodes * sizeof(int32_t);
}

static inline size_t invitation_place(int nodes)
{
    return (sizeof(uint64_t) + invitation_bytes(nodes) + 63) & ~(size_t)63;
}

int group_init(void); /* 0 or -ENOMEM */
void group_end(void);

#endif
