/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* monitor.c - see monitor.h for the invariants. */
#include "compat/pthread/monitor.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "base/futex.h"
#include "compat/openmp/lock_word.h"
#include "compat/process/catcher.h"
#include "compat/pthread/cancel.h"
#include "compat/pthread/mutex_word.h"
#include "compat/pthread/object_lock.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"
#include "hlrc/progress/uncounted.h"

#define LINE         64u
#define NAP_FIRST_NS 20000L
#define NAP_MOST_NS  1000000L
#define SECOND_NS    1000000000L
#define KEPT_MOST    1024u

/* In shared memory; used by one thread at a time. Guarded by the monitor of the queue that it is
 * in. */
struct monitor_waiter {
    struct monitor_waiter *next;
    hlrc_cond_t cond;
    _Atomic uint32_t woken;
    uint32_t tag;
    bool polls; /* it looks itself; otherwise it sleeps */
    bool ends;  /* a signal ends the wait */
    struct lane
        *here; /* by the alarm of its lane [monitor.here]; NULL: by the condition variable */
};

static _Thread_local struct monitor_waiter *mine;

/* Records of ended threads, reused by new threads of this node. */
static struct monitor_waiter *kept[KEPT_MOST];
static unsigned kept_count;
static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t exit_key;

static void monitor_keep(void *w)
{
    mine = NULL;
    pthread_mutex_lock(&kept_mutex);
    if (kept_count < KEPT_MOST)
        kept[kept_count++] = w;
    pthread_mutex_unlock(&kept_mutex);
}

static struct monitor_waiter *monitor_make(void)
{
    struct monitor_waiter *w = hlrc_aligned_alloc(LINE, LINE);
    if (!w || hlrc_cond_create(&w->cond) != 0)
        start_fail("no shared memory for a thread that waits; raise --memory");
    return w;
}

static struct monitor_waiter *monitor_own(void)
{
    static _Thread_local struct monitor_waiter in_child;
    if (start_is_child)
        return &in_child;
    if (mine)
        return mine;
    pthread_mutex_lock(&kept_mutex);
    if (kept_count)
        mine = kept[--kept_count];
    pthread_mutex_unlock(&kept_mutex);
    if (!mine)
        mine = monitor_make();
    (void)pthread_setspecific(exit_key, mine);
    return mine;
}

static void monitor_call_waiter(struct lane *lane);

__attribute__((constructor)) static void monitor_at_start(void)
{
    if (pthread_key_create(&exit_key, monitor_keep) != 0)
        start_fail("no pthread key for threads that end");
    catcher_wake = monitor_call_waiter;
}

/* ---- monitors ---- */

#define OUTSIDE (-1)
static _Atomic uint32_t words[LOCK_MONITORS_COUNT];
/* Of the calling thread, which is in one at most: how it has entered (mutex_word.h). */
static _Thread_local int entered = OUTSIDE;
static _Thread_local hlrc_lock_t inside; /* which one */
/* To be woken when the calling thread leaves; NULL: none. */
static _Thread_local struct lane *late;

static _Atomic uint32_t *monitor_word_of(hlrc_lock_t monitor)
{
    return &words[monitor - LOCK_MONITORS];
}

/* The word before the lock: a thread that has only the word acquires the lock for a moment in
 * monitor_signal. */
static void monitor_take(hlrc_lock_t monitor)
{
    enum mutex_word_kind way = start_is_child ? BY_LOCK : mutex_word_ask();
    if (way != BY_LOCK && !lock_word_try(monitor_word_of(monitor)))
        lock_word_await(monitor_word_of(monitor), false);
    if (way != BY_WORD)
        object_lock_take(monitor);
    else
        mutex_word_count();
    entered = (int)way;
    inside = monitor;
}

static void monitor_wake_lane(struct lane *l)
{
    atomic_store(&l->alarm, 1);
    futex_wake(&l->alarm, 1);
}

static void monitor_drop(hlrc_lock_t monitor)
{
    enum mutex_word_kind way = (enum mutex_word_kind)entered;
    entered = OUTSIDE;
    if (way != BY_WORD)
        object_lock_drop(monitor);
    if (way != BY_LOCK)
        lock_word_drop(monitor_word_of(monitor));
    if (!start_is_child)
        mutex_word_forget(way);
    if (late)
        monitor_wake_lane(late);
    late = NULL;
}

