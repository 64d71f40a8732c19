/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tasks.h - counts the runtime's own threads, so that a check whether the process still makes
 * progress can count the program's threads.
 */
#ifndef HLRC_TASKS_H
#define HLRC_TASKS_H

/* Adds `more` threads of the runtime, or of a library that it loaded (negative: they end). Any
 * thread. The count may be wrong for a moment while a thread begins or ends. */
void tasks_own(int more);

/* All threads of this process; -1: the system does not report them. Allocates nothing. */
int tasks_all(void);

/* Threads that are not the runtime's; -1: the system does not report them. */
int tasks_others(void);

#endif
