/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cond.h - condition variables: a queue of waiters at a manager, node c mod N.
 *
 * Invariants
 *   C1  A waiter's registration is in the manager's receive queue before its lock is released. A signal sent after
 *       somebody took that lock comes behind it.
 *   C2  A signal is a release and waking an acquire: the signal carries the signaller's vector time to the waiter, who
 *       then takes the lock again.
 *   C3  Waiters are woken in the order of registration; a broadcast wakes those registered when it is served.
 */
#ifndef HLRC_COND_H
#define HLRC_COND_H

struct request;
struct bulk;

int cond_init(void);
void cond_end(void);
void cond_serve_wait(struct request *req);
void cond_serve_signal(const struct bulk *msg);

#endif
