/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exact.h - checks that a fault has exact registers.
 *
 * After a fault a thread continues with the registers of its signal context. A tool that
 * translates programs, such as valgrind, may let that context be older than the access that
 * faulted, unless configured otherwise. The program then computes with stale registers.
 *
 *   - No page depends on a fault before a test fault, whose context must have the register that was
 *     written just before the access.
 */
#ifndef HLRC_EXACT_H
#define HLRC_EXACT_H

int exact_check(void); /* 0, or a negative errno after a line with the remedy */

#endif
