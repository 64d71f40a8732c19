/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * group.h - barriers of a group of nodes, by pairwise remote writes (pairs.h), independent of
 * --barrier.
 *
 * All members make a group together. The lowest assigns its number and invites the others. Each of
 * them compares the list of nodes with that of its call, and answers.
 *
 *   lowest member       | list, number of the group -> all others | waits for all answers
 *   each other member   | waits for the invitation, compares      | answers
 *
 * Invariants
 *   - When a member begins a group barrier its writes are published, urgently, and its vector time
 *     is passed on [interval.quiet-diffs]. The homes of the written pages need not be members, so
 *     no other member would wake them.
 *   - The number of a group contains its lowest member, and that node assigns each number once. So
 *     two groups share no slot at any node. Their members may enter barriers at the same time, a
 *     node in several groups by several threads.
 *   - The lowest member sends an invitation after all have answered the previous one, and a node
 *     answers after it has read all of it. One thread of a node makes a group at a time: an
 *     invitation to another group shows that the calls were made in different orders.
 *   - Only the group has synchronised, not all nodes: no log is trimmed, no home migrates, and
 *     homes whose diffs woke no handler still have to be notified (interval_met is for barriers of
 *     all nodes).
 */
#ifndef HLRC_GROUP_H
#define HLRC_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* Written by the lowest member of a group to another member, after a word. */
struct group_invitation {
    uint32_t group; /* its number; GROUP_NONE: no numbers are left */
    uint32_t count;
    int32_t nodes[NODES_MAX];
};

#define GROUP_NONE UINT32_MAX

/* Size of an invitation to this many nodes; and of its slot, with its word. */
static inline size_t group_invitation_bytes(int nodes)
{
    return offsetof(struct group_invitation, nodes) + (size_t)nodes * sizeof(int32_t);
}

static inline size_t group_invitation_place(int nodes)
{
    return (sizeof(uint64_t) + group_invitation_bytes(nodes) + 63) & ~(size_t)63;
}

int group_init(void); /* 0 or -ENOMEM */
void group_end(void);

#endif
