/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interrupt.h - threads that compute for long without waiting move, too: a signal interrupts them,
 * and its handler lets them continue in a function that moves (move.h). On the other node the
 * thread sends itself the signal, whose handler then stores the registers of the first one.
 *
 * Invariants
 *   - Only the program's own code is interrupted to move, on the thread's shared stack: so no lock
 *     of a library is held, and all registers are the program's.
 *   [interrupt.registers] All registers travel, by copies of the frame that the system makes for
 *       the handler. They have one form on all nodes, or no thread moves by interrupts.
 *   - A program that uses thread-local variables of libraries, as std::call_once does, has no
 *     threads that move by interrupts: they may lie between its two accesses.
 *   - Only threads that compute are interrupted: a call of the system ends early with EINTR.
 */
#ifndef COMPAT_INTERRUPT_H
#define COMPAT_INTERRUPT_H

#include <stdint.h>

/* At the start: the program imports this name. */
void interrupt_look_at(const char *name);
/* On every node, where threads may move. */
void interrupt_start(void);
/* By the thread, when it begins to run an entry on this node; and when it no longer does. */
void interrupt_begin(uint32_t entry, int home);
void interrupt_end(void);
/* Interrupts this node's threads that shall move, and have computed for more than half of the time
 * since the last call, ns. */
void interrupt_busy(int64_t since);

#endif
