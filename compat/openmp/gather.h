/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gather.h - placement control: whether the team's threads run on all nodes ("spread") or all on
 * node 0 ("gathered").
 *
 * On one node pages are not shared between nodes: they become writable once, nothing is flushed or
 * fetched, barriers and locks are local. If all nodes are on one host, the program is one process
 * from the start (hlrc/unite.h). On several hosts a program begins gathered, and is measured both
 * ways (hlrc/policy/policy_threads.h). With --placement-control alternate, for tests, regions run
 * in both ways by turns.
 *
 * Node 0 has a guest for each thread of another node: a thread with the same index, so with the
 * same addresses of stacks and thread-local variables (lane.h). Threads of the team change between
 * their node and their guest only between regions, where no frame of the program is on their
 * stacks; what remains are their thread-local variables, which are copied.
 *
 *              gather: variables to node 0              spread: variables back
 *    spread --------------------------------> gathered ------------------------> spread
 *    guests wait at the gate                   threads of other nodes wait for a fork
 *
 * Invariants
 *   - Guests run only while gathered, the threads of other nodes only while spread. So no two
 *     threads run on one shared stack, and the variables have one current copy.
 *   - While gathered no node but node 0 runs the program: what it writes need not be published
 *     until the next fork of all nodes.
 *   [gather.lock-kept] Gathered, a lock is a word; spread, an HLRC lock (locks.h). The choice does
 *     not change while thread 0 holds a lock. A lock that a task of another thread sets is unset
 *     before its region ends. The same holds for POSIX mutexes, of which [mutex.singly] says when
 *     they change.
 */
#ifndef COMPAT_GATHER_H
#define COMPAT_GATHER_H

#include <stdbool.h>

/* What a guest runs each time that the gate opens. */
struct lane;
typedef void gather_body(struct lane *lane);

/* Set by the floor of POSIX threads. On node 0, between regions: POSIX mutexes shall be words, or
 * not. Returns whether they are, since thread 0 holds none. */
extern bool (*gather_mutexes)(bool words) __attribute__((visibility("hidden")));

/* On every node, after the team's plan is known. */
void gather_begin(int lanes);

/* On node 0, by thread 0, on its private stack. */
/* Than spread, for the region that begins, of this code? */
bool gather_is_better(const void *code);
/* Called by one thread of each node: from now on the team has `threads` on this node, and further
 * ones on other nodes if `nodes`. */
void gather_run_here(int threads, bool nodes);
/* Starts the guests if they are not there, gives them the variables, lets them run `body`. */
void gather_enter(gather_body *body);
/* No guest runs the program, or will before gather_enter: the threads of other nodes get the
 * variables. */
void gather_leave(void);
void gather_end(void); /* ends the guests, which have returned from the body; the line of --stats */

/* By a thread of another node, after a fork that follows gather_leave. */
void gather_come_back(void);

#endif
