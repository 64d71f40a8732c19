/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * early.h - what a process of several nodes does before its libraries are initialised. It executes
 * itself again without address space randomisation, or loads its libraries again (reload.h), then
 * leaves the system only this node's addresses for private memory ([addresses.reserved],
 * base/addresses.h).
 *
 * hlrcc links begin.o into the program, whose .preinit_array calls hlrc_begin. Constructors of
 * libraries, and their first malloc, run later.
 */
#ifndef COMPAT_EARLY_H
#define COMPAT_EARLY_H

#include <stdbool.h>

void hlrc_begin(int argc, char **argv, char **envp);

/* Number of nodes of the job according to the environment; hlrc_init knows it later. */
int early_nodes(void);

/* A rank of an MPI program, whose ranks all run main: each is a separate job. hlrcrun in the
 * place of the program gives each rank several nodes. */
bool early_is_rank(void);

/* Ends the process with one line if hlrc_begin assumed another node number. */
void early_check_node(int node);

/* The positive number in an environment variable; 0: not set, or not such a number. */
int early_number(const char *variable);

/* The option by which the user observes HLRC, "--check" for example; NULL: none. */
const char *early_observer(void);

#define EARLY_HOSTS "they are on several hosts"
/* Why the program runs on all nodes, for messages; NULL: all nodes are on one host, so it runs as
 * one process (hlrc/unite.h). By variables that are equal on all nodes; before hlrc_init. */
const char *early_obstacle(void);

/* The program begins on node 0, and is measured on all nodes later (hlrc/policy/policy_threads.h).
 * ASSUMPTION: there are several nodes, and an obstacle. */
bool early_measures(const char *obstacle);

/* Of a processor on which addresses are not divided between nodes (base/addresses.h). */
#define EARLY_ONLY "programs of hlrcc run on several nodes only on x86-64"
/* Why a program that would be measured is one process instead, on the host of node 0, for messages;
 * NULL: it is measured. It is to be saved, or was (hlrc/checkpoint/checkpoint_process.h), or
 * EARLY_ONLY. ASSUMPTION: as above. */
const char *early_is_one(const char *obstacle);

/* Threads of each node, --threads-per-node. Writes what auto stands for into the environment, where
 * hlrc_init compares it with other nodes. */
int early_threads(int nodes);
/* The same for a program that runs as one process instead of `nodes`. */
int early_threads_united(int nodes);

#endif
