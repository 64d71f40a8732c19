/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * monitor.h - the base of POSIX thread objects: state in the object's own bytes, in the program's
 * memory, and a queue of threads that wait for it to change. Both are guarded by an HLRC lock that
 * the object's address chooses, its monitor. While node 0 has all threads of the program, a monitor
 * is a word of its process, and is entered as a mutex is acquired [mutex.singly].
 *
 * Invariants
 *   - A thread in a monitor uses no other lock, except that it takes locks of HLRC's heap and
 *     releases a mutex of the program. So objects may share a monitor, and it needs no creation: an
 *     object of zeros can be used at once, by several nodes at a time.
 *   [monitor.here] A thread that waits in a monitor that is a word sleeps until its lane's alarm,
 *     which only threads of its process sound. Until it is awake it counts as one that holds singly
 *     [mutex.singly], and the end of that way wakes all. So other nodes' threads meet none.
 *   - A thread waits on its own record, in shared memory that is never freed. The waker first takes
 *     the record off the queue. So a woken thread does not access the object, which may be gone.
 *   - The monitor decides whether a timed wait was woken or timed out: each wake goes to a thread
 *     that returns 0 for it.
 *   - A thread that gives up leaves the object as if it had never waited. Before it leaves the
 *     monitor its record is off the queue, it is not counted and owns nothing, and threads that
 *     only it blocked are woken.
 */
#ifndef COMPAT_MONITOR_H
#define COMPAT_MONITOR_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct monitor_waiter;

/* All zeros: no waiters. */
struct monitor_queue {
    struct monitor_waiter *first, *last;
};

/* End of a wait; a NULL pointer means no timeout. */
struct monitor_until {
    struct timespec time;
    clockid_t clock;
};

/* All that follow are called on the private stack, unless they say otherwise. */

hlrc_lock_t monitor_of(const void *object);
hlrc_lock_t monitor_enter(const void *object);
void monitor_leave(hlrc_lock_t monitor);

/* A call on an object, made by monitor_call: fn(this) runs in the object's monitor, with a copy of
 * this on the private stack. The program's stack may fault, so it is not accessed in a monitor. */
struct monitor_call {
    int (*fn)(struct monitor_call *c);
    void *object;
    const struct monitor_until *until;
    bool try;       /* do not wait */
    bool ends;      /* a signal ends the wait, with EINTR */
    unsigned tag;   /* for the waker */
    uint64_t value; /* an argument; monitor_call stores fn's */
    const void *other;
    hlrc_lock_t monitor;
    int rc;
};
/* fn's result. On either stack. */
int monitor_call(struct monitor_call *c);
/* monitor_queue_wait by fn. */
int monitor_call_wait(const struct monitor_call *c, struct monitor_queue *q);

/* Enters the queue and waits, in its monitor. Returns in the monitor: 0 if woken, or ETIMEDOUT.
 * After it was left the thread calls catcher_unblock. Handlers run during the wait, out of the
 * monitor [catcher.handles].
 * `tag` is for the waker. monitor_queue_await is the second half, after monitor_queue_enter. */
int monitor_queue_wait(struct monitor_queue *q, hlrc_lock_t monitor, unsigned tag,
                       const struct monitor_until *until);
struct monitor_waiter *monitor_queue_enter(struct monitor_queue *q, unsigned tag);
int monitor_queue_await(struct monitor_queue *q, struct monitor_waiter *w, hlrc_lock_t monitor,
                        const struct monitor_until *until);

/* Wakes the longest waiter, which must exist; wakes all. In the monitor. */
void monitor_queue_wake(struct monitor_queue *q);
void monitor_queue_wake_all(struct monitor_queue *q);
unsigned monitor_queue_tag(const struct monitor_queue *q); /* of the longest waiter */

/* Sleeps: longer from call to call, from *ns = 0, but not beyond `until`. False: that time has
 * come. On either stack. */
bool monitor_nap(long *ns, const struct monitor_until *until);
bool monitor_until_valid(const struct timespec *time, clockid_t clock);

#endif
