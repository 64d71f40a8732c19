/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * size.h - size of the shared space.
 *
 *   - All nodes have one size. With --memory auto it is the sum of the memory of their machines, or
 *     of the limits of the control groups that they are in: each limit counts once, however many
 *     nodes it bounds.
 *   - No node refuses a size chosen by auto: it keeps within the address space, the private memory,
 *     and the file size that each node may use.
 */
#ifndef HLRC_SIZE_H
#define HLRC_SIZE_H

/* Called once the fabric is open: replaces engine.config.memory if that is auto. Collective. 0 or
 * a negative errno after one message. */
int size_agree(void);

#endif
