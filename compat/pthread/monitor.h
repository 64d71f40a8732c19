/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * monitor.h - what the objects of POSIX threads are made of: state in the object's own bytes, in
 * the program's memory, and a queue of threads that wait for it to change, both guarded by a lock
 * of HLRC that the object's address chooses, its monitor.
 *
 * Invariants
 *   MN1  Who is in a monitor takes no other lock but those of HLRC's heap and, to let go of it, a
 *        mutex of the program's. So objects may share a monitor, and it needs no creation: an
 *        object that begins as zeros can be used at once, by several nodes at a time.
 *   MN2  A thread waits by a record of its own, which is in shared memory for ever. Who wakes it
 *        takes the record off the queue first. So a thread that was woken touches the object no
 *        more: it may be gone.
 *   MN3  Whether a thread that waits until some time was woken, or is taken off the queue since its
 *        time is up, is decided in the monitor: each wake goes to one that returns 0 for it.
 *   MN4  A thread that gives up leaves the object as if it had never waited. Its record is off the
 *        queue, it is not counted any more and owns nothing, and threads that only it held up are
 *        woken before it leaves the monitor.
 */
#ifndef COMPAT_MONITOR_H
#define COMPAT_MONITOR_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct waiter;

/* All zeros: nobody waits. */
struct queue {
    struct waiter *first, *last;
};

/* A time to wait for: NULL is for ever. */
struct until {
    struct timespec time;
    clockid_t clock;
};

/* What follows is on the private stack. */

hlrc_lock_t monitor_of(const void *object);
hlrc_lock_t monitor_enter(const void *object);
void monitor_leave(hlrc_lock_t monitor);

/* Waits in a queue, in its monitor: enters, and returns in it when it was woken (0), or in vain
 * (ETIMEDOUT). `tag` is for those who wake. The second half alone: queue_enter came before. */
int queue_wait(struct queue *q, hlrc_lock_t monitor, unsigned tag, const struct until *until);
struct waiter *queue_enter(struct queue *q, unsigned tag);
int queue_await(struct queue *q, struct waiter *w, hlrc_lock_t monitor, const struct until *until);

/* Wakes the one that has waited longest, which there must be; all. In the monitor. */
void queue_wake(struct queue *q);
void queue_wake_all(struct queue *q);
unsigned queue_tag(const struct queue *q); /* of that one */

/* Sleeps a while: longer from call to call, from *ns = 0, but not beyond `until`. False: that has
 * come. Anywhere. */
bool nap(long *ns, const struct until *until);
bool until_valid(const struct timespec *time, clockid_t clock);

#endif
