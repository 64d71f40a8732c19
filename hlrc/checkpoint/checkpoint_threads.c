/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_threads.c - see checkpoint_threads.h. */
#include "hlrc/checkpoint/checkpoint_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "hlrc/checkpoint/checkpoint_calls.h"
#include "hlrc/checkpoint/restored_thread.h"

#ifdef __x86_64__

#    define STOP_SIGNAL      33   /* SIGSETXID */
#    define STOP_MS          5000 /* for all to stop */
#    define AGAIN_MS         200  /* a thread that ended may have passed its number on */
#    define PTHREAD_MOST     1024 /* bytes of the C library's descriptor that are searched */
#    define RESERVED_SIGNALS (UINT64_C(3) << 31) /* 32 and 33 */
#    define RSEQ_BYTES       32
#    define RSEQ_SIGNATURE   0x53053053
#    define THREADS_MOST     8192

/* On the thread's stack, while it is stopped. */
struct checkpoint_threads_one {
    struct checkpoint_context context;
    struct checkpoint_threads_one *next;
    int tid;    /* the system's number */
    int number; /* the C library's; equal, unless the process was restored */
    char *self; /* thread pointer */
    void *robust;
    size_t robust_len;
    stack_t alternate;
    uint64_t pending;
    char name[16];
    bool is_known; /* to the C library */
};

/* The system's format (getdents64). */
struct checkpoint_threads_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    unsigned char type;
    char name[];
};

