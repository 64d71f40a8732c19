/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * balance.h - placement control for POSIX threads: do they run on all nodes, each at home
 * ("spread"), on some, or all on node 0 ("gathered")?
 *
 * On several hosts a program begins gathered. A controller of node 0 measures what the threads
 * compute, spreads them for a trial, and lets them stay where more is computed
 * (hlrc/policy/policy_threads.h). The threads move when they next wait (move.h), or by interrupts
 * (interrupt.h); new ones begin where they shall be. With --placement-control off all are spread
 * from the beginning; with alternate, for tests, they go round the nodes.
 *
 * Invariants
 *   - The decision is a word of the table, changed by the controller under LOCK_THREADS, which each
 *     agent heeds. It is a wish: threads that cannot move stay where they are.
 */
#ifndef COMPAT_BALANCE_H
#define COMPAT_BALANCE_H

/* On every node, after the table is there, before the agents. */
void balance_begin(void);
/* By an agent, under LOCK_THREADS. */
void balance_heed(void);
/* By each node: no thread runs the program any more. */
void balance_end(void);
/* The line of --stats. By the node that ends the job. */
void balance_report(void);

#endif
