/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * futex.c - words that threads sleep on until another thread wakes them. The system's call works
 * on one node only. The C++ headers make it (std::atomic<T>::wait, std::latch, std::barrier,
 * std::counting_semaphore), and libstdc++ itself for std::future.
 *
 * A word's address chooses its queue, which other words may share. A wake wakes all waiters of the
 * queue; each tests its word again in any case.
 *
 * Invariants
 *   - A word is compared in the monitor of its queue, and the thread enters the queue before it
 *     leaves the monitor. The waker changes the word before it enters the monitor. So one sees the
 *     other.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define QUEUES           256u
#define SECOND_NS        1000000000L
#define NAMED(name)      __asm__(name) __attribute__((visibility("default"), aligned(16)))
#define NEXT(type, name) ((type *)(uintptr_t)dlsym(RTLD_NEXT, name))

static struct monitor_queue *queues; /* in shared memory */

static struct monitor_queue *futex_queue_of(const void *word)
{
    uint64_t hash = ((uintptr_t)word >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    return &queues[(hash >> 40) % QUEUES];
}

struct futex_waiting {
    const uint32_t *word;
    uint32_t value;
    const struct monitor_until *until;
    int rc;
};

static void pthread_futex_wait(void *arg)
{
    struct futex_waiting *out = arg, w = *out;
    struct monitor_queue *q = futex_queue_of(w.word);
    hlrc_lock_t monitor = monitor_enter(q);
    int rc = EAGAIN;
    if (*(const volatile uint32_t *)w.word == w.value)
        rc = monitor_queue_wait(q, monitor, 0, w.until);
    monitor_leave(monitor);
    out->rc = rc;
}

/* 0, EAGAIN (the word has another value) or ETIMEDOUT. */
static int futex_wait(const void *word, uint32_t value, const struct monitor_until *until)
{
    struct monitor_until copy = until ? *until : (struct monitor_until){ .clock = CLOCK_MONOTONIC };
    struct futex_waiting w = { word, value, until ? &copy : NULL, 0 };
    lane_call(pthread_futex_wait, &w);
    return w.rc;
}

static void pthread_futex_wake(void *arg)
{
    struct futex_waiting *w = arg;
    struct monitor_queue *q = futex_queue_of(w->word);
    int woken = 0;
    hlrc_lock_t monitor = monitor_enter(q);
    for (; q->first; woken++)
        monitor_queue_wake(q);
    monitor_leave(monitor);
    w->rc = woken;
}

static int futex_wake(const void *word)
{
    struct futex_waiting w = { .word = word };
    lane_call(pthread_futex_wake, &w);
    return w.rc;
}

/* ---- the system call ---- */

static struct monitor_until futex_after(const struct timespec *time)
{
    struct monitor_until u = { .clock = CLOCK_MONOTONIC };
    clock_gettime(CLOCK_MONOTONIC, &u.time);
    u.time.tv_sec += time->tv_sec;
    u.time.tv_nsec += time->tv_nsec;
    if (u.time.tv_nsec >= SECOND_NS) {
        u.time.tv_sec++;
        u.time.tv_nsec -= SECOND_NS;
    }
    return u;
}

static long futex(const void *word, int what, uint32_t value, const struct timespec *time)
{
    int command = what & FUTEX_CMD_MASK, rc;
    struct monitor_until until;
    if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
        rc = futex_wake(word);
        return (uint32_t)rc < value ? rc : (long)value;
    }
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
        start_fail("futex: operation %d is not supported across nodes, only wait and wake; use "
                   "mutexes and condition variables",
                   command);
    if (time && command == FUTEX_WAIT)
        until = futex_after(time);
    else if (time)
        until = (struct monitor_until){ *time, what & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME
                                                                           : CLOCK_MONOTONIC };
    if (time && !monitor_until_valid(&until.time, until.clock))
        rc = EINVAL;
    else
        rc = futex_wait(word, value, time ? &until : NULL);
    errno = rc ? rc : errno;
    return rc ? -1 : 0;
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_futex && start_is_shared((void *)a[0]))
        return futex((void *)a[0], (int)a[1], (uint32_t)a[2], (void *)a[3]);
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- libstdc++'s functions for std::future; the name has the clock ---- */

typedef bool wait_fn(void *, unsigned *, unsigned, bool, long, long);
typedef void notify_fn(unsigned *); /* static member functions */
#define TIMES  "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
#define WAIT   "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_until" TIMES
#define STEADY "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steady" TIMES
#define NOTIFY "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj"

static bool futex_wait_until(unsigned *word, unsigned value, bool timed, struct monitor_until until)
{
    if (timed && until.time.tv_sec < 0)
        return false;
    return futex_wait(word, value, timed ? &until : NULL) != ETIMEDOUT;
}

wait_fn futex_future_wait NAMED(WAIT);
bool futex_future_wait(void *self, unsigned *word, unsigned value, bool timed, long s, long ns)
{
    if (!start_is_shared(word))
        return NEXT(wait_fn, WAIT)(self, word, value, timed, s, ns);
    return futex_wait_until(word, value, timed,
                            (struct monitor_until){ { s, ns }, CLOCK_REALTIME });
}

wait_fn futex_future_wait_steady NAMED(STEADY);
bool futex_future_wait_steady(void *self, unsigned *word, unsigned value, bool timed, long s,
                              long ns)
{
    if (!start_is_shared(word))
        return NEXT(wait_fn, STEADY)(self, word, value, timed, s, ns);
    return futex_wait_until(word, value, timed,
                            (struct monitor_until){ { s, ns }, CLOCK_MONOTONIC });
}

notify_fn futex_future_notify NAMED(NOTIFY);
void futex_future_notify(unsigned *word)
{
    if (!start_is_shared(word))
        NEXT(notify_fn, NOTIFY)(word);
    else
        (void)futex_wake(word);
}

static void futex_begin(void)
{
    if (!start_sharing)
        return;
    if (hlrc_node_id() == 0 && !(queues = hlrc_calloc(QUEUES, sizeof *queues)))
        start_fail("no shared memory for queues of threads; raise --memory");
    if (hlrc_broadcast(&queues, sizeof queues, 0) != 0)
        start_fail("queues of threads: hlrc_broadcast failed");
}

__attribute__((constructor)) static void futex_at_start(void)
{
    start_at_begin(futex_begin);
}
