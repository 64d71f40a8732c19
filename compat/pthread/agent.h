/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * agent.h - each node's agent: a thread that starts the entries in the node's mailbox and delivers
 * signals to its threads. On node 0 it is an extra thread, on all others the compute thread that
 * runs main on node 0.
 */
#ifndef COMPAT_AGENT_H
#define COMPAT_AGENT_H

#include <stdint.h>

#include "compat/pthread/table.h"

struct lane;

/* On every node, after table_begin. `body`: what a thread runs, with its entry as argument.
 * `per_node`: threads of this node at once. Node 0's agent starts. */
void agent_begin(void *(*body)(void *entry), uint32_t per_node);
void agent_has_main(struct lane *lane); /* of node 0 */

/* Until the end; on other nodes than 0. */
void agent_serve(void);
/* Waits for the end of node 0's agent. */
void agent_end(void);

/* Requests it of all agents; FLUSH: and waits until they have done so. By the node that ends the
 * job. */
void agent_close(enum table_closing how);

#endif
