/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mutex.c - see mutex.h for the invariants; also spin locks. */
#include "compat/pthread/mutex.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "compat/openmp/lock_word.h"
#include "compat/process/catcher.h"
#include "compat/pthread/monitor.h"
#include "compat/pthread/move.h"
#include "compat/pthread/mutex_word.h"
#include "compat/pthread/object_lock.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "hlrc/sync/lock_soon.h"

/* In the bytes of a pthread_mutex_t. `kind` is where static initialisers store it. */
struct mutex {
    uint32_t handle; /* of the lock, plus 1 */
    uint32_t check;
    uint32_t robust;
    uint32_t owner_state; /* of a robust one; changed by its owner */
    int32_t kind;         /* a POSIX type, or GONE */
    _Atomic uint32_t word;
    uint32_t both; /* its holder has the word and the lock */
};
enum { OWNER_LIVES, OWNER_DIED /* not consistent again */, OWNER_LOST };
#define GONE (-1)
static_assert(sizeof(struct mutex) <= sizeof(pthread_mutex_t),
              "it fits into the type of the C library");
static_assert(offsetof(struct mutex, kind) == offsetof(pthread_mutex_t, __data.__kind),
              "static initialisers");

static struct mutex *mutex_inside(pthread_mutex_t *m)
{
    return (struct mutex *)(void *)m;
}

static uint32_t mutex_salt(const struct mutex *m)
{
    return (uint32_t)(((uintptr_t)m >> 3) * 2654435761u) | 0x80808080u;
}

static uint32_t mutex_handle_of(const struct mutex *m)
{
    uint32_t handle = __atomic_load_n(&m->handle, __ATOMIC_RELAXED);
    return (handle ^ mutex_salt(m)) == __atomic_load_n(&m->check, __ATOMIC_RELAXED) ? handle : 0;
}

static int mutex_give_lock(struct mutex *m)
{
    hlrc_lock_t lock;
    if (object_lock_create(&lock) != 0)
        return EAGAIN;
    m->handle = lock + 1;
    m->check = m->handle ^ mutex_salt(m);
    return 0;
}

static int mutex_find(struct monitor_call *c)
{
    struct mutex *m = c->object;
    int error = mutex_handle_of(m) ? 0 : mutex_give_lock(m);
    c->value = mutex_handle_of(m);
    return error;
}

/* The lock of a mutex, created if there is none; *error if that is impossible. On either stack. */
static hlrc_lock_t mutex_lock_of(pthread_mutex_t *mutex, int *error)
{
    struct mutex *m = mutex_inside(mutex);
    struct monitor_call c = { .fn = mutex_find, .object = m, .value = mutex_handle_of(m) };
    *error = m->kind == GONE ? EINVAL : 0;
    if (*error == 0 && !c.value)
        *error = monitor_call(&c);
    return (hlrc_lock_t)c.value - 1;
}

/* ---- mutexes that this thread holds ---- */

struct mutex_held {
    struct mutex *mutex;
    unsigned count;
};

static _Thread_local struct mutex_held *held;
static _Thread_local size_t held_count, held_room;
static pthread_key_t exit_key;

static struct mutex_held *mutex_held_find(const struct mutex *m)
{
    for (size_t i = held_count; i > 0; i--)
        if (held[i - 1].mutex == m)
            return &held[i - 1];
    return NULL;
}

static void mutex_held_add(struct mutex *m)
{
    if (held_count == held_room) {
        size_t room = held_room ? 2 * held_room : 16;
        struct mutex_held *more = realloc(held, room * sizeof *more);
        if (!more)
            start_fail("no memory for the %zu mutexes that a thread holds", room);
        held = more;
        held_room = room;
        (void)pthread_setspecific(exit_key, more);
    }
    held[held_count++] = (struct mutex_held){ m, 1 };
}

static void mutex_held_drop(struct mutex_held *h)
{
    *h = held[--held_count];
}

