/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * size.h - how large the shared space is.
 *
 *   SZ1  All nodes have one size. With --memory auto it is the sum of what their machines have, or
 *        of what the control groups allow that they are in: each limit once, however many nodes it
 *        bounds.
 *   SZ2  No node refuses a size that nobody asked for: auto keeps within the address space, the
 *        private memory, and the size of files that each of them may use.
 */
#ifndef HLRC_SIZE_H
#define HLRC_SIZE_H

/* Once the fabric is open: replaces engine.config.memory where that is auto. Collective. 0 or a
 * negative errno after one line. */
int size_agree(void);

#endif
