/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by hlrc.h: groups of nodes. hlrc.h describes the form of
 * a block. */
#ifndef HLRC_API_GROUP_H
#define HLRC_API_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc_types.h"

/* Maximum number of groups with the same lowest node. */
#define HLRC_MAX_GROUPS 64

#ifdef __cplusplus
extern "C" {
#endif

/* A group of nodes: a plain value, as other handles, valid on its members. */
typedef struct {
    uint32_t id;
} hlrc_group_t;
typedef hlrc_group_t hlrc_group HLRC_DEPRECATED("use hlrc_group_t");

/**
 * hlrc_group_create, hlrc_group_free - define a group of nodes with its own collectives
 *
 * Collective among the `count` nodes in `nodes`: each of them, and no other, makes the call, and
 * passes the same list in the same order. It stores the handle of the group in *`group`, the same
 * on all of them. Groups may overlap. The call orders no memory.
 *
 * hlrc_group_free() is collective among the nodes of the group: a barrier as hlrc_group_barrier(),
 * and the end of the group. Groups that are not freed exist until hlrc_finalize().
 *
 * RETURN VALUE: hlrc_group_create() returns 0, or a negative errno value; then *`group` is
 * unchanged.
 *
 * ERRORS:
 *     EINVAL  `count` is not 1 to the number of nodes, a node is listed twice or is not in the
 *             job, or this node is not listed; detected before another node is contacted
 *     ENOMEM  the lowest node of the list is already the lowest of HLRC_MAX_GROUPS groups; on all
 *             nodes of the list
 *
 * NOTES: One thread of a node creates a group at a time, and nodes that have several groups in
 * common create these in the same order. Lists that differ end the job with one line if the lowest
 * node is in all of them; otherwise the nodes may wait for each other forever.
 *
 * SEE ALSO: hlrc_group_barrier
 */
int hlrc_group_create(const int *nodes, int count, hlrc_group_t *group);
void hlrc_group_free(hlrc_group_t group);

/**
 * hlrc_group_barrier - wait for the nodes of a group
 *
 * Collective among the nodes of the group: one thread calls for its node. It returns when all of
 * them have called it. All that any of them wrote before, or had seen, is then visible to all of
 * them. The other nodes take no part. Barriers of several groups may be in progress at the same
 * time; a node that is in several uses a thread for each.
 *
 * It is a dissemination barrier (Hensgen, Finkel and Manber, Two Algorithms for Barrier
 * Synchronization, 1988) of ceil(log2 n) rounds for n nodes, by remote writes, whatever --barrier
 * says.
 *
 * NOTES: The job ends if the handle is not a group of this node, or if another thread of this node
 * is in a call of the same group.
 *
 * SEE ALSO: hlrc_group_create, hlrc_group_reduce, hlrc_barrier
 */
void hlrc_group_barrier(hlrc_group_t group);

/**
 * hlrc_group_broadcast, hlrc_group_reduce - data of the nodes of a group
 *
 * Collective among the nodes of the group, and order memory as hlrc_group_barrier() does.
 * hlrc_group_broadcast() copies the `len` bytes at `buf` on node `root`, a node of the group, to
 * `buf` on the others. hlrc_group_reduce() combines value i of the `count` values at `in` on all of
 * them by `op`, and stores the result as value i at `out` on each, as hlrc_reduce() does for all
 * nodes. Buffers may be private or shared memory; `in` and `out` may be the same. All pass the same
 * other arguments.
 *
 * The order in which values are combined depends on the number of nodes in the group only. All of
 * them get the same bits, and each run does.
 *
 * RETURN VALUE: 0, or a negative errno value on every node of the group.
 *
 * ERRORS:
 *     EINVAL  `root` is not in the group; `type` or `op` is not one that hlrc_reduce() has
 *
 * NOTES: A broadcast takes a barrier of the group for each KiB, a reduction two, or more in groups
 * of more than 16 nodes. The job ends as with hlrc_group_barrier(), and if the nodes of a group are
 * in different calls.
 *
 * SEE ALSO: hlrc_group_create, hlrc_broadcast, hlrc_reduce
 */
int hlrc_group_broadcast(hlrc_group_t group, void *buf, size_t len, int root);
int hlrc_group_reduce(hlrc_group_t group, const void *in, void *out, size_t count, hlrc_type type,
                      hlrc_op op);

#ifdef __cplusplus
}
#endif

#endif