static void mutex_held_end(void *arg)
{
    free(arg);
    held = NULL;
    held_count = held_room = 0;
}

__attribute__((constructor)) static void mutex_at_start(void)
{
    if (pthread_key_create(&exit_key, mutex_held_end) != 0)
        start_fail("no pthread key for threads that end");
}

/* The thread knows that it holds the mutex. */
static bool mutex_knows(const struct mutex *m)
{
    return m->kind == PTHREAD_MUTEX_RECURSIVE || m->kind == PTHREAD_MUTEX_ERRORCHECK || m->robust;
}

/* It may be acquired by its word. */
static bool mutex_has_ways(const struct mutex *m)
{
    return mutex_word_used && m->kind != GONE && !m->robust;
}

/* A thread of this node holds it by its word, singly or not. */
static bool mutex_has_word(struct mutex *m)
{
    return mutex_has_ways(m) && atomic_load(&m->word) > LOCK_WORD_FREE;
}

void mutex_abandon_held(void)
{
    for (size_t i = 0; i < held_count; i++)
        if (held[i].mutex->robust) {
            held[i].mutex->owner_state = OWNER_DIED;
            object_lock_drop((hlrc_lock_t)mutex_handle_of(held[i].mutex) - 1);
        }
    held_count = 0;
}

int mutex_check_held(pthread_mutex_t *mutex)
{
    struct mutex *m = mutex_inside(mutex);
    if (mutex_knows(m))
        return mutex_held_find(m) ? 0 : EPERM;
    return m->kind == GONE ? EINVAL : 0;
}

/* ---- by the lock ---- */

struct mutex_ask {
    struct mutex *mutex;
    hlrc_lock_t lock;
    int error;
};

static void mutex_make(void *arg)
{
    struct mutex_ask *ask = arg;
    ask->error = mutex_give_lock(ask->mutex);
}

WRAP_OBJECT(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attr),
            (mutex, attr))
{
    struct mutex_ask ask = { .mutex = mutex_inside(mutex) };
    int kind = PTHREAD_MUTEX_DEFAULT, protocol = PTHREAD_PRIO_NONE, robust = PTHREAD_MUTEX_STALLED;
    if (attr && (pthread_mutexattr_gettype(attr, &kind) != 0 ||
                 pthread_mutexattr_getprotocol(attr, &protocol) != 0 ||
                 pthread_mutexattr_getrobust(attr, &robust) != 0))
        return EINVAL;
    if (protocol != PTHREAD_PRIO_NONE)
        return ENOTSUP;
    *ask.mutex = (struct mutex){ .kind = kind, .robust = robust == PTHREAD_MUTEX_ROBUST };
    if (!mutex_has_ways(ask.mutex))
        lane_call(mutex_make, &ask);
    return ask.error;
}

static void mutex_unmake(void *arg)
{
    struct mutex_ask *ask = arg;
    hlrc_lock_t lock = ask->lock;
    if (object_lock_try(lock) != 0) {
        ask->error = EBUSY;
        return;
    }
    object_lock_drop(lock);
    object_lock_destroy(lock);
}

/* Another thread's first use may be not visible yet. */
WRAP_OBJECT(int, pthread_mutex_destroy, (pthread_mutex_t * mutex), (mutex))
{
    struct mutex_ask ask = { .mutex = mutex_inside(mutex) };
    if (mutex_has_word(ask.mutex))
        return EBUSY;
    if (!mutex_has_ways(ask.mutex) || mutex_handle_of(ask.mutex)) {
        ask.lock = mutex_lock_of(mutex, &ask.error);
        if (ask.error == 0)
            lane_call(mutex_unmake, &ask);
    }
    if (ask.error == 0)
        *ask.mutex = (struct mutex){ .kind = GONE };
    return ask.error;
}

static void mutex_take(void *arg)
{
    object_lock_take(*(const hlrc_lock_t *)arg);
}

