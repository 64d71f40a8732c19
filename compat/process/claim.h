/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * claim.h - signals of the process that a thread of another node than 0 takes. They are pending at
 * node 0, and any thread of the program that does not block one may take it.
 *
 * Invariants
 *   [claim.offered] A signal that no thread of node 0 takes is offered to all nodes, again and
 *       again (catcher.h). An agent with a thread that does not block it claims it: node 0
 *       takes the pending signal, so one node gets it, with its siginfo. While node 0 performs a
 *       call for a thread, the proxy gets its signals.
 *   [claim.unblocked] A thread that unblocks signals claims the pending ones first, so that
 *       its handlers have run when the call returns.
 *   - A signal without a handler is not taken: node 0 unblocks it, and the process ends, or stops,
 *     by it.
 */
#ifndef COMPAT_CLAIM_H
#define COMPAT_CLAIM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct lane;

/* Does this thread of this node, another than 0, not block the signal (a bit)? False while node 0
 * performs a call for it, and in HLRC unless it waits there. */
bool claim_would_take(const struct lane *lane, uint64_t signal);
/* Takes a pending one of these signals, as bits, from node 0, for a thread of this node, which has
 * its handler then. False: none. */
bool claim_take(uint64_t signals, siginfo_t *info);

#endif
