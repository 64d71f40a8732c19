/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debugger.h - hooks for a debugger that wants to know about SIGSEGV. The functions do nothing:
 * share/hlrc.gdb has breakpoints in them.
 *
 *   - They are exported, unlike everything else that is not in hlrc.h, so that a debugger finds
 *     them in a stripped library. No program calls them.
 *   - From hlrc_debug_faults_begin() to hlrc_debug_faults_end() a SIGSEGV is how a page is fetched,
 *     unless hlrc_debug_fault_foreign() is called within its handler, by the thread that faulted.
 */
#ifndef HLRC_DEBUGGER_H
#define HLRC_DEBUGGER_H

void hlrc_debug_faults_begin(void);
void hlrc_debug_faults_end(void);
void hlrc_debug_fault_foreign(void);

#endif