hlrc_lock_t monitor_of(const void *object)
{
    uint64_t hash = ((uintptr_t)object >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return LOCK_MONITORS + (hlrc_lock_t)((hash >> 33) % LOCK_MONITORS_COUNT);
}

hlrc_lock_t monitor_enter(const void *object)
{
    hlrc_lock_t monitor = monitor_of(object);
    monitor_take(monitor);
    return monitor;
}

void monitor_leave(hlrc_lock_t monitor)
{
    monitor_drop(monitor);
}

static void monitor_call_now(void *arg)
{
    struct monitor_call *out = arg, c = *out;
    struct monitor_until until;
    if (c.until) {
        until = *c.until;
        c.until = &until;
    }
    catcher_block();
    c.monitor = monitor_enter(c.object);
    int rc = c.fn(&c);
    monitor_leave(c.monitor);
    out->value = c.value;
    out->rc = rc;
}

int monitor_call(struct monitor_call *c)
{
    int error = errno;
    lane_call(monitor_call_now, c);
    catcher_unblock();
    errno = error;
    return c->rc;
}

/* ---- time ---- */

bool monitor_until_valid(const struct timespec *time, clockid_t clock)
{
    return time->tv_nsec >= 0 && time->tv_nsec < SECOND_NS &&
           (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
}

/* Nanoseconds left, at most NAP_MOST_NS. */
static long monitor_left(const struct monitor_until *until)
{
    struct timespec now;
    clock_gettime(until->clock, &now);
    if (until->time.tv_sec > now.tv_sec + 2)
        return NAP_MOST_NS;
    if (until->time.tv_sec < now.tv_sec)
        return 0;
    long ns = (until->time.tv_sec - now.tv_sec) * SECOND_NS + until->time.tv_nsec - now.tv_nsec;
    return ns < 0 ? 0 : ns < NAP_MOST_NS ? ns : NAP_MOST_NS;
}

bool monitor_nap(long *ns, const struct monitor_until *until)
{
    static _Thread_local struct timespec t;
    long most = until ? monitor_left(until) : NAP_MOST_NS;
    if (most == 0)
        return false;
    *ns = *ns == 0 ? NAP_FIRST_NS : 2 * *ns;
    if (*ns > NAP_MOST_NS)
        *ns = NAP_MOST_NS;
    t = (struct timespec){ .tv_nsec = *ns < most ? *ns : most };
    (void)nanosleep(&t, NULL);
    return true;
}

/* ---- queues ---- */

struct monitor_waiter *monitor_queue_enter(struct monitor_queue *q, unsigned tag)
{
    struct monitor_waiter *w = monitor_own();
    w->next = NULL;
    w->woken = 0;
    w->tag = tag;
    w->polls = w->ends = false;
    w->here = NULL;
    if (q->last)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
    return w;
}

static void monitor_unlink_waiter(struct monitor_queue *q, const struct monitor_waiter *w)
{
    struct monitor_waiter *before = NULL, *at = q->first;
    while (at != w) {
        before = at;
        at = at->next;
    }
    if (before)
        before->next = w->next;
    else
        q->first = w->next;
    if (q->last == w)
        q->last = before;
}

/* `monitor` may be a lock of HLRC that the thread holds outside of monitors. */
static bool monitor_let_go(hlrc_lock_t monitor)
{
    bool outside = entered == OUTSIDE;
    if (outside)
        object_lock_drop(monitor);
    else
        monitor_drop(monitor);
    return outside;
}

static void monitor_return(hlrc_lock_t monitor, bool outside)
{
    if (outside)
        object_lock_take(monitor);
    else
        monitor_take(monitor);
}

/* [catcher.handles] Its record stays in the queue, and a handler that waits uses another. If a
 * signal ends the wait, the handler runs when the thread has left the monitor. */
static int monitor_serve(struct monitor_queue *q, struct monitor_waiter *w, hlrc_lock_t monitor)
{
    if (w->ends) {
        monitor_unlink_waiter(q, w);
        return EINTR;
    }
    mine = NULL;
    bool outside = monitor_let_go(monitor);
    catcher_handle();
    monitor_return(monitor, outside);
    if (mine)
        monitor_keep(mine);
    mine = w;
    (void)pthread_setspecific(exit_key, w);
    return 0;
}

/* HLRC's condition wait has no timeout, so this polls. `until` may be NULL. */
static int monitor_await_until(struct monitor_queue *q, struct monitor_waiter *w,
                               hlrc_lock_t monitor, const struct monitor_until *until, bool catches)
{
    struct monitor_until copy = until ? *until : (struct monitor_until){ .clock = CLOCK_REALTIME };
    bool more = true;
    w->polls = true;
    for (long ns = 0; !w->woken;) {
        if (!more || cancel_ends_wait()) {
            monitor_unlink_waiter(q, w);
            return more ? ECANCELED : ETIMEDOUT;
        }
        if (catches && catcher_is_called() && monitor_serve(q, w, monitor) != 0)
            return EINTR;
        if (w->woken)
            break;
        bool outside = monitor_let_go(monitor);
        more = monitor_nap(&ns, until ? &copy : NULL);
        monitor_return(monitor, outside);
    }
    return 0;
}

static void monitor_sleep_in_child(struct monitor_waiter *w, hlrc_lock_t monitor)
{
    bool outside = monitor_let_go(monitor);
    futex_wait(&w->woken, 0, -1);
    monitor_return(monitor, outside);
}

/* [monitor.here] Counted as a holder of the word until it is awake. */
static void monitor_sleep_here(struct monitor_waiter *w, hlrc_lock_t monitor)
{
    struct lane *l = lane_current;
    atomic_store(&l->alarm, 0);
    w->here = l;
    entered = OUTSIDE;
    lock_word_drop(monitor_word_of(monitor));
    if (mutex_word_is_only_way()) /* otherwise the alarm may have been before */
        hlrc_thread_wait(&l->alarm, 0);
    mutex_word_forget(BY_WORD);
    monitor_take(monitor);
    w->here = NULL;
}

/* The way into monitors may change. Until this thread is in the condition variable's queue it holds
 * the lock, which a thread that wakes it acquires. */
static void monitor_sleep_by_lock(const struct monitor_waiter *w, hlrc_lock_t monitor)
{
    enum mutex_word_kind way = (enum mutex_word_kind)entered;
    entered = OUTSIDE;
    if (way == BY_BOTH)
        lock_word_drop(monitor_word_of(monitor));
    mutex_word_forget(way);
    hlrc_cond_wait(w->cond, monitor);
    object_lock_drop(monitor);
    monitor_take(monitor);
}

static void monitor_sleep(struct monitor_waiter *w, hlrc_lock_t monitor)
{
    if (start_is_child)
        monitor_sleep_in_child(w, monitor);
    else if (entered == OUTSIDE || !mutex_word_used)
        hlrc_cond_wait(w->cond, monitor);
    else if (entered == BY_WORD)
        monitor_sleep_here(w, monitor);
    else
        monitor_sleep_by_lock(w, monitor);
}

int monitor_queue_await(struct monitor_queue *q, struct monitor_waiter *w, hlrc_lock_t monitor,
                        const struct monitor_until *until)
{
    int rc = 0;
    bool catches = catcher_wait_begin(w, monitor);
    if (until || cancel_may_end_wait())
        rc = monitor_await_until(q, w, monitor, until, catches);
    while (rc == 0 && !w->woken) {
        if (catches && catcher_is_called())
            rc = monitor_serve(q, w, monitor);
        else
            monitor_sleep(w, monitor);
    }
    if (catches)
        catcher_wait_end();
    return rc;
}

int monitor_queue_wait(struct monitor_queue *q, hlrc_lock_t monitor, unsigned tag,
                       const struct monitor_until *until)
{
    return monitor_queue_await(q, monitor_queue_enter(q, tag), monitor, until);
}

int monitor_call_wait(const struct monitor_call *c, struct monitor_queue *q)
{
    struct monitor_waiter *w = monitor_queue_enter(q, c->tag);
    w->ends = c->ends;
    return monitor_queue_await(q, w, c->monitor, c->until);
}

/* The thread that sleeps is in the monitor of the calling one. */
static void monitor_signal(const struct monitor_waiter *w)
{
    if (entered == BY_WORD) {
        object_lock_take(inside);
        hlrc_cond_signal(w->cond);
        object_lock_drop(inside);
    } else {
        hlrc_cond_signal(w->cond);
    }
}

static void monitor_wake_here(struct lane *l)
{
    if (late)
        monitor_wake_lane(late);
    late = l;
}

/* catcher_wake: it looks whether it is called. */
static void monitor_call_waiter(struct lane *lane)
{
    struct monitor_waiter *w = atomic_load(&lane->waiter);
    hlrc_lock_t lock = lane->waits_under;
    bool outside = lock < LOCK_MONITORS || lock >= LOCK_MONITORS + LOCK_MONITORS_COUNT;
    if (!w)
        return;
    monitor_return(lock, outside);
    if (atomic_load(&lane->waiter) != w || lane->waits_under != lock)
        ;
    else if (w->here)
        monitor_wake_here(w->here);
    else if (!w->polls)
        monitor_signal(w);
    (void)monitor_let_go(lock);
}

void monitor_queue_wake(struct monitor_queue *q)
{
    struct monitor_waiter *w = q->first;
    q->first = w->next;
    if (!q->first)
        q->last = NULL;
    struct lane *here = w->here;
    bool polls = w->polls;
    w->woken = 1;
    if (start_is_child)
        futex_wake(&w->woken, 1);
    else if (here)
        monitor_wake_here(here);
    else if (!polls)
        monitor_signal(w);
}

void monitor_queue_wake_all(struct monitor_queue *q)
{
    while (q->first)
        monitor_queue_wake(q);
}

unsigned monitor_queue_tag(const struct monitor_queue *q)
{
    return q->first->tag;
}
