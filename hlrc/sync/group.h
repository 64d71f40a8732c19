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
 *   - The number of a group contains its lowest member, and no two groups have a number at the same
 *     time. So two groups share no slot at any node. Their members may enter barriers at the same
 *     time, a node in several groups by several threads.
 *   [group.number-again] The lowest member assigns a number again after the barrier in which all
 *       members freed the group. Slots keep the words of the earlier group, which the epochs of the
 *       later one continue: no word of the earlier group has an epoch of the later one. A member
 *       sets up the later group once none of its threads is in a call of the earlier one.
 *   - The lowest member sends an invitation after all have answered the previous one, and a node
 *     answers after it has read all of it. One thread of a node makes a group at a time: an
 *     invitation to another group shows that the calls were made in different orders.
 *   - Only the group has synchronised, not all nodes: no log is trimmed, no home migrates, and
 *     homes whose diffs woke no handler still have to be notified (interval_met is for barriers of
 *     all nodes).
 */
#ifndef HLRC_GROUP_H
#define HLRC_GROUP_H

#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "hlrc/sync/pairs.h"

struct group {
    _Atomic bool made; /* this node is a member; set last, when the group is complete */
    _Atomic bool busy; /* a thread is in one of its calls, and owns the fields below */
    int nodes[NODES_MAX];
    struct pairs pairs;
    uint64_t step; /* collectives of data so far: group_data.c */
};

/* Written by the lowest member of a group to another member, after a word. */
struct group_invitation {
    uint64_t epoch; /* of its first barrier [group.number-again] */
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

/* The group of a handle, for this thread only; ends the job if there is none, or if another thread
 * is in a call of it. */
struct group *group_enter(const char *call, hlrc_group_t group);
void group_leave(struct group *g);
/* The barrier of an entered group. Waits. */
void group_meet(struct group *g, uint32_t number);

/* Slots for the data of a group's collectives, in the window of each member. */
#define GROUP_FAN       16   /* senders to one member at a time */
#define GROUP_DATA_SLOT 1024 /* bytes */
#define GROUP_DATA_ROOM ((size_t)2 * GROUP_FAN * GROUP_DATA_SLOT)
size_t group_data_at(uint32_t number);

#endif
