/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mutexes of all kinds, spin locks: who excludes whom, and what the calls return. */
#define _GNU_SOURCE
#include "common.h"

enum { THREADS = 6, ROUNDS = 150, STATICS = 40, LIVES = 30 };

/* ---- contention, first uses of static ones by all at once ---- */

static struct {
    long before;
    pthread_mutex_t mutex;
    long sum;
} all[STATICS] = { [0 ... STATICS - 1] = { 0, PTHREAD_MUTEX_INITIALIZER, 0 } };
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_barrier_t barrier;
static long sum;

static void *contend(void *arg)
{
    long me = (long)arg;
    pthread_barrier_wait(&barrier);
    for (int k = 0; k < STATICS; k++) {
        pthread_mutex_lock(&all[k].mutex);
        long seen = all[k].sum;
        all[k].sum = seen + me + 1;
        pthread_mutex_unlock(&all[k].mutex);
    }
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&plain);
        sum++;
        pthread_mutex_unlock(&plain);
    }
    return NULL;
}

static void contention(void)
{
    long total = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    with_threads(THREADS, contend);
    pthread_barrier_destroy(&barrier);
    for (int k = 0; k < STATICS; k++)
        total += all[k].sum;
    done("first uses", total);
    done("contention", sum);
}

/* Two mutexes at once, of many: none may be another. */
static pthread_mutex_t *many;
enum { MANY = 600 };

static void *two_at_once(void *arg)
{
    long me = (long)arg;
    for (int i = 0; i + 1 < MANY; i += 1 + (int)me) {
        EXPECT(pthread_mutex_lock(&many[i]) == 0);
        EXPECT(pthread_mutex_lock(&many[i + 1]) == 0);
        pthread_mutex_unlock(&many[i]);
        pthread_mutex_unlock(&many[i + 1]);
    }
    return NULL;
}

static void pairs(void)
{
    many = calloc(MANY, sizeof *many);
    with_threads(3, two_at_once);
    for (int i = 0; i < MANY; i++)
        EXPECT(pthread_mutex_lock(&many[i]) == 0);
    for (int i = 0; i < MANY; i++)
        EXPECT(pthread_mutex_unlock(&many[i]) == 0);
    for (int i = 0; i < MANY; i++)
        EXPECT(pthread_mutex_destroy(&many[i]) == 0);
    free(many);
    done("pairs", MANY);
}

/* ---- kinds ---- */

static void *others(void *arg)
{
    struct timespec soon = after_ms(CLOCK_REALTIME, 20), odd = { 0, -1 };
    (void)arg;
    EXPECT(pthread_mutex_trylock(&recursive) == EBUSY);
    EXPECT(pthread_mutex_trylock(&checking) == EBUSY);
    EXPECT(pthread_mutex_unlock(&recursive) == EPERM);
    EXPECT(pthread_mutex_unlock(&checking) == EPERM);
    EXPECT(pthread_mutex_timedlock(&recursive, &soon) == ETIMEDOUT);
    soon = after_ms(CLOCK_MONOTONIC, 20);
    EXPECT(pthread_mutex_clocklock(&checking, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    EXPECT(pthread_mutex_timedlock(&checking, &odd) == EINVAL);
    return NULL;
}

static void *finds_free(void *arg)
{
    struct timespec past = { 1, 0 };
    (void)arg;
    EXPECT(pthread_mutex_timedlock(&recursive, &past) == 0);
    EXPECT(pthread_mutex_trylock(&checking) == 0);
    EXPECT(pthread_mutex_unlock(&checking) == 0);
    EXPECT(pthread_mutex_unlock(&recursive) == 0);
    return NULL;
}

static void kinds(void)
{
    struct timespec soon = after_ms(CLOCK_REALTIME, 20);
    pthread_mutex_t unused = PTHREAD_MUTEX_INITIALIZER;
    EXPECT(pthread_mutex_unlock(&unused) == 0);
    for (int i = 0; i < 5; i++)
        EXPECT(pthread_mutex_lock(&recursive) == 0);
    EXPECT(pthread_mutex_trylock(&recursive) == 0);
    EXPECT(pthread_mutex_lock(&checking) == 0);
    EXPECT(pthread_mutex_lock(&checking) == EDEADLK);
    EXPECT(pthread_mutex_timedlock(&checking, &soon) == EDEADLK);
    EXPECT(pthread_mutex_trylock(&checking) == EBUSY);
    EXPECT(pthread_mutex_destroy(&checking) == EBUSY);
    for (int i = 0; i < 5; i++)
        EXPECT(pthread_mutex_unlock(&recursive) == 0);
    with_threads(2, others);
    EXPECT(pthread_mutex_unlock(&recursive) == 0);
    EXPECT(pthread_mutex_unlock(&recursive) == EPERM);
    EXPECT(pthread_mutex_unlock(&checking) == 0);
    EXPECT(pthread_mutex_unlock(&checking) == EPERM);
    for (int i = 0; i < 3; i++)
        with_threads(1, finds_free);
    done("kinds", 0);
}

static void attributes(void)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_mutexattr_init(&a);
    EXPECT(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE) == 0);
    EXPECT(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    EXPECT(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    EXPECT(pthread_mutex_init(&m, &a) == 0);
    EXPECT(pthread_mutex_lock(&m) == 0);
    EXPECT(pthread_mutex_lock(&m) == 0);
    EXPECT(pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_consistent(&m) == EINVAL);
    EXPECT(pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_unlock(&m) == EPERM);
    EXPECT(pthread_mutex_destroy(&m) == 0);
    pthread_mutexattr_destroy(&a);
    done("attributes", 0);
}

/* ---- the same memory, mutex after mutex, of each kind of beginning ---- */

static struct cell {
    pthread_mutex_t mutex;
    long value;
} * cell;

static void *use(void *arg)
{
    (void)arg;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&cell->mutex);
        cell->value++;
        pthread_mutex_unlock(&cell->mutex);
    }
    return NULL;
}

static void lives(void)
{
    long value = 0;
    cell = malloc(sizeof *cell);
    for (int life = 0; life < LIVES; life++) {
        cell->value = 0;
        if (life % 3 == 0)
            EXPECT(pthread_mutex_init(&cell->mutex, NULL) == 0);
        else
            cell->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        with_threads(3, use);
        value += cell->value;
        if (life % 3 != 2) /* the third is forgotten */
            EXPECT(pthread_mutex_destroy(&cell->mutex) == 0);
        if (life % 5 == 0) {
            free(cell);
            cell = calloc(1, sizeof *cell);
        }
    }
    free(cell);
    done("lives", value);
}

/* ---- spin locks ---- */

static pthread_spinlock_t spin;
static long spun;

static void *spin_some(void *arg)
{
    (void)arg;
    for (int i = 0; i < 100; i++) {
        if (i % 3 != 0 || pthread_spin_trylock(&spin) != 0)
            pthread_spin_lock(&spin);
        spun++;
        pthread_spin_unlock(&spin);
    }
    return NULL;
}

static void *spin_is_taken(void *arg)
{
    (void)arg;
    EXPECT(pthread_spin_trylock(&spin) == EBUSY);
    return NULL;
}

static void spins(void)
{
    EXPECT(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    with_threads(THREADS, spin_some);
    pthread_spin_lock(&spin);
    with_threads(2, spin_is_taken);
    pthread_spin_unlock(&spin);
    EXPECT(pthread_spin_destroy(&spin) == 0);
    done("spin locks", spun);
}

int main(void)
{
    contention();
    pairs();
    kinds();
    attributes();
    lives();
    spins();
    return 0;
}