static void mutex_drop(void *arg)
{
    object_lock_drop(*(const hlrc_lock_t *)arg);
}

struct mutex_attempt {
    hlrc_lock_t lock;
    const struct monitor_until *until; /* NULL: a single try, */
    bool waits;                        /* or without limit */
    int rc;
};

static void mutex_try(void *arg)
{
    struct mutex_attempt *a = arg;
    hlrc_lock_t lock = a->lock;
    bool waits = a->waits;
    const struct monitor_until *until = a->until;
    struct monitor_until copy = until ? *until : (struct monitor_until){ .clock = CLOCK_REALTIME };
    long ns = 0;
    int rc;
    do
        rc = object_lock_try(lock) == 0 ? 0 : until || waits ? ETIMEDOUT : EBUSY;
    while (rc == ETIMEDOUT && monitor_nap(&ns, until ? &copy : NULL));
    a->rc = rc;
}

/* [catcher.polls] */
static int mutex_take_lock(hlrc_lock_t lock, struct mutex_attempt *attempt)
{
    struct mutex_attempt polls = { .waits = true };
    if (!attempt && !catcher_polls) {
        lane_call(mutex_take, &lock);
        return 0;
    }
    if (!attempt)
        attempt = &polls;
    attempt->lock = lock;
    lane_call(mutex_try, attempt);
    return attempt->rc;
}

/* ---- by the word, or by both ---- */

static int mutex_take_word(struct mutex *m, const struct mutex_attempt *attempt)
{
    long ns = 0;
    while (!lock_word_try(&m->word)) {
        if (!attempt) {
            lock_word_await(&m->word, false);
            return 0;
        }
        if (!attempt->until)
            return EBUSY;
        if (!monitor_nap(&ns, attempt->until))
            return ETIMEDOUT;
    }
    return 0;
}

static int mutex_take_both(pthread_mutex_t *mutex, struct mutex_attempt *attempt,
                           enum mutex_word_kind way)
{
    struct mutex *m = mutex_inside(mutex);
    int error;
    hlrc_lock_t lock = mutex_lock_of(mutex, &error);
    if (error == 0)
        error = mutex_take_lock(lock, attempt);
    if (error || way == BY_LOCK)
        return error;
    error = mutex_take_word(m, attempt);
    if (error)
        lane_call(mutex_drop, &lock);
    else
        m->both = 1;
    return error;
}

static int mutex_take_by_way(pthread_mutex_t *mutex, struct mutex_attempt *attempt)
{
    struct mutex *m = mutex_inside(mutex);
    enum mutex_word_kind way = mutex_word_ask();
    int error = way == BY_WORD ? mutex_take_word(m, attempt) : mutex_take_both(mutex, attempt, way);
    if (error)
        mutex_word_forget(way);
    else if (way == BY_WORD)
        mutex_word_count();
    return error;
}

static void mutex_drop_lock(struct mutex *m)
{
    hlrc_lock_t lock = (hlrc_lock_t)mutex_handle_of(m) - 1;
    lane_call(mutex_drop, &lock);
}

static void mutex_drop_by_way(struct mutex *m)
{
    if (!mutex_has_word(m)) {
        mutex_drop_lock(m);
        mutex_word_forget(BY_LOCK);
    } else if (m->both) {
        m->both = 0;
        lock_word_drop(&m->word);
        mutex_drop_lock(m);
    } else {
        lock_word_drop(&m->word);
        mutex_word_forget(BY_WORD);
    }
}

void mutex_release(const void *mutex)
{
    struct mutex *m = (struct mutex *)(uintptr_t)mutex;
    if (mutex_has_ways(m))
        mutex_drop_by_way(m);
    else
        mutex_drop_lock(m);
}

void mutex_take_again(pthread_mutex_t *mutex)
{
    int error;
    if (mutex_has_ways(mutex_inside(mutex)))
        (void)mutex_take_by_way(mutex, NULL);
    else
        (void)mutex_take_lock(mutex_lock_of(mutex, &error), NULL);
}

