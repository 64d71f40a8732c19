/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gather.h - placement control: whether the team's threads run on all nodes ("spread"), on some, or
 * all on node 0 ("gathered").
 *
 * On one node pages are not shared between nodes: they become writable once, nothing is flushed or
 * fetched, barriers and locks are local. If all nodes are on one host, the program is one process
 * from the start (hlrc/unite.h). On several hosts a program begins gathered, and is measured both
 * ways (hlrc/policy/policy_threads.h). With --placement-control alternate, for tests, regions run
 * in all ways by turns.
 *
 * start_span says where: the threads of that number of consecutive nodes run on the first of them,
 * their host. A host has a guest for each thread of another node: a thread with the same index, so
 * with the same addresses of stacks and thread-local variables (lane.h). Threads of the team change
 * between their node and their guest only between regions, where no frame of the program is on
 * their stacks; what remains are their thread-local variables, which are copied.
 *
 *              gather: variables to the hosts              spread: variables back
 *    span 1 -----------------------------------> span n --------------------------> span 1
 *    guests wait at the gate                      threads that have guests run no program
 *
 * Where the span is less than all nodes, these threads take part in all collectives, so that their
 * nodes learn what others have written, and do nothing in regions. Programs with tasks are spread
 * or gathered.
 *
 * Invariants
 *   - Either a thread runs the program or its guest does. So no two threads run on one shared
 *     stack, and the variables have one current copy.
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

/* On every node, after the team's plan is known. `between`: some of the nodes are a choice. */
void gather_begin(int lanes, bool between);

/* The span for the region that begins, of this code. On node 0, by thread 0. */
int gather_choose_span(const void *code);
/* Called by one thread of each node: from now on the team has `threads` on this node, and further
 * ones on other nodes if `nodes`. */
void gather_run_here(int threads, bool nodes);
/* The same for this span, which is start_span from now on. On a host: starts guests that are not
 * there, which take their variables and run `body`. On the private stack. */
void gather_enter(int span, gather_body *body);
/* No guest runs the program, or will before gather_enter. */
void gather_leave(void);
/* Is the calling thread one? */
bool gather_is_guest(void);
/* Another thread, after a move from this span: takes the variables of its guest if it had one. */
void gather_come_back(int span);
/* Ends the guests, which have returned from the body. On every node. */
void gather_end(void);
void gather_report(void); /* the line of --stats */

#endif
