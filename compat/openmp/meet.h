/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* meet.h - all lanes of the job wait for each other: those of a node, of which the last speaks for
 * the node in a barrier of all nodes. */
#ifndef COMPAT_MEET_H
#define COMPAT_MEET_H

/* ASSUMPTION: all lanes come here, `threads` of each node, on private stacks. */
void meet_all(int threads);

#endif
