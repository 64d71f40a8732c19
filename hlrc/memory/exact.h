/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exact.h - whether a fault finds the registers as they were.
 *
 * A thread goes on behind a fault with the registers that its signal context had. A tool that runs
 * programs as code of its own making, such as valgrind, may let that context be older than the
 * access that faulted, unless it is told not to; the program then computes with stale registers.
 *
 *   RX1  No page depends on a fault before one was tried, whose context had the register that was
 *        written just before the access.
 */
#ifndef HLRC_EXACT_H
#define HLRC_EXACT_H

int exact_check(void); /* 0, or a negative errno after a line that says what to do */

#endif
