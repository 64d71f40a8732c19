/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_collect.h - collectives of all threads of the team. The threads of a node wait for each
 * other; the last to arrive enters a collective of all nodes. */
#ifndef COMPAT_TEAM_COLLECT_H
#define COMPAT_TEAM_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

/* From now on `threads` of this node take part, on so many processors, and other nodes, or none.
 * Called by one of them, which has not arrived at the next collective; the others may have. */
void team_collect_of(int threads, int processors, bool nodes);

/* A barrier if buf is NULL. Otherwise all nodes then have node 0's `len` bytes at `buf`, private
 * memory of the node that none of its threads uses during the call. */
void team_collect(void *buf, size_t len);

#endif
