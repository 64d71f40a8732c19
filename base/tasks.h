/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tasks.h - which threads of this process are the runtime's own: who asks whether a process can go
 * on has to know of every other one.
 */
#ifndef HLRC_TASKS_H
#define HLRC_TASKS_H

/* So many threads of the runtime, or of a library that it loaded, have begun (or ended: negative).
 * Any thread; one that begins or ends is for a moment not what is counted. */
void tasks_own(int more);

/* How many threads this process has, all of them; -1: the system does not tell. Allocates
 * nothing. */
int tasks_all(void);

/* Those that are not the runtime's own; -1: the system does not tell. */
int tasks_others(void);

#endif
