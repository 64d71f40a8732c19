/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mutex_word.c - see mutex_word.h for the invariants. */
#include "compat/pthread/mutex_word.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/futex.h"
#include "compat/openmp/gather.h"
#include "compat/start/lane.h"

#define NAP_NS 50000 /* between looks */

bool mutex_word_used;
_Atomic int mutex_word_way = BY_LOCK;

static enum mutex_word_kind target;

static void mutex_word_look(struct lane *l, void *all)
{
    l->seen = l->seen || atomic_load(&l->single) == 0;
    *(bool *)all &= l->seen;
}

static bool mutex_word_all_seen(void)
{
    bool all = true;
    lane_each(mutex_word_look, &all);
    return all;
}

static void mutex_word_look_again(struct lane *l, void *arg)
{
    (void)arg;
    l->seen = false;
}

/* [monitor.here] */
static void mutex_word_wake(struct lane *l, void *arg)
{
    (void)arg;
    atomic_store(&l->alarm, 1);
    futex_wake(&l->alarm, 1);
}

bool mutex_word_turn(enum mutex_word_kind way, int64_t ns)
{
    _Atomic uint32_t never = 0;
    if (!mutex_word_used || atomic_load(&mutex_word_way) == (int)way)
        return true;
    if (atomic_load(&mutex_word_way) == BY_BOTH && target != way) { /* back */
        atomic_store(&mutex_word_way, way);
        return true;
    }
    target = way;
    if (atomic_load(&mutex_word_way) != BY_BOTH) {
        lane_each(mutex_word_look_again, NULL);
        atomic_store(&mutex_word_way, BY_BOTH);
        lane_each(mutex_word_wake, NULL);
    }
    int64_t end = clock_after(ns);
    bool all;
    while (!(all = mutex_word_all_seen()) && clock_ns() < end)
        futex_wait(&never, 0, NAP_NS);
    if (all)
        atomic_store(&mutex_word_way, way);
    return all;
}

static void mutex_word_add(struct lane *l, void *sum)
{
    *(uint64_t *)sum += atomic_load_explicit(&l->words, memory_order_relaxed);
}

uint64_t mutex_word_uses(void)
{
    uint64_t sum = 0;
    lane_each(mutex_word_add, &sum);
    return sum;
}

void mutex_word_begin(void)
{
    mutex_word_used = true;
    atomic_store(&mutex_word_way, BY_WORD);
}

/* An OpenMP program changes between two regions, where thread 0 only may hold a mutex. */
static bool mutex_word_of_team(bool words)
{
    if (words && !mutex_word_used)
        mutex_word_begin();
    return mutex_word_turn(words ? BY_WORD : BY_LOCK, 0);
}

__attribute__((constructor)) static void mutex_word_at_start(void)
{
    gather_mutexes = mutex_word_of_team;
}
