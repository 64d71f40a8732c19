/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kill.h - pthread_kill: the agent of the thread's node delivers the signal. */
#ifndef COMPAT_KILL_H
#define COMPAT_KILL_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

struct lane;
/* The thread of an entry of this node, whose code runs; NULL: none. */
typedef struct lane *kill_find_lane_fn(uint32_t entry);

/* By an agent, under LOCK_THREADS, which it releases in between. `cancel` gets the entries to which
 * KILL_CANCEL was sent. */
void kill_deliver_sent(int node, kill_find_lane_fn *find, void (*cancel)(uint32_t entry));
/* The same for signals of the process that were offered [claim.offered]. */
void kill_deliver_offered(int node, kill_find_lane_fn *find);
#define KILL_CANCEL 32 /* the C library's: no signal of a program */

/* pthread_kill for another thread; with a value and its code, SI_QUEUE or SI_TIMER. */
struct kill_value {
    int code;
    union sigval value;
};
int kill_send(pthread_t thread, int sig, const struct kill_value *with);
/* Of a timer. */
void kill_send_timer(pthread_t thread, int sig, union sigval value);

#endif