/* ---- the calls ---- */

/* The result for the new owner of a robust mutex. */
static int mutex_tell_owner(const struct mutex *m, hlrc_lock_t lock)
{
    if (m->owner_state != OWNER_LOST)
        return m->owner_state == OWNER_DIED ? EOWNERDEAD : 0;
    lane_call(mutex_drop, &lock);
    return ENOTRECOVERABLE;
}

static int mutex_take_any(pthread_mutex_t *mutex, struct mutex_attempt *attempt)
{
    struct mutex *m = mutex_inside(mutex);
    int error;
    if (mutex_has_ways(m))
        return mutex_take_by_way(mutex, attempt);
    hlrc_lock_t lock = mutex_lock_of(mutex, &error);
    if (error == 0)
        error = mutex_take_lock(lock, attempt);
    return error == 0 && m->robust ? mutex_tell_owner(m, lock) : error;
}

/* Acquires the mutex: without limit, or as `attempt` says. */
static int mutex_acquire_by(pthread_mutex_t *mutex, struct mutex_attempt *attempt)
{
    struct mutex *m = mutex_inside(mutex);
    struct mutex_held *h = mutex_knows(m) ? mutex_held_find(m) : NULL;
    int kind = m->kind;
    if (h && kind == PTHREAD_MUTEX_RECURSIVE) {
        h->count++;
        return h->count == 0 ? (h->count--, EAGAIN) : 0;
    }
    if (h && (attempt || kind == PTHREAD_MUTEX_ERRORCHECK))
        return attempt && !attempt->until ? EBUSY : EDEADLK;
    int error = mutex_take_any(mutex, attempt);
    if (error == 0 || error == EOWNERDEAD) {
        lane_bind();
        if (mutex_knows(m))
            mutex_held_add(m);
    }
    return error;
}

static int mutex_acquire(pthread_mutex_t *mutex, struct mutex_attempt *attempt)
{
    int before = errno, error = mutex_acquire_by(mutex, attempt);
    errno = before;
    return error;
}

/* By the lock, without another stack, if it is free on this node. */
static bool mutex_take_free_lock(const struct mutex *m)
{
    uint32_t handle = mutex_handle_of(m);
    return handle && !start_is_child && hlrc_lock_soon((hlrc_lock_t)handle - 1);
}

static bool mutex_take_free_by_way(struct mutex *m)
{
    enum mutex_word_kind way = mutex_word_ask();
    if (way == BY_WORD && lock_word_try(&m->word)) {
        mutex_word_count();
        return true;
    }
    if (way == BY_LOCK && mutex_take_free_lock(m))
        return true;
    mutex_word_forget(way);
    return false;
}

/* Most calls. */
static bool mutex_take_free(struct mutex *m)
{
    if (m->kind == GONE || mutex_knows(m) ||
        !(mutex_word_used ? mutex_take_free_by_way(m) : mutex_take_free_lock(m)))
        return false;
    lane_bind();
    return true;
}

