/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* meet.h - collectives of all compute threads of the job. Threads of a node wait for each other;
 * the last to arrive enters a barrier of all nodes. */
#ifndef COMPAT_MEET_H
#define COMPAT_MEET_H

#include <stddef.h>

/* ASSUMPTION: all compute threads call this, `threads` on each node, on private stacks. */
void meet_all(int threads);
/* The same; all nodes then have node 0's `len` bytes at `buf`, private memory of the node that
 * none of its threads uses during the call. */
void meet_and_learn(int threads, void *buf, size_t len);

#endif
