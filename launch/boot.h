/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_BOOT_H
#define HLRC_BOOT_H

/*
 * Wire-up of a job: who am I, how many are we, and a way to swap addresses before any network stands.
 *
 * Two back ends.  local: hlrcrun started this process and left a socket in it (HLRC_LAUNCH_FD, HLRC_NODE,
 * HLRC_NODES).  single: nobody did, and this is a job of one node.
 *
 *   1. boot_open() says HELLO.  From then until boot_goodbye() the end of the process is a death, which ends
 *      the whole job.
 *   2. Each message is one packet, so that threads and signal handlers may send at the same time.
 *   3. Only boot_exchange() reads from the socket.
 *   4. The socket is closed on exec, and the three variables are taken out of the environment: a program that
 *      a node starts is no part of the job.
 */

#include <stddef.h>
#include <stdint.h>

struct boot;

struct boot_counters {
    uint64_t faults;   /* page faults so far */
    uint64_t bytes;    /* bytes that came in from other nodes */
    uint64_t barriers; /* barriers passed */
};

enum { BOOT_BLOB_MAX = 1 << 20 };

/* boot_open - 0, or a negative errno after one line to the user.  Not thread-safe: it changes the environment. */
int boot_open(struct boot **out);

int boot_node(const struct boot *boot);
int boot_nodes(const struct boot *boot);

/*
 * boot_exchange - every node gives len bytes and gets those of all, in the order of the nodes, in all[nodes * len].
 * Also a barrier.  len is the same on all nodes, at most BOOT_BLOB_MAX; 0 is allowed (all is not touched then).
 * Collective; one thread of a node at a time.
 * ERRORS: -EINVAL len;  -ECONNRESET the launcher is gone, and with it the job
 */
int boot_exchange(struct boot *boot, const void *mine, size_t len, void *all);

/* boot_goodbye - the node has finalized: its end is no death any more */
void boot_goodbye(struct boot *boot);

/*
 * boot_report - a fatal line for the user.  The launcher prints the first one of the job ("hlrc: node 2: line"),
 * and ends the job with this status.  A single node writes it to standard error.  Safe in a signal handler.
 */
void boot_report(struct boot *boot, int status, const char *line);

/* boot_progress - counters of this node for hlrcrun --progress; dropped when the launcher is busy */
void boot_progress(struct boot *boot, const struct boot_counters *counters);

/* boot_fd - hangs up (POLLHUP, asked for or not) when the launcher is gone; -1 for a single node */
int boot_fd(const struct boot *boot);

/* boot_close - frees; boot_goodbye() comes first, or this is a death */
void boot_close(struct boot *boot);

#endif
