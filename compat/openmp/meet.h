/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* meet.h - all lanes of the job wait for each other: those of a node, of which the last speaks for
 * the node in a barrier of all nodes. */
#ifndef COMPAT_MEET_H
#define COMPAT_MEET_H

#include <stddef.h>

/* ASSUMPTION: all lanes come here, `threads` of each node, on private stacks. */
void meet_all(int threads);
/* And all nodes have afterwards what node 0 had in `len` bytes at `buf`, memory of the node's own
 * that none of its lanes uses meanwhile. */
void meet_and_learn(int threads, void *buf, size_t len);

#endif
