/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that give up a timed wait: at readers-writer locks, semaphores, condition variables and
 * mutexes. The object must afterwards behave as if they had never waited. A thread that has to be
 * woken waits for LONG_MS, so that a lost wake-up is a line of output and not a hang. */
#define _GNU_SOURCE
#include <semaphore.h>

#include "common.h"

/* The first failure ends the program: after it others are missing too, and would be waited for. */
#undef EXPECT
#define EXPECT(cond)                                                  \
    do {                                                              \
        if (!(cond)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

enum { SHORT_MS = 25, LONG_MS = 20000, RACES = 25, MANY = 40 };
enum kind { READ, WRITE, SEM, COND, KINDS };

static pthread_rwlock_t rw;
static sem_t sem, begun;
static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int tokens;

struct wait {
    enum kind kind;
    clockid_t clock;
    long ms;
    int rc;
};
static struct wait waits[8];
static pthread_t threads[8];

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static int is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* ---- one wait ---- */

static int wait_rw(int write, clockid_t clock, const struct timespec *due)
{
    if (clock == CLOCK_REALTIME)
        return write ? pthread_rwlock_timedwrlock(&rw, due) : pthread_rwlock_timedrdlock(&rw, due);
    return write ? pthread_rwlock_clockwrlock(&rw, clock, due)
                 : pthread_rwlock_clockrdlock(&rw, clock, due);
}

static int wait_sem(clockid_t clock, const struct timespec *due)
{
    int rc = clock == CLOCK_REALTIME ? sem_timedwait(&sem, due) : sem_clockwait(&sem, clock, due);
    return rc == 0 ? 0 : errno;
}

/* A thread that gives up holds the mutex again, too. */
static int wait_cond(clockid_t clock, const struct timespec *due)
{
    int rc = 0;
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    sem_post(&begun);
    while (rc == 0 && tokens == 0)
        rc = clock == CLOCK_REALTIME ? pthread_cond_timedwait(&cond, &mutex, due)
                                     : pthread_cond_clockwait(&cond, &mutex, clock, due);
    if (rc == 0)
        tokens--;
    EXPECT(pthread_mutex_unlock(&mutex) == 0);
    return rc;
}

static void *wait_once(void *arg)
{
    struct wait *w = arg;
    struct timespec due = after_ms(w->clock, w->ms), now;
    if (w->kind == COND) {
        w->rc = wait_cond(w->clock, &due);
    } else {
        sem_post(&begun);
        w->rc =
            w->kind == SEM ? wait_sem(w->clock, &due) : wait_rw(w->kind == WRITE, w->clock, &due);
    }
    clock_gettime(w->clock, &now);
    EXPECT(w->rc == 0 || w->rc == ETIMEDOUT);
    EXPECT(w->rc == 0 || !is_before(&now, &due));
    if (w->rc == 0 && w->kind <= WRITE)
        EXPECT(pthread_rwlock_unlock(&rw) == 0);
    return NULL;
}

/* Starts wait i and gives it some time to be in the queue: what is expected holds anyway. */
static void start(int i, enum kind kind, long ms)
{
    waits[i] = (struct wait){ kind, i % 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, ms, -1 };
    EXPECT(pthread_create(&threads[i], NULL, wait_once, &waits[i]) == 0);
    while (sem_wait(&begun) != 0)
        ;
    nap_ms(2);
}

static int end(int i)
{
    EXPECT(pthread_join(threads[i], NULL) == 0);
    return waits[i].rc;
}

/* ---- the object, held and free ---- */

static void make_rw(int kind)
{
    pthread_rwlockattr_t a;
    EXPECT(pthread_rwlockattr_init(&a) == 0);
    EXPECT(pthread_rwlockattr_setkind_np(&a, kind) == 0);
    EXPECT(pthread_rwlock_init(&rw, &a) == 0);
}

/* Nobody has it and nobody waits: each kind of access is granted, and excludes what it should. */
static void expect_rw_free(void)
{
    EXPECT(pthread_rwlock_trywrlock(&rw) == 0);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    EXPECT(pthread_rwlock_tryrdlock(&rw) == 0);
    EXPECT(pthread_rwlock_tryrdlock(&rw) == 0);
    EXPECT(pthread_rwlock_trywrlock(&rw) == EBUSY);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    EXPECT(pthread_rwlock_trywrlock(&rw) == EBUSY);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    EXPECT(pthread_rwlock_trywrlock(&rw) == 0);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
}

static void hold(enum kind kind)
{
    if (kind <= WRITE)
        EXPECT(pthread_rwlock_wrlock(&rw) == 0);
}

/* As often as threads wait. */
static void let_in(enum kind kind, int times)
{
    if (kind <= WRITE)
        EXPECT(pthread_rwlock_unlock(&rw) == 0);
    for (int i = 0; i < times && kind == SEM; i++)
        EXPECT(sem_post(&sem) == 0);
    for (int i = 0; i < times && kind == COND; i++) {
        EXPECT(pthread_mutex_lock(&mutex) == 0);
        tokens++;
        EXPECT(pthread_cond_signal(&cond) == 0);
        EXPECT(pthread_mutex_unlock(&mutex) == 0);
    }
}

static void expect_free(enum kind kind)
{
    int value = -1;
    if (kind <= WRITE)
        expect_rw_free();
    EXPECT(sem_getvalue(&sem, &value) == 0 && value == 0);
    EXPECT(sem_trywait(&sem) == -1 && errno == EAGAIN);
    EXPECT(tokens == 0);
}

/* ---- the cases ---- */

/* All give up; afterwards the object is as before, and can be held and waited for again. */
static void all_give_up(enum kind kind)
{
    hold(kind);
    for (int i = 0; i < 4; i++)
        start(i, kind <= WRITE ? (enum kind)(i / 2) : kind, SHORT_MS);
    for (int i = 0; i < 4; i++)
        EXPECT(end(i) == ETIMEDOUT);
    let_in(kind, 0);
    expect_free(kind);
    hold(kind);
    start(0, kind, LONG_MS);
    let_in(kind, 1);
    EXPECT(end(0) == 0);
    expect_free(kind);
}

/* Of three that wait, in their order, number `out` gives up; a fourth comes afterwards. */
static void one_gives_up(enum kind kind, int out)
{
    hold(kind);
    for (int i = 0; i < 3; i++)
        start(i, kind, i == out ? SHORT_MS : LONG_MS);
    EXPECT(end(out) == ETIMEDOUT);
    start(3, kind, LONG_MS);
    let_in(kind, 3);
    for (int i = 0; i < 4; i++)
        EXPECT(i == out || end(i) == 0);
    expect_free(kind);
}

/* The time is up when the wake-up comes: it goes to one of the two, and is not lost. */
static void give_up_and_wake(enum kind kind)
{
    for (int i = 0; i < RACES; i++) {
        hold(kind);
        start(0, kind, 4);
        start(1, kind, LONG_MS);
        nap_ms(i % 3);
        let_in(kind, 1);
        int first = end(0);
        if (first == 0)
            let_in(kind <= WRITE ? KINDS : kind, 1);
        EXPECT(end(1) == 0);
        expect_free(kind);
    }
}

/* Until a writer waits, which keeps new readers out. False: it gave up before that was seen. */
static int writer_waits(int i)
{
    for (;;) {
        int rc = pthread_rwlock_tryrdlock(&rw);
        if (rc == EBUSY)
            return 1;
        EXPECT(rc == 0);
        EXPECT(pthread_rwlock_unlock(&rw) == 0);
        if (pthread_tryjoin_np(threads[i], NULL) == 0)
            return 0;
        nap_ms(1);
    }
}

/* The lock prefers writers, main reads, a writer waits: a reader that comes is let in when the
 * writer gives up, though main reads on. */
static void writer_gives_up(void)
{
    long ms = 300;
    EXPECT(pthread_rwlock_rdlock(&rw) == 0);
    for (start(0, WRITE, ms); !writer_waits(0); start(0, WRITE, ms))
        ms *= 2;
    start(1, READ, LONG_MS);
    start(2, READ, LONG_MS);
    EXPECT(end(0) == ETIMEDOUT);
    EXPECT(end(1) == 0 && end(2) == 0);
    EXPECT(pthread_rwlock_tryrdlock(&rw) == 0);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    expect_rw_free();
}

/* One of two writers that wait gives up: the other still keeps readers out, and is let in. */
static void other_writer_stays(void)
{
    struct timespec past = { 1, 0 };
    EXPECT(pthread_rwlock_rdlock(&rw) == 0);
    start(0, WRITE, LONG_MS);
    EXPECT(writer_waits(0));
    start(1, WRITE, SHORT_MS);
    start(2, READ, SHORT_MS);
    EXPECT(end(1) == ETIMEDOUT && end(2) == ETIMEDOUT);
    nap_ms(100); /* a writer that is let in too early ends */
    EXPECT(pthread_tryjoin_np(threads[0], NULL) == EBUSY);
    for (int i = 0; i < MANY; i++)
        EXPECT(pthread_rwlock_timedrdlock(&rw, &past) == ETIMEDOUT);
    EXPECT(pthread_rwlock_tryrdlock(&rw) == EBUSY);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    EXPECT(end(0) == 0);
    expect_rw_free();
}

/* Many that give up at once leave no counts. */
static void many_give_up(void)
{
    struct timespec past = { 1, 0 };
    EXPECT(pthread_rwlock_rdlock(&rw) == 0);
    for (int i = 0; i < MANY; i++)
        EXPECT(pthread_rwlock_timedwrlock(&rw, &past) == ETIMEDOUT);
    EXPECT(pthread_rwlock_timedrdlock(&rw, &past) == 0);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    expect_rw_free();
}

static pthread_mutex_t held[3] = { PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
                                   PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };

/* A thread that has given up a mutex does not have it. */
static void *give_up_mutex(void *arg)
{
    pthread_mutex_t *m = arg;
    struct timespec due = after_ms(CLOCK_REALTIME, SHORT_MS),
                    steady = after_ms(CLOCK_MONOTONIC, SHORT_MS), past = { 1, 0 };
    EXPECT(pthread_mutex_timedlock(m, &due) == ETIMEDOUT);
    EXPECT(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &steady) == ETIMEDOUT);
    EXPECT(pthread_mutex_timedlock(m, &past) == ETIMEDOUT);
    EXPECT(pthread_mutex_trylock(m) == EBUSY);
    if (m != &held[0])
        EXPECT(pthread_mutex_unlock(m) == EPERM);
    return NULL;
}

static void *take_mutex(void *arg)
{
    struct timespec due = after_ms(CLOCK_REALTIME, LONG_MS);
    EXPECT(pthread_mutex_timedlock(arg, &due) == 0);
    EXPECT(pthread_mutex_unlock(arg) == 0);
    return NULL;
}

static void mutex_given_up(pthread_mutex_t *m)
{
    pthread_t t[3];
    EXPECT(pthread_mutex_lock(m) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, give_up_mutex, m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_create(&t[2], NULL, take_mutex, m);
    nap_ms(2);
    EXPECT(pthread_mutex_unlock(m) == 0);
    pthread_join(t[2], NULL);
    EXPECT(pthread_mutex_trylock(m) == 0);
    EXPECT(pthread_mutex_unlock(m) == 0);
    EXPECT(pthread_mutex_destroy(m) == 0);
}

int main(void)
{
    static const int rw_kinds[] = { PTHREAD_RWLOCK_PREFER_READER_NP,
                                    PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP };
    sem_init(&sem, 0, 0);
    sem_init(&begun, 0, 0);
    for (int k = 0; k < 2; k++) {
        make_rw(rw_kinds[k]);
        for (enum kind kind = READ; kind < (k ? SEM : KINDS); kind++) {
            all_give_up(kind);
            for (int out = 0; out < 3; out++)
                one_gives_up(kind, out);
            give_up_and_wake(kind);
            done("waits", (long)kind);
        }
    }
    writer_gives_up();
    other_writer_stays();
    many_give_up();
    done("writers", 0);
    for (int i = 0; i < 3; i++)
        mutex_given_up(&held[i]);
    done("mutexes", 0);
    return 0;
}
