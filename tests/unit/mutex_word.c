/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mutexes by the word, by the lock and by both [mutex.singly]: threads of one node acquire them by
 * all calls while a controller turns from one way to the other and back. What a mutex guards is
 * changed in two steps, so that two holders at once are seen. HLRC's locks are the C library's
 * mutexes here.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "compat/pthread/monitor.h"
#include "compat/pthread/move.h"
#include "compat/pthread/mutex.h"
#include "compat/pthread/mutex_word.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "hlrc/sync/lock_soon.h"
#include "tests/unit/unit.h"

#define THREADS 3 /* with lanes; one more has none */
#define MUTEXES 2
#define TURNS   400
#define WAIT_NS 4000000

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *m);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *m);
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);

/* ---- what the library has elsewhere ---- */

bool start_sharing = true, start_objects = true, start_is_child, move_may, catcher_polls;
_Thread_local struct lane *lane_current;
bool (*gather_mutexes)(bool words);
_Thread_local unsigned lane_bonds;

static struct lane lanes[THREADS + 1]; /* the first is the test's own */
static pthread_mutex_t locks[64];
static _Atomic unsigned locks_made;

void lane_each(void (*act)(struct lane *lane, void *arg), void *arg)
{
    for (int i = 0; i <= THREADS; i++)
        act(&lanes[i], arg);
}

void lane_call(void (*act)(void *), void *arg)
{
    act(arg);
}

void move_now(void)
{
}

_Noreturn void start_fail(const char *fmt, ...)
{
    fail_msg("%s", fmt);
    abort();
}

int hlrc_lock_create(hlrc_lock_t *lock)
{
    *lock = atomic_fetch_add(&locks_made, 1);
    assert_true(*lock < sizeof locks / sizeof *locks);
    return pthread_mutex_init(&locks[*lock], NULL);
}

void hlrc_lock_destroy(hlrc_lock_t lock)
{
    assert_int_equal(pthread_mutex_destroy(&locks[lock]), 0);
}

void hlrc_lock(hlrc_lock_t lock)
{
    pthread_mutex_lock(&locks[lock]);
}

int hlrc_trylock(hlrc_lock_t lock)
{
    return pthread_mutex_trylock(&locks[lock]) == 0 ? 0 : -EBUSY;
}

bool hlrc_lock_soon(hlrc_lock_t lock)
{
    return pthread_mutex_trylock(&locks[lock]) == 0;
}

void hlrc_unlock(hlrc_lock_t lock)
{
    assert_int_equal(pthread_mutex_unlock(&locks[lock]), 0);
}

int monitor_call(struct monitor_call *c)
{
    static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&monitor);
    c->rc = c->fn(c);
    pthread_mutex_unlock(&monitor);
    return c->rc;
}

bool monitor_until_valid(const struct timespec *time, clockid_t clock)
{
    (void)time, (void)clock;
    return true;
}

bool monitor_nap(long *ns, const struct monitor_until *until)
{
    (void)until;
    sched_yield();
    return ++*ns < 20;
}

/* ---- the threads ---- */

static struct guarded {
    pthread_mutex_t mutex;
    volatile uint64_t first, last;
} guarded[MUTEXES];
static _Atomic bool stop;
static _Atomic uint64_t changes, overlaps;

static void change(struct guarded *g)
{
    if (g->first != g->last)
        atomic_fetch_add(&overlaps, 1);
    uint64_t value = g->first + 1;
    g->first = value;
    for (int i = 0; i < (int)(value % 7); i++)
        sched_yield();
    g->last = value;
    atomic_fetch_add(&changes, 1);
}

/* As a wait for a condition does. */
static void release_and_take(struct guarded *g)
{
    mutex_release(&g->mutex);
    sched_yield();
    mutex_take_again(&g->mutex);
    change(g);
}

