/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.h - what a lane gives to others of its tasks, and is given; crew.h has the rules. */
#ifndef COMPAT_EXCHANGE_H
#define COMPAT_EXCHANGE_H

#include "compat/openmp/accounts.h"

/* Before the lane waits for a lock of the program: whether there is something to give back. */
bool exchange_may_give_back(void);
void exchange_give_back(void);

/* Looks for news, whether the wait is over, and who wants tasks; asks for some; rests. */
void exchange_step(struct wait *w);
/* Takes the lane's question back; false: and has been given something. TK2. */
bool exchange_take_back(struct wait *w);
/* Looks for news and for who wants tasks, if it is time. */
void exchange_look(void);

#endif
