/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cond.h - condition variables: a queue of waiters at a manager, node c mod N.
 *
 * Invariants
 *   C1  A waiter is registered, and knows it by the manager's answer, before its lock is released:
 *       a signal that is sent after a thread took that lock finds it, whatever way the two messages
 *       take.
 *   C2  A signal is a release and waking an acquire: the signal carries the signaller's vector time
 *       to the waiter, who then takes the lock again.
 *   C3  Waiters are woken in the order of registration; a broadcast wakes those registered when it
 *       is served.
 */
#ifndef HLRC_COND_H
#define HLRC_COND_H

struct request;
struct bulk;

int cond_init(void);
void cond_end(void);
/* At the manager; both spin. A waiter is put into its queue, and told so; a signal answers the
 * first. */
void cond_serve_wait(struct request *req);
void cond_serve_signal(int from, const struct bulk *msg);

#endif