static void *run(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    if (seed < THREADS)
        lane_current = &lanes[seed + 1];
    while (!stop) {
        struct guarded *g = &guarded[rand_r(&seed) % MUTEXES];
        struct timespec soon = { 0 };
        unsigned how = (unsigned)rand_r(&seed) / 8 % 8;
        int rc = how == 0   ? __wrap_pthread_mutex_trylock(&g->mutex)
                 : how == 1 ? __wrap_pthread_mutex_timedlock(&g->mutex, &soon)
                            : __wrap_pthread_mutex_lock(&g->mutex);
        if (rc == 0) {
            change(g);
            if (how == 2)
                release_and_take(g);
            assert_int_equal(__wrap_pthread_mutex_unlock(&g->mutex), 0);
        } else {
            assert_int_equal(rc, how == 0 ? EBUSY : ETIMEDOUT);
        }
    }
    assert_int_equal(lane_bonds, 0);
    return NULL;
}

static void many_turns(void)
{
    pthread_t threads[THREADS + 1];
    unsigned turned[2] = { 0 };
    for (int i = 0; i < MUTEXES; i++)
        assert_int_equal(__wrap_pthread_mutex_init(&guarded[i].mutex, NULL), 0);
    for (uintptr_t i = 0; i <= THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    for (unsigned i = 0, seed = 1; i < TURNS; i++) {
        bool to_words = rand_r(&seed) / 8 % 2;
        turned[to_words] += mutex_word_turn(to_words ? BY_WORD : BY_LOCK, WAIT_NS);
        nanosleep(&(struct timespec){ .tv_nsec = rand_r(&seed) % 200000 }, NULL);
    }
    atomic_store(&stop, true);
    for (int i = 0; i <= THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    uint64_t sum = 0;
    for (int i = 0; i < MUTEXES; i++) {
        assert_int_equal(__wrap_pthread_mutex_destroy(&guarded[i].mutex), 0);
        sum += guarded[i].last;
    }
    assert_int_equal(overlaps, 0);
    assert_int_equal(sum, changes);
    assert_true(turned[0] > TURNS / 8 && turned[1] > TURNS / 8);
    assert_true(mutex_word_uses() > 0 && mutex_word_uses() < sum + sum / 2);
}

/* The way does not leave BY_BOTH while one thread holds a mutex singly, whichever way it was
 * acquired. Until then the word and the lock exclude other threads. */
static void held_singly(void)
{
    static const enum mutex_word_kind ways[] = { BY_WORD, BY_LOCK };
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 2; i++) {
        lane_current = &lanes[0];
        assert_true(mutex_word_turn(ways[i], WAIT_NS));
        assert_int_equal(__wrap_pthread_mutex_lock(&m), 0);
        assert_false(mutex_word_turn(ways[1 - i], WAIT_NS));
        lane_current = &lanes[1];
        assert_int_equal(__wrap_pthread_mutex_trylock(&m), EBUSY);
        assert_int_equal(__wrap_pthread_mutex_lock(&other), 0); /* by both: it is no obstacle */
        lane_current = &lanes[0];
        assert_int_equal(__wrap_pthread_mutex_unlock(&m), 0);
        assert_true(mutex_word_turn(ways[1 - i], WAIT_NS));
        assert_int_equal(__wrap_pthread_mutex_trylock(&other), EBUSY);
        lane_current = &lanes[1];
        assert_int_equal(__wrap_pthread_mutex_unlock(&other), 0);
        assert_int_equal(__wrap_pthread_mutex_trylock(&other), 0);
        assert_int_equal(__wrap_pthread_mutex_unlock(&other), 0);
    }
}

/* A thread releases what another one holds: singly for ever. */
static void released_by_another(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    lane_current = &lanes[0];
    assert_true(mutex_word_turn(BY_WORD, WAIT_NS));
    assert_int_equal(__wrap_pthread_mutex_lock(&m), 0);
    lane_current = &lanes[1];
    assert_int_equal(__wrap_pthread_mutex_unlock(&m), 0);
    assert_int_equal(__wrap_pthread_mutex_lock(&m), 0);
    assert_false(mutex_word_turn(BY_LOCK, WAIT_NS));
    assert_int_equal(__wrap_pthread_mutex_unlock(&m), 0);
    assert_false(mutex_word_turn(BY_LOCK, WAIT_NS));
}

static void begin(void)
{
    lane_current = &lanes[0];
    memset(lanes, 0, sizeof lanes);
    mutex_word_begin();
}

UNIT_MAIN(begin, NULL, TEST(many_turns), TEST(held_singly), TEST(released_by_another))