/* The system's struct sigaction. */
struct checkpoint_threads_action {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static size_t tid_at; /* offset of the number in the descriptor; 0: unknown */
static _Atomic(struct checkpoint_threads_one *) stopped;
static atomic_int stopped_count;
static atomic_int round_now; /* a futex; changes when the threads are released */
static atomic_bool stops;    /* from the first signal until the release */
static struct checkpoint_threads_action before;
static struct checkpoint_threads_one own; /* of the thread that saves */
static int own_round;
static void (*at_resume)(void);

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* ---- the C library's descriptor ---- */

int checkpoint_threads_init(void)
{
    const char *self = __builtin_thread_pointer();
    int tid = (int)syscall(SYS_gettid);
    for (size_t at = 16; at < PTHREAD_MOST && !tid_at; at += sizeof tid)
        if (memcmp(self + at, &tid, sizeof tid) == 0)
            tid_at = at;
    return tid_at ? 0 : -ENOTSUP;
}

static const char *_Atomic unsaved; /* hlrc_unsaved */

void hlrc_unsaved(const char *what)
{
    atomic_store(&unsaved, what);
}

static int checkpoint_threads_own_number(const char *self)
{
    int number;
    memcpy(&number, self + tid_at, sizeof number);
    return number;
}

/* Numbers of the threads that were restored. */
static struct checkpoint_threads_number {
    int number, tid;
    char *self;
} numbers[THREADS_MOST];
static int number_count;

static bool checkpoint_threads_is_known(int number, int tid)
{
    if (number == tid)
        return true;
    for (int i = 0; i < number_count; i++)
        if (numbers[i].number == number && numbers[i].tid == tid)
            return true;
    return false;
}

int hlrc_restored_thread(pthread_t thread)
{
    for (int i = 0; i < number_count; i++)
        if (numbers[i].self == (char *)thread &&
            numbers[i].number == checkpoint_threads_own_number(numbers[i].self))
            return numbers[i].tid;
    return 0;
}

/* ---- interrupted calls ---- */

/* Of the call that this thread has restarted with a timeout. */
static _Thread_local struct {
    int64_t end; /* ns */
    struct timespec rest;
    int poll_ms;
    greg_t poll_at; /* stack pointer */
} sleeping;

/* Nanoseconds that are left. When a call is restarted for the first time, when it began is unknown,
 * and it begins anew: it takes no less time than asked for, and less than one interval more. */
static int64_t checkpoint_threads_rest(bool again, int64_t timeout)
{
    int64_t now = clock_ns();
    if (!again)
        sleeping.end = now + timeout;
    return sleeping.end > now ? sleeping.end - now : 0;
}

/* The rest was not stored. Returns the address of a new one. */
static greg_t checkpoint_threads_sleep(greg_t asked)
{
    const struct timespec *t = (const struct timespec *)asked;
    bool again = t == &sleeping.rest;
    if (t->tv_sec > (time_t)1 << 32)
        return asked;
    int64_t rest = checkpoint_threads_rest(again, (int64_t)t->tv_sec * 1000000000 + t->tv_nsec);
    sleeping.rest = (struct timespec){ rest / 1000000000, rest % 1000000000 };
    return (greg_t)&sleeping.rest;
}

/* A timeout that differs from the program's own shows that the call has been restarted already. */
static int checkpoint_threads_poll(int asked, greg_t stack)
{
    bool again = asked == sleeping.poll_ms && stack == sleeping.poll_at;
    int64_t rest = checkpoint_threads_rest(again, (int64_t)asked * 1000000);
    int ms = (int)((rest + 999999) / 1000000);
    sleeping.poll_ms = again ? ms : asked + (asked < INT32_MAX);
    sleeping.poll_at = stack;
    return sleeping.poll_ms;
}

static bool checkpoint_threads_restarts(long number, greg_t *r)
{
    switch (number) {
    case SYS_nanosleep: /* the rest was stored, or is estimated */
        r[REG_RDI] = r[REG_RSI] ? r[REG_RSI] : checkpoint_threads_sleep(r[REG_RDI]);
        return true;
    case SYS_clock_nanosleep:
        if (!(r[REG_RSI] & TIMER_ABSTIME))
            r[REG_RDX] = r[REG_R10] ? r[REG_R10] : checkpoint_threads_sleep(r[REG_RDX]);
        return true;
    case SYS_futex: /* with an absolute timeout */
        return (r[REG_RSI] & FUTEX_CMD_MASK) != FUTEX_WAIT;
    case SYS_poll:
        if ((int)r[REG_RDX] > 0)
            r[REG_RDX] = checkpoint_threads_poll((int)r[REG_RDX], r[REG_RSP]);
        return true;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        if ((int)r[REG_R10] > 0)
            r[REG_R10] = checkpoint_threads_poll((int)r[REG_R10], r[REG_RSP]);
        return true;
    case SYS_rt_sigtimedwait:
        return r[REG_RDX] == 0;
    case SYS_semtimedop:
        return r[REG_R10] == 0;
    case SYS_select: /* these store the rest in the timeout */
    case SYS_pselect6:
    case SYS_ppoll:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_semop:
    case SYS_msgrcv:
    case SYS_msgsnd:
        return true;
    default:
        return false;
    }
}

/* The call's number is in the instruction before it: mov $NUMBER, %eax. */
static void checkpoint_threads_restart(greg_t *r)
{
    const unsigned char *at = (const unsigned char *)(uintptr_t)r[REG_RIP];
    uint32_t number;
    if (r[REG_RAX] != -EINTR || at[-2] != 0x0f || at[-1] != 0x05 || at[-7] != 0xb8)
        return;
    memcpy(&number, at - 6, sizeof number);
    if (!checkpoint_threads_restarts((long)number, r))
        return;
    r[REG_RAX] = number;
    r[REG_RIP] -= 2;
}

/* ---- one thread ---- */

static void checkpoint_threads_describe(struct checkpoint_threads_one *t)
{
    t->tid = (int)CALL(gettid);
    t->self = __builtin_thread_pointer();
    t->number = checkpoint_threads_own_number(t->self);
    t->is_known = checkpoint_threads_is_known(t->number, t->tid);
    (void)CALL(get_robust_list, 0, &t->robust, &t->robust_len);
    (void)CALL(sigaltstack, NULL, &t->alternate);
    (void)CALL(rt_sigpending, &t->pending, sizeof t->pending);
    (void)CALL(prctl, PR_GET_NAME, t->name, 0, 0, 0);
}

static void checkpoint_threads_add(struct checkpoint_threads_one *t)
{
    t->next = atomic_load(&stopped);
    while (!atomic_compare_exchange_weak(&stopped, &t->next, t))
        ;
    atomic_fetch_add(&stopped_count, 1);
    (void)CALL(futex, &stopped_count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void checkpoint_threads_wait(int round)
{
    while (atomic_load(&round_now) == round)
        (void)CALL(futex, &round_now, FUTEX_WAIT_PRIVATE, round, NULL, NULL, 0);
}

/* What the system had registered of this thread. */
static void checkpoint_threads_register(struct checkpoint_threads_one *t)
{
    (void)CALL(set_robust_list, t->robust, t->robust_len);
    (void)CALL(prctl, PR_SET_NAME, t->name, 0, 0, 0);
    if (&__rseq_size && __rseq_size > 0) {
        int32_t *area = (int32_t *)(void *)(t->self + __rseq_offset);
        memset(area, 0, RSEQ_BYTES);
        area[1] = -1; /* not registered yet */
        if (CALL(rseq, area, RSEQ_BYTES, 0, RSEQ_SIGNATURE) != 0)
            area[1] = -2; /* failed */
    }
}

static void checkpoint_threads_create_others(struct checkpoint_threads_one *first)
{
    const uint64_t flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                           CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                           CLONE_CHILD_CLEARTID;
    number_count = 0;
    own.next = atomic_load(&stopped);
    for (struct checkpoint_threads_one *t = &own; t; t = t->next) {
        if (t != first &&
            checkpoint_context_clone(&t->context, flags, &t->tid, t->self + tid_at, t->self) < 0)
            checkpoint_calls_fail("cannot create the threads again; raise the limit on processes "
                                  "(ulimit -u)");
        if (t->number != t->tid && number_count < THREADS_MOST)
            numbers[number_count++] =
                (struct checkpoint_threads_number){ t->number, t->tid, t->self };
    }
}

/* Signals that were pending of the process, and not of one thread. */
static uint64_t checkpoint_threads_split_pending(void)
{
    uint64_t all = ~RESERVED_SIGNALS;
    for (struct checkpoint_threads_one *t = &own; t; t = t->next)
        all &= t->pending;
    for (struct checkpoint_threads_one *t = &own; t; t = t->next)
        t->pending &= ~(all | RESERVED_SIGNALS);
    return all;
}

static void checkpoint_threads_raise(uint64_t pending, int tid)
{
    for (int sig = 1; sig <= 64; sig++)
        if (pending >> (sig - 1) & 1)
            (void)(tid ? CALL(tgkill, CALL(getpid), tid, sig) : CALL(kill, CALL(getpid), sig));
}

/* In the process that continues. */
static void checkpoint_threads_resume(struct checkpoint_threads_one *t, int round)
{
    bool first = CALL(gettid) == CALL(getpid);
    if (first)
        t->tid = (int)CALL(getpid);
    checkpoint_threads_register(t);
    if (first) {
        (void)CALL(set_tid_address, t->self + tid_at);
        at_resume();
        checkpoint_threads_create_others(t);
        checkpoint_threads_raise(checkpoint_threads_split_pending(), 0);
        checkpoint_threads_release();
    }
    checkpoint_threads_wait(round);
    checkpoint_threads_raise(t->pending, t->tid);
}

static void checkpoint_threads_stop_here(greg_t *registers, int round)
{
    struct checkpoint_threads_one self;
    memset(&self, 0, sizeof self);
    checkpoint_threads_restart(registers);
    checkpoint_threads_describe(&self);
    if (checkpoint_context_save(&self.context) == 0) {
        checkpoint_threads_add(&self);
        checkpoint_threads_wait(round);
    } else {
        checkpoint_threads_resume(&self, round);
    }
}

/* The handler. Runs with all signals blocked. */
static void checkpoint_threads_signalled(int sig, siginfo_t *info, void *context)
{
    int error = errno, round = atomic_load(&round_now);
    if (info->si_code != SI_QUEUE || info->si_ptr != &round_now) {
        if ((uintptr_t)before.handler > 1)
            ((void (*)(int, siginfo_t *, void *))(uintptr_t)before.handler)(sig, info, context);
    } else if (atomic_load(&stops)) { /* after `round`: a release changes this first */
        checkpoint_threads_stop_here(((ucontext_t *)context)->uc_mcontext.gregs, round);
    }
    errno = error;
}

/* ---- all threads ---- */

static void checkpoint_threads_listen(void)
{
    struct checkpoint_threads_action now,
        ours = { .handler = (void *)(uintptr_t)checkpoint_threads_signalled,
                 .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | 0x04000000 /* SA_RESTORER */,
                 .restorer = checkpoint_context_restorer,
                 .mask = ~UINT64_C(0) };
    (void)CALL(rt_sigaction, STOP_SIGNAL, NULL, &now, sizeof now.mask);
    if (now.handler == ours.handler)
        return;
    before = now;
    (void)CALL(rt_sigaction, STOP_SIGNAL, &ours, NULL, sizeof ours.mask);
}

static void checkpoint_threads_signal(int tid)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_code = SI_QUEUE;
    info.si_pid = (int)CALL(getpid);
    info.si_ptr = &round_now;
    (void)CALL(rt_tgsigqueueinfo, CALL(getpid), tid, STOP_SIGNAL, &info);
}

static bool checkpoint_threads_is_stopped(int tid)
{
    for (struct checkpoint_threads_one *t = atomic_load(&stopped); t; t = t->next)
        if (t->tid == tid)
            return true;
    return false;
}

/* Signals of this round. */
static struct {
    int tid[THREADS_MOST];
    int64_t at[THREADS_MOST]; /* ms */
    int count;
} sent;

static void checkpoint_threads_signal_once(int tid, int64_t now)
{
    int i = 0;
    while (i < sent.count && sent.tid[i] != tid)
        i++;
    if (i < sent.count && now - sent.at[i] < AGAIN_MS)
        return;
    if (i == THREADS_MOST)
        return;
    sent.count += i == sent.count;
    sent.tid[i] = tid;
    sent.at[i] = now;
    checkpoint_threads_signal(tid);
}

/* Signals the threads that have not stopped. Returns the number of one, 0 if there is none, or a
 * negative errno. */
static int checkpoint_threads_scan(int me, int64_t now)
{
    alignas(8) char buf[2048];
    int fd = (int)CALL(openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        left = 0;
    long len;
    if (fd < 0)
        return fd;
    while ((len = CALL(getdents64, fd, buf, sizeof buf)) > 0)
        for (long at = 0; at < len;) {
            const struct checkpoint_threads_entry *e = (const void *)(buf + at);
            int tid = atoi(e->name);
            at += e->bytes;
            if (tid <= 0 || tid == me || checkpoint_threads_is_stopped(tid))
                continue;
            left = tid;
            checkpoint_threads_signal_once(tid, now);
        }
    (void)CALL(close, fd);
    return len < 0 ? (int)len : left;
}

static void checkpoint_threads_pause(int count)
{
    const struct timespec ms = { .tv_nsec = 1000000 };
    (void)CALL(futex, &stopped_count, FUTEX_WAIT_PRIVATE, count, &ms, NULL, 0);
}

int checkpoint_threads_stop(char *why, size_t len)
{
    int me = (int)CALL(gettid), left = 1;
    int64_t end = clock_ms() + STOP_MS;
    if (atomic_load(&unsaved)) {
        snprintf(why, len, "the program uses %s", atomic_load(&unsaved));
        return -ENOTSUP;
    }
    checkpoint_threads_listen();
    atomic_store(&stopped, NULL);
    atomic_store(&stopped_count, 0);
    sent.count = 0;
    atomic_store(&stops, true);
    while (left > 0 && clock_ms() < end) {
        int count = atomic_load(&stopped_count);
        left = checkpoint_threads_scan(me, clock_ms());
        if (left > 0)
            checkpoint_threads_pause(count);
    }
    for (struct checkpoint_threads_one *t = atomic_load(&stopped); t && left == 0; t = t->next)
        if (!t->is_known)
            left = -t->tid;
    if (left == 0)
        return 0;
    checkpoint_threads_release();
    snprintf(why, len,
             left > 0 ? "thread %d does not stop within 5 s"
                      : "thread %d was not created by the C library",
             left > 0 ? left : -left);
    return -EBUSY;
}

void checkpoint_threads_release(void)
{
    atomic_store(&stops, false);
    atomic_fetch_add(&round_now, 1);
    (void)CALL(futex, &round_now, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

struct checkpoint_context *checkpoint_threads_own(void)
{
    checkpoint_threads_describe(&own);
    own_round = atomic_load(&round_now);
    return &own.context;
}

void checkpoint_threads_own_resume(void)
{
    checkpoint_threads_register(&own);
    (void)CALL(sigaltstack, &own.alternate, NULL);
    checkpoint_threads_wait(own_round);
}

void checkpoint_threads_first(uint64_t *context, uint64_t *tls)
{
    int pid = (int)CALL(getpid);
    *context = *tls = 0;
    for (struct checkpoint_threads_one *t = atomic_load(&stopped); t; t = t->next)
        if (t->tid == pid) {
            *context = (uint64_t)(uintptr_t)&t->context;
            *tls = (uint64_t)(uintptr_t)t->self;
        }
}

void checkpoint_threads_at_resume(void (*fn)(void))
{
    at_resume = fn;
}

void checkpoint_threads_leave(void)
{
    uint64_t all = ~UINT64_C(0);
    (void)CALL(rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
    if (&__rseq_size && __rseq_size > 0)
        (void)CALL(rseq, (char *)__builtin_thread_pointer() + __rseq_offset, RSEQ_BYTES,
                   1 /* RSEQ_FLAG_UNREGISTER */, RSEQ_SIGNATURE);
}

#else /* nothing but checkpoint_threads_init() is called */

int checkpoint_threads_init(void)
{
    return -ENOTSUP;
}

int checkpoint_threads_stop(char *why, size_t len)
{
    snprintf(why, len, "programs are saved on x86-64 only");
    return -ENOTSUP;
}

struct checkpoint_context *checkpoint_threads_own(void)
{
    static struct checkpoint_context none;
    return &none;
}

void checkpoint_threads_own_resume(void)
{
}

void checkpoint_threads_release(void)
{
}

void checkpoint_threads_first(uint64_t *context, uint64_t *tls)
{
    *context = *tls = 0;
}

void checkpoint_threads_at_resume(void (*fn)(void))
{
    (void)fn;
}

void checkpoint_threads_leave(void)
{
}

int hlrc_restored_thread(pthread_t thread)
{
    (void)thread;
    return 0;
}

void hlrc_unsaved(const char *what)
{
    (void)what;
}

#endif