WRAP_OBJECT(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
{
    move_point();
    if (mutex_take_free(mutex_inside(mutex)))
        return 0;
    return mutex_acquire(mutex, NULL);
}

WRAP_OBJECT(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
{
    if (mutex_take_free(mutex_inside(mutex)))
        return 0;
    return mutex_acquire(mutex, &(struct mutex_attempt){ .until = NULL });
}

WRAP_OBJECT(int, pthread_mutex_clocklock,
            (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *time),
            (mutex, clock, time))
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    if (!monitor_until_valid(time, clock)) {
        int rc = wrap_pthread_mutex_trylock(mutex);
        return rc == EBUSY ? EINVAL : rc;
    }
    struct monitor_until until = { *time, clock };
    return mutex_acquire(mutex, &(struct mutex_attempt){ .until = &until });
}

WRAP_OBJECT(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *time),
            (mutex, time))
{
    return wrap_pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

/* False: the caller still holds it, or never did, as *error says. */
static bool mutex_count_down(struct mutex *m, int *error)
{
    struct mutex_held *h = mutex_held_find(m);
    *error = h ? 0 : EPERM;
    if (!h || --h->count > 0)
        return false;
    mutex_held_drop(h);
    return true;
}

static void mutex_drop_word(struct mutex *m)
{
    int before = errno;
    mutex_drop_by_way(m);
    errno = before;
}

WRAP_OBJECT(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
{
    int error;
    struct mutex *m = mutex_inside(mutex);
    uint32_t handle = mutex_handle_of(m);
    hlrc_lock_t lock = (hlrc_lock_t)handle - 1;
    if (mutex_knows(m) && !mutex_count_down(m, &error))
        return error;
    if (mutex_has_word(m)) {
        mutex_drop_word(m);
        lane_unbind();
        return 0;
    }
    if (m->kind == GONE)
        return EINVAL;
    if (!handle)
        return 0; /* it was never locked: the C library finds nothing wrong */
    if (m->robust && m->owner_state == OWNER_DIED)
        m->owner_state = OWNER_LOST;
    lane_call(mutex_drop, &lock);
    if (mutex_has_ways(m))
        mutex_word_forget(BY_LOCK);
    lane_unbind();
    return 0;
}

WRAP_OBJECT(int, pthread_mutex_consistent, (pthread_mutex_t * mutex), (mutex))
{
    struct mutex *m = mutex_inside(mutex);
    if (!m->robust || m->owner_state != OWNER_DIED)
        return EINVAL;
    m->owner_state = OWNER_LIVES;
    return 0;
}

/* ---- spin locks: the handle plus 1, set by pthread_spin_init ---- */

static void mutex_make_spin(void *arg)
{
    hlrc_lock_t lock = 0;
    int rc = object_lock_create(&lock);
    *(uint32_t *)arg = rc == 0 ? lock + 1 : 0;
}

static void mutex_unmake_spin(void *arg)
{
    object_lock_destroy(*(const hlrc_lock_t *)arg);
}

static hlrc_lock_t mutex_lock_of_spin(const volatile pthread_spinlock_t *spin)
{
    uint32_t handle = (uint32_t)*spin;
    if (!handle)
        start_fail("pthread_spin_lock: it was not initialised by pthread_spin_init");
    return handle - 1;
}

WRAP_OBJECT(int, pthread_spin_init, (pthread_spinlock_t * spin, int shared), (spin, shared))
{
    (void)shared;
    uint32_t handle;
    lane_call(mutex_make_spin, &handle);
    *spin = (int)handle;
    return handle ? 0 : EAGAIN;
}

WRAP_OBJECT(int, pthread_spin_destroy, (pthread_spinlock_t * spin), (spin))
{
    hlrc_lock_t lock = mutex_lock_of_spin(spin);
    lane_call(mutex_unmake_spin, &lock);
    *spin = 0;
    return 0;
}

WRAP_OBJECT(int, pthread_spin_lock, (pthread_spinlock_t * spin), (spin))
{
    (void)mutex_take_lock(mutex_lock_of_spin(spin), NULL);
    lane_bind();
    return 0;
}

WRAP_OBJECT(int, pthread_spin_trylock, (pthread_spinlock_t * spin), (spin))
{
    struct mutex_attempt once = { .lock = mutex_lock_of_spin(spin), .until = NULL };
    lane_call(mutex_try, &once);
    if (once.rc == 0)
        lane_bind();
    return once.rc;
}

WRAP_OBJECT(int, pthread_spin_unlock, (pthread_spinlock_t * spin), (spin))
{
    hlrc_lock_t lock = mutex_lock_of_spin(spin);
    lane_call(mutex_drop, &lock);
    lane_unbind();
    return 0;
}
