/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Condition variables, barriers, readers and writers, semaphores, once. */
#define _GNU_SOURCE
#include <semaphore.h>

#include "common.h"

enum { ITEMS = 200, ROUNDS = 25, RACES = 40, FRAMES = 12 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;

/* ---- producers and consumers of a ring ---- */

static long ring[4], taken_sum;
static int ring_count, ring_at;

static void put(long item)
{
    pthread_mutex_lock(&mutex);
    while (ring_count == 4)
        pthread_cond_wait(&room, &mutex);
    ring[(ring_at + ring_count++) % 4] = item;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
}

static long get(void)
{
    pthread_mutex_lock(&mutex);
    while (ring_count == 0)
        pthread_cond_wait(&cond, &mutex);
    long item = ring[ring_at];
    ring_at = (ring_at + 1) % 4;
    ring_count--;
    taken_sum += item;
    pthread_cond_signal(&room);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *produce_or_consume(void *arg)
{
    long me = (long)arg;
    if (me < 2)
        for (long i = 1; i <= ITEMS; i++)
            put(me * ITEMS + i);
    else
        while (get() != 0)
            ;
    if (me < 2)
        put(0);
    return NULL;
}

static void queue(void)
{
    with_threads(4, produce_or_consume);
    done("queue", taken_sum);
}

/* ---- timed waits ---- */

static int tokens, waiting;
static struct timespec due;

/* Waits with little time, as the first: takes the token if it was woken. */
static void *impatient(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    due = after_ms(CLOCK_REALTIME, 8);
    int rc = pthread_cond_timedwait(&cond, &mutex, &due);
    EXPECT(rc == 0 || rc == ETIMEDOUT);
    if (rc == 0 && tokens > 0)
        tokens--;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *patient(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (tokens == 0)
        pthread_cond_wait(&cond, &mutex);
    tokens--;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static pthread_t one_that_waits(void *(*fn)(void *), int number)
{
    pthread_t t;
    pthread_create(&t, NULL, fn, NULL);
    for (int there = 0; there < number;) {
        nanosleep(&(struct timespec){ 0, 50000 }, NULL);
        pthread_mutex_lock(&mutex);
        there = waiting;
        pthread_mutex_unlock(&mutex);
    }
    return t;
}

/* Sends a signal when the first one's time is nearly up, which is not lost with it. Nobody signals
 * again where the token is still there, so if the signal went to who says that its time was up the
 * other waits for ever. */
static void races(void)
{
    for (int i = 0; i < RACES; i++) {
        waiting = 0;
        pthread_t first = one_that_waits(impatient, 1), second = one_that_waits(patient, 2);
        struct timespec then = due;
        then.tv_nsec -= (long)(i % 10) * 80000;
        if (then.tv_nsec < 0)
            then = (struct timespec){ then.tv_sec - 1, then.tv_nsec + 1000000000 };
        clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &then, NULL);
        pthread_mutex_lock(&mutex);
        tokens = 1;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
        pthread_join(first, NULL);
        pthread_mutex_lock(&mutex);
        if (tokens == 0) { /* it was the first one's, or the other has ended */
            tokens = 1;
            pthread_cond_signal(&cond);
        }
        pthread_mutex_unlock(&mutex);
        pthread_join(second, NULL);
        tokens = 0;
    }
    done("races", RACES);
}

static pthread_cond_t steady;

static void timed(void)
{
    pthread_condattr_t a;
    struct timespec t = after_ms(CLOCK_REALTIME, 30), odd = { 0, 1000000000 }, now;
    pthread_condattr_init(&a);
    EXPECT(pthread_condattr_setclock(&a, CLOCK_MONOTONIC) == 0);
    EXPECT(pthread_cond_init(&steady, &a) == 0);
    pthread_mutex_lock(&mutex);
    EXPECT(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &now);
    EXPECT(now.tv_sec > t.tv_sec || (now.tv_sec == t.tv_sec && now.tv_nsec >= t.tv_nsec));
    t = after_ms(CLOCK_MONOTONIC, 30);
    EXPECT(pthread_cond_timedwait(&steady, &mutex, &t) == ETIMEDOUT);
    EXPECT(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
    EXPECT(pthread_cond_timedwait(&cond, &mutex, &odd) == EINVAL);
    pthread_mutex_unlock(&mutex);
    EXPECT(pthread_cond_destroy(&steady) == 0);
    done("timed", 0);
}

/* Within a recursive mutex taken twice: the wait lets go of one that another may take. */
static pthread_mutex_t twice = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int stage;

static void *awaits_stage(void *arg)
{
    pthread_mutex_lock(&twice);
    stage++;
    pthread_cond_broadcast(&cond);
    while (stage < 5)
        pthread_cond_wait(&cond, &twice);
    EXPECT(pthread_mutex_unlock(&twice) == 0);
    return arg;
}

static void broadcast(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, awaits_stage, NULL);
    EXPECT(pthread_cond_wait(&cond, &twice) == EPERM);
    pthread_mutex_lock(&twice);
    while (stage < 4)
        pthread_cond_wait(&cond, &twice);
    stage = 5;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&twice);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    done("broadcast", stage);
}

/* A condition variable that is gone when its waiters were woken, by the last of them. The memory is
 * used for something else at once. */
struct frame {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int ready, waiting;
};
static struct frame *frame;

static void *await_frame(void *arg)
{
    struct frame *f = arg;
    pthread_mutex_lock(&f->mutex);
    f->waiting++;
    while (!f->ready)
        pthread_cond_wait(&f->cond, &f->mutex);
    int last = --f->waiting == 0;
    pthread_mutex_unlock(&f->mutex);
    if (last) {
        EXPECT(pthread_cond_destroy(&f->cond) == 0);
        EXPECT(pthread_mutex_destroy(&f->mutex) == 0);
        memset(f, 0x5a, sizeof *f);
    }
    return NULL;
}

static void frames(void)
{
    for (int i = 0; i < FRAMES; i++) {
        pthread_t t[3];
        frame = malloc(sizeof *frame);
        *frame = (struct frame){ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
        for (int k = 0; k < 3; k++)
            pthread_create(&t[k], NULL, await_frame, frame);
        for (int all = 0; !all;) {
            pthread_mutex_lock(&frame->mutex);
            all = frame->waiting == 3;
            if (all) {
                frame->ready = 1;
                pthread_cond_broadcast(&frame->cond);
            }
            pthread_mutex_unlock(&frame->mutex);
        }
        for (int k = 0; k < 3; k++)
            pthread_join(t[k], NULL);
        EXPECT(frame->ready == 0x5a5a5a5a);
        free(frame);
    }
    done("frames", FRAMES);
}

/* ---- barriers ---- */

static pthread_barrier_t barrier;
static long serials[ROUNDS], slots[5];

static void *rounds(void *arg)
{
    long me = (long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        slots[me] = r * 10 + me;
        int rc = pthread_barrier_wait(&barrier);
        EXPECT(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
        if (rc == PTHREAD_BARRIER_SERIAL_THREAD)
            serials[r]++;
        EXPECT(slots[(me + 1) % 5] == r * 10 + (me + 1) % 5);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void barriers(void)
{
    long ones = 0;
    EXPECT(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    EXPECT(pthread_barrier_init(&barrier, NULL, 5) == 0);
    with_threads(5, rounds);
    EXPECT(pthread_barrier_destroy(&barrier) == 0);
    for (int r = 0; r < ROUNDS; r++)
        ones += serials[r] == 1;
    done("barriers", ones);
}

/* ---- readers and writers ---- */

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t inside;
static long pages[3];

/* Both are inside at once, or this would not end. */
static void *read_together(void *arg)
{
    EXPECT(pthread_rwlock_rdlock(&rw) == 0);
    pthread_barrier_wait(&inside);
    EXPECT(pthread_rwlock_trywrlock(&rw) == EBUSY);
    pthread_barrier_wait(&inside);
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
    return arg;
}

static void *read_and_write(void *arg)
{
    long me = (long)arg;
    for (int i = 0; i < 40; i++) {
        if ((i + me) % 4 == 0) {
            pthread_rwlock_wrlock(&rw);
            for (int k = 0; k < 3; k++)
                pages[k]++;
        } else {
            pthread_rwlock_rdlock(&rw);
            EXPECT(pages[0] == pages[1] && pages[1] == pages[2]);
        }
        pthread_rwlock_unlock(&rw);
    }
    return NULL;
}

static void *shut_out(void *arg)
{
    struct timespec soon = after_ms(CLOCK_REALTIME, 20);
    EXPECT(pthread_rwlock_tryrdlock(&rw) == EBUSY);
    EXPECT(pthread_rwlock_trywrlock(&rw) == EBUSY);
    EXPECT(pthread_rwlock_timedrdlock(&rw, &soon) == ETIMEDOUT);
    soon = after_ms(CLOCK_MONOTONIC, 20);
    EXPECT(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    return arg;
}

static void readers_and_writers(void)
{
    pthread_rwlockattr_t a;
    pthread_barrier_init(&inside, NULL, 3);
    with_threads(3, read_together);
    with_threads(5, read_and_write);
    pthread_rwlock_wrlock(&rw);
    EXPECT(pthread_rwlock_rdlock(&rw) == EDEADLK);
    EXPECT(pthread_rwlock_wrlock(&rw) == EDEADLK);
    with_threads(2, shut_out);
    pthread_rwlock_unlock(&rw);
    EXPECT(pthread_rwlock_destroy(&rw) == 0);
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    EXPECT(pthread_rwlock_init(&rw, &a) == 0);
    with_threads(5, read_and_write);
    done("readers and writers", pages[0]);
}

/* ---- semaphores ---- */

static sem_t items, turn;
static long passed;

static void *semaphores_of(void *arg)
{
    long me = (long)arg;
    for (int i = 0; i < 60; i++) {
        if (me < 2) {
            EXPECT(sem_post(&items) == 0);
        } else {
            EXPECT(sem_wait(&items) == 0);
            sem_wait(&turn);
            passed++;
            sem_post(&turn);
        }
    }
    return NULL;
}

static void semaphores(void)
{
    struct timespec soon = after_ms(CLOCK_REALTIME, 20);
    int value = -1;
    EXPECT(sem_init(&items, 0, 0) == 0);
    EXPECT(sem_init(&turn, 0, 1) == 0);
    with_threads(4, semaphores_of);
    EXPECT(sem_trywait(&items) == -1 && errno == EAGAIN);
    EXPECT(sem_timedwait(&items, &soon) == -1 && errno == ETIMEDOUT);
    EXPECT(sem_getvalue(&turn, &value) == 0 && value == 1);
    EXPECT(sem_trywait(&turn) == 0);
    EXPECT(sem_destroy(&items) == 0 && sem_destroy(&turn) == 0);
    done("semaphores", passed);
}

/* ---- once ---- */

static pthread_once_t once[10] = { [0 ... 9] = PTHREAD_ONCE_INIT };
static long made[10];
static int which;

static void make(void)
{
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    made[which]++;
}

static void *all_once(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_barrier_wait(&barrier);
        which = i;
        pthread_barrier_wait(&barrier);
        EXPECT(pthread_once(&once[i], make) == 0);
        EXPECT(made[i] == 1);
    }
    return arg;
}

int main(void)
{
    queue();
    timed();
    races();
    broadcast();
    frames();
    barriers();
    readers_and_writers();
    semaphores();
    pthread_barrier_init(&barrier, NULL, 4);
    with_threads(4, all_once);
    done("once", made[0]);
    return 0;
}
