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

#include "compat/process/delegate.h"
#include "compat/process/signals.h"
#include "compat/pthread/monitor.h"
#include "compat/pthread/move.h"
#include "compat/pthread/wrap.h"

#define QUEUES    256u
#define SECOND_NS 1000000000L

static struct monitor_queue *queues; /* in shared memory */

static struct monitor_queue *futex_queue_of(const void *word)
{
    uint64_t hash = ((uintptr_t)word >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    return &queues[(hash >> 40) % QUEUES];
}

/* c->other is the word. */
static int futex_compare_and_wait(struct monitor_call *c)
{
    if (*(const volatile uint32_t *)c->other != c->value)
        return EAGAIN;
    return monitor_call_wait(c, c->object);
}

/* 0, EAGAIN (the word has another value) or ETIMEDOUT. */
static int futex_wait(const void *word, uint32_t value, const struct monitor_until *until)
{
    move_point();
    return monitor_call(&(struct monitor_call){ .fn = futex_compare_and_wait,
                                                .object = futex_queue_of(word),
                                                .other = word,
                                                .value = value,
                                                .until = until });
}

static int futex_wake_all(struct monitor_call *c)
{
    struct monitor_queue *q = c->object;
    int woken = 0;
    for (; q->first; woken++)
        monitor_queue_wake(q);
    return woken;
}

static int futex_wake(const void *word)
{
    return monitor_call(
        &(struct monitor_call){ .fn = futex_wake_all, .object = futex_queue_of(word) });
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

/* Those about the calling thread, or about memory of its node. Node 0 performs others. */
static bool futex_is_own_call(long number)
{
    static const short own[] = { SYS_futex,
                                 SYS_gettid,
                                 SYS_getcpu,
                                 SYS_sched_yield,
                                 SYS_tkill,
                                 SYS_mmap,
                                 SYS_munmap,
                                 SYS_mprotect,
                                 SYS_madvise,
                                 SYS_mremap,
                                 SYS_brk,
                                 SYS_mincore,
                                 SYS_membarrier,
                                 SYS_getrandom,
                                 SYS_clock_gettime,
                                 SYS_clock_nanosleep,
                                 SYS_nanosleep,
                                 SYS_sched_setaffinity,
                                 SYS_sched_getaffinity,
                                 SYS_rt_sigprocmask,
                                 SYS_sigaltstack,
                                 SYS_rt_sigreturn,
                                 SYS_exit,
                                 SYS_set_robust_list,
#ifdef SYS_arch_prctl
                                 SYS_arch_prctl,
#endif
                                 SYS_process_vm_readv,
                                 SYS_process_vm_writev };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] == number)
            return true;
    return false;
}

/* By node 0. */
static long futex_call(long number, const long *a)
{
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long __wrap_syscall(long number, ...);
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
    if (number == SYS_tgkill)
        return __wrap_tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]);
    if (number == SYS_tkill && a[0] == gettid())
        return __wrap_raise((int)a[1]);
    return start_away && !futex_is_own_call(number) ? DELEGATE(futex_call, number, (long)a)
                                                    : futex_call(number, a);
}

/* ---- libstdc++'s functions for std::future; the name has the clock ---- */

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

/* `s` and `ns`: the end. */
#define DEFINE_WAIT(name, mangled, clock)                                                        \
    REPLACE(bool, name, mangled, start_is_shared(word),                                          \
            (void *self, unsigned *word, unsigned value, bool timed, long s, long ns),           \
            (self, word, value, timed, s, ns))                                                   \
    {                                                                                            \
        (void)self;                                                                              \
        return futex_wait_until(word, value, timed, (struct monitor_until){ { s, ns }, clock }); \
    }
DEFINE_WAIT(futex_future_wait, WAIT, CLOCK_REALTIME)
DEFINE_WAIT(futex_future_wait_steady, STEADY, CLOCK_MONOTONIC)

REPLACE_VOID(futex_future_notify, NOTIFY, start_is_shared(word), (unsigned *word), (word))
{
    (void)futex_wake(word);
}

/* ---- std::promise::set_value_at_thread_exit: libstdc++ itself changes the future's word, by an
 * instruction that no other node sees before the next release, and so may not see that a thread of
 * another node waits ---- */

/* A _Make_ready. */
struct futex_ready {
    struct futex_ready *next;
    void (*run)(struct futex_ready *r);
    struct futex_state {
        void *table, *result;
        uint32_t word;
    } * state;
};
static void (*futex_run_ready)(struct futex_ready *r); /* libstdc++'s; deletes it */

static void futex_make_ready(struct futex_ready *r)
{
    const uint32_t *word = &r->state->word;
    futex_run_ready(r);
    (void)futex_wake(word);
}

#define READY "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"
REPLACE_VOID(futex_ready_set, READY, start_sharing, (struct futex_ready * r), (r))
{
    ((void (*)(struct futex_ready *))(uintptr_t)dlsym(RTLD_NEXT, READY))(r);
    futex_run_ready = r->run;
    r->run = futex_make_ready;
}

static void futex_begin(void)
{
    if (start_sharing)
        queues = start_shared_memory(QUEUES * sizeof *queues, "queues of threads");
}

__attribute__((constructor)) static void futex_at_start(void)
{
    start_at_begin(futex_begin);
}
