/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * early.h - what a process of several nodes does before any library in it is initialised: it
 * executes itself again without address space randomisation, and then leaves the system only
 * addresses of its own node for private memory (base/addresses.h AD2, AD5).
 *
 * hlrcc links begin.o into the program, whose .preinit_array calls hlrc_begin. Constructors of
 * libraries come later, and so does their first malloc.
 */
#ifndef COMPAT_EARLY_H
#define COMPAT_EARLY_H

void hlrc_begin(int argc, char **argv, char **envp);

/* How many nodes the job has, as far as the environment says; hlrc_init will know. */
int early_nodes(void);

/* Ends the process with one line if this node is not what hlrc_begin took it for. */
void early_check_node(int node);

/* A positive number in a variable of the environment; 0: there is none, or it is no such number. */
int early_number(const char *variable);

#endif
