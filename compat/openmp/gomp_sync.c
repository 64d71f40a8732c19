/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_sync.c - critical and atomic regions, flushes, by the names of gomp.h. */
#include <assert.h>
#include <hlrc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/locks.h"
#include "compat/start/early.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

static void gomp_sync_take(void *arg)
{
    hlrc_lock(*(const hlrc_lock_t *)arg);
}

static void gomp_sync_drop(void *arg)
{
    hlrc_unlock(*(const hlrc_lock_t *)arg);
}

const struct locks_watcher *locks_watcher;
_Thread_local unsigned locks_held;
_Thread_local uint64_t locks_syncs;

struct gomp_sync_attempt {
    hlrc_lock_t lock;
    bool done;
};

static void gomp_sync_try(void *arg)
{
    struct gomp_sync_attempt *a = arg;
    a->done = hlrc_trylock(a->lock) == 0;
}

bool locks_are_words, locks_have_numbers;

static _Atomic uint32_t words[HLRC_STATIC_LOCKS];

/* One of numbers.h. */
static struct locks_lock gomp_sync_own(hlrc_lock_t number)
{
    return (struct locks_lock){ locks_are_words ? &words[number] : NULL, number };
}

static bool gomp_sync_has_number(uint32_t value)
{
    static_assert(LOCK_WORD_AWAITED < LOCKS_NUMBERS, "");
    return value >= LOCKS_NUMBERS;
}

/* Under LOCK_NAMES, which orders the numbers that variables get. */
static void gomp_sync_number(void *arg)
{
    _Atomic uint32_t *variable = arg;
    hlrc_lock_t lock;
    locks_have_numbers = true;
    hlrc_lock(LOCK_NAMES);
    if (!gomp_sync_has_number(*variable)) {
        if (hlrc_lock_create(&lock) != 0)
            start_fail("OpenMP: no more locks");
        *variable = lock + LOCKS_NUMBERS;
    }
    hlrc_unlock(LOCK_NAMES);
}

struct locks_lock locks_of_variable(_Atomic uint32_t *variable)
{
    if (!gomp_sync_has_number(*variable)) {
        if (locks_are_words)
            return (struct locks_lock){ variable, 0 };
        lane_call(gomp_sync_number, variable);
    }
    return (struct locks_lock){ NULL, *variable - LOCKS_NUMBERS };
}

bool locks_try(struct locks_lock lock)
{
    struct gomp_sync_attempt a = { lock.number, false };
    if (lock.word)
        a.done = lock_word_try(lock.word);
    else
        lane_call(gomp_sync_try, &a);
    locks_held += a.done;
    return a.done;
}

/* A thread that spins until another of its tasks stores a value calls this, too. */
static void gomp_sync_await(struct locks_lock lock)
{
    if (locks_watcher)
        locks_watcher->poll();
    if (!lock.word)
        lane_call(gomp_sync_take, &lock.number);
    else if (!lock_word_try(lock.word))
        lock_word_await(lock.word, !start_crowded);
    locks_held++;
    locks_syncs++;
}

void locks_take_of_program(struct locks_lock lock)
{
    if (locks_watcher && locks_watcher->may_return()) {
        if (locks_try(lock))
            return;
        locks_watcher->return_tasks();
    }
    gomp_sync_await(lock);
}

void locks_drop_of_program(struct locks_lock lock)
{
    locks_held--;
    if (lock.word)
        (void)lock_word_drop(lock.word);
    else
        lane_call(gomp_sync_drop, &lock.number);
}

void locks_take(hlrc_lock_t lock)
{
    gomp_sync_await(gomp_sync_own(lock));
}

void locks_drop(hlrc_lock_t lock)
{
    locks_drop_of_program(gomp_sync_own(lock));
}

bool locks_only;

static void gomp_sync_begin(void)
{
    const char *file = getenv("HLRC_TRACE_SIM");
    locks_only = (file && *file) || hlrc_acquire() < 0;
    locks_are_words = !start_sharing && !early_observer();
}

__attribute__((constructor)) static void gomp_sync_at_start(void)
{
    start_at_begin(gomp_sync_begin);
}

static void gomp_sync_release(void *arg)
{
    (void)arg;
    hlrc_release();
}

void locks_release(void)
{
    lane_call(gomp_sync_release, NULL);
}

static void gomp_sync_acquire(void *arg)
{
    *(bool *)arg = hlrc_acquire();
}

/* For threads that spin, as locks_take. */
bool locks_acquire(void)
{
    bool news;
    if (locks_watcher)
        locks_watcher->poll();
    lane_call(gomp_sync_acquire, &news);
    return news;
}

void locks_pass(hlrc_lock_t lock)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (locks_are_words)
        return;
    hlrc_lock(lock);
    hlrc_unlock(lock);
}

void GOMP_critical_start(void)
{
    if (!locks_take_free(&words[LOCK_CRITICAL]))
        locks_take_of_program(gomp_sync_own(LOCK_CRITICAL));
}

void GOMP_critical_end(void)
{
    if (!locks_drop_word(&words[LOCK_CRITICAL]))
        locks_drop(LOCK_CRITICAL);
}

void GOMP_atomic_start(void)
{
    locks_take(LOCK_ATOMIC);
}

void GOMP_atomic_end(void)
{
    locks_drop(LOCK_ATOMIC);
}

/* ---- named critical regions ---- */

/* Maps a name to its lock: for names used on this node, by the address of the name's variable; for
 * all nodes in that variable, guarded by LOCK_NAMES. */
#define SLOTS 1024u /* a power of two */
static struct {
    void **_Atomic name;
    hlrc_lock_t lock;
} known[SLOTS];
static pthread_mutex_t known_mutex = PTHREAD_MUTEX_INITIALIZER;

struct gomp_sync_ask {
    void **name;
    hlrc_lock_t lock;
};

static void gomp_sync_find(void *arg)
{
    struct gomp_sync_ask *ask = arg;
    unsigned at = (unsigned)((uintptr_t)ask->name >> 3) * 2654435761u;
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned k = (at + i) % SLOTS;
        if (!known[k].name) {
            pthread_mutex_lock(&known_mutex);
            if (!known[k].name) {
                gomp_sync_number(ask->name);
                known[k].lock = *(uint32_t *)(void *)ask->name - LOCKS_NUMBERS;
                known[k].name = ask->name;
            }
            pthread_mutex_unlock(&known_mutex);
        }
        if (known[k].name == ask->name) {
            ask->lock = known[k].lock;
            return;
        }
    }
    start_fail("omp critical: more than %u names", SLOTS);
}

static struct locks_lock gomp_sync_lock_of(void **name)
{
    struct gomp_sync_ask ask = { name, 0 };
    _Atomic uint32_t *word = (_Atomic uint32_t *)name;
    if (locks_are_words && !gomp_sync_has_number(*word))
        return (struct locks_lock){ word, 0 };
    lane_call(gomp_sync_find, &ask);
    return (struct locks_lock){ NULL, ask.lock };
}

void GOMP_critical_name_start(void **name)
{
    if (!locks_take_free((_Atomic uint32_t *)name))
        locks_take_of_program(gomp_sync_lock_of(name));
}

void GOMP_critical_name_end(void **name)
{
    if (!locks_drop_word((_Atomic uint32_t *)name))
        locks_drop_of_program(gomp_sync_lock_of(name));
}
