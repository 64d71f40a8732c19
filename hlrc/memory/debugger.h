/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debugger.h - what a debugger may want to know of SIGSEGV. The functions do nothing:
 * share/hlrc.gdb has breakpoints in them.
 *
 *   DB1  They are exported, unlike all else that is not in hlrc.h, so that they are found in a
 *        library that was stripped. No program calls them.
 *   DB2  From hlrc_debug_faults_begin() to hlrc_debug_faults_end() a SIGSEGV is how a page is
 *        fetched, unless hlrc_debug_fault_foreign() is called within its handler, by the thread
 *        that faulted.
 */
#ifndef HLRC_DEBUGGER_H
#define HLRC_DEBUGGER_H

void hlrc_debug_faults_begin(void);
void hlrc_debug_faults_end(void);
void hlrc_debug_fault_foreign(void);

#endif
