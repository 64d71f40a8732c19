/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_DEBUGGER_H
#define HLRC_DEBUGGER_H

/*
 * hlrcrun --gdb: gdb for one node, or for all.
 *
 * For one node, hlrcrun starts gdb, which starts the node and has the terminal. For all, each node
 * waits before it executes the program. gdb attaches to it in a pane of tmux if hlrcrun runs there,
 * otherwise by a command that hlrcrun prints.
 */

#include <stddef.h>

#define DEBUGGER_PANES 16 /* nodes that have panes, at most */

struct job;

/* The gdb script for faults of shared memory: installed beside hlrcrun, in the build folder, or
 * where configure put it. /dev/null if absent. */
const char *debugger_script(char *path, size_t len);
void debugger_child_wait(void);        /* a node, until gdb has attached and continues it */
void debugger_attach(struct job *job); /* after the nodes have been released */

#endif
