/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.h - sending tasks to other threads and receiving theirs; crew.h has the rules. */
#ifndef COMPAT_EXCHANGE_H
#define COMPAT_EXCHANGE_H

#include "compat/openmp/accounts.h"

/* Before the thread waits for a lock of the program: are there received tasks to return? */
bool exchange_may_give_back(void);
void exchange_give_back(void);

/* One step of a wait: reads mail, tests for the end of the wait, serves and sends steal requests,
 * backs off. */
void exchange_step(struct wait *w);
/* Withdraws the thread's steal request. False: it was claimed, and tasks have arrived. TK2. */
bool exchange_take_back(struct wait *w);
/* Reads mail and serves steal requests, if it is time. */
void exchange_look(void);

#endif
