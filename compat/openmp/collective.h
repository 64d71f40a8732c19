/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collective.h - collectives of all compute threads of the job. Threads of a node wait for each
 * other; the last to arrive enters a barrier of all nodes. */
#ifndef COMPAT_COLLECTIVE_H
#define COMPAT_COLLECTIVE_H

#include <stddef.h>

/* ASSUMPTION: all compute threads call this, `threads` on each node, on private stacks. */
void collective_barrier(int threads);
/* The same; all nodes then have node 0's `len` bytes at `buf`, private memory of the node that
 * none of its threads uses during the call. */
void collective_broadcast(int threads, void *buf, size_t len);

#endif
