/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_collect.h - collectives of all threads of a team. The threads of a node wait for each
 * other; of the job's team the last to arrive enters a collective of all nodes. */
#ifndef COMPAT_TEAM_COLLECT_H
#define COMPAT_TEAM_COLLECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on `threads` of this node take part, on so many processors, and other nodes, or none.
 * Called by one of them, which has not arrived at the next collective; the others may have. */
void team_collect_of(int threads, int processors, bool nodes);

/* A barrier if buf is NULL. Otherwise all nodes then have node 0's `len` bytes at `buf`, private
 * memory of the node that none of its threads uses during the call. */
void team_collect(void *buf, size_t len);

/* Threads of one process that wait for each other. */
struct team_meeting {
    _Atomic int members;
    _Atomic bool crowded; /* threads compete for processors */
    _Atomic unsigned arrived;
    _Atomic uint32_t completed; /* collectives; raised by the last thread to arrive */
    _Atomic unsigned sleepers;  /* raised before `completed` is read, read after it is raised */
};
void team_collect_prepare(struct team_meeting *m, int members, bool crowded);
/* `last`, if not NULL: called by the last thread to arrive, before the others continue. */
void team_collect_meet(struct team_meeting *m, void (*last)(void *), void *arg);

#endif
