/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sole.h - node 0 is the sole node with threads of the program: it publishes nothing
 * (hlrc/memory/only_node.h).
 *
 * Invariants
 *   [sole.published] Before an agent of another node can find a thread or a message in the table,
 *       node 0 publishes again.
 */
#ifndef COMPAT_SOLE_H
#define COMPAT_SOLE_H

#include <stdbool.h>

/* Once, on node 0, where threads move as they are measured (balance.h). Otherwise sole_set does
 * nothing. */
void sole_begin(void);
/* Whether no thread runs, or will, on another node. Under LOCK_THREADS; with false, before a change
 * of the table that is for other nodes is released. */
void sole_set(bool is);

#endif
