/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals of the process and of threads, on several nodes. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static volatile sig_atomic_t hits, alarms;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, ends[2];
static sem_t semaphore;
static pthread_key_t place;

static void on_signal(int sig)
{
    (void)sig;
    hits++;
}

static void on_alarm(int sig)
{
    (void)sig;
    alarms++;
    sem_post(&semaphore);
}

static void *raises(void *arg)
{
    int before = hits;
    printf("raise %d", raise(SIGUSR1));
    printf(" handled %d\n", hits - before);
    return arg;
}

static void *sets(void *arg)
{
    struct sigaction act, old;
    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    act.sa_flags = SA_RESTART;
    printf("sigaction %d", sigaction(SIGUSR2, &act, &old));
    printf(" before %d", old.sa_handler == (arg ? on_signal : SIG_DFL));
    printf(" signal %d\n", signal(SIGHUP, SIG_IGN) == (arg ? SIG_IGN : SIG_DFL));
    return NULL;
}

static void handlers(void)
{
    signal(SIGUSR1, on_signal);
    run_everywhere(raises);
    run_everywhere(sets);
    raise(SIGUSR2);
    raise(SIGHUP);
    printf("main %d\n", hits);
}

/* ---- faults that the program expects ---- */

static sigjmp_buf back;

static void on_fault(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void faults(void)
{
    volatile int *volatile nowhere = NULL;
    signal(SIGSEGV, on_fault);
    if (sigsetjmp(back, 1) == 0)
        *nowhere = 1;
    else
        printf("fault handled\n");
    signal(SIGSEGV, SIG_DFL);
}

/* On each node: the action is node 0's, the fault the thread's. */
static void on_bad_address(int sig, siginfo_t *info, void *context)
{
    sigset_t now;
    (void)context;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    printf("signal %d at %p, USR2 blocked %d\n", sig, info->si_addr, sigismember(&now, SIGUSR2));
    hits++;
    siglongjmp(*(sigjmp_buf *)pthread_getspecific(place), 1);
}

static void *uses_bad_address(void *arg)
{
    sigjmp_buf mine;
    sigset_t now;
    pthread_setspecific(place, &mine);
    for (volatile long i = 1; i < 3; i++)
        if (sigsetjmp(mine, 1) == 0)
            *(volatile int *)(i * 64 + (long)arg * 4) = 1;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    printf("USR2 blocked after %d\n", sigismember(&now, SIGUSR2));
    return arg;
}

static void *divides(void *arg)
{
    sigjmp_buf mine;
    volatile int zero = 0, one = 1;
    pthread_setspecific(place, &mine);
    if (sigsetjmp(mine, 1) == 0)
        one /= zero;
    return arg;
}

static void on_division(int sig, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d, code %d\n", sig, info->si_code == FPE_INTDIV);
    siglongjmp(*(sigjmp_buf *)pthread_getspecific(place), 1);
}

static char stack[1 << 16];

static void faults_anywhere(void)
{
    struct sigaction act = { .sa_sigaction = on_bad_address }, old;
    stack_t now, own = { .ss_sp = stack, .ss_size = sizeof stack };
    int before = hits;
    pthread_key_create(&place, NULL);
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaddset(&act.sa_mask, SIGUSR2);
    sigaltstack(&own, NULL);
    sigaltstack(NULL, &now);
    printf("stack %d\n", now.ss_sp == stack && now.ss_size == sizeof stack && now.ss_flags == 0);
    sigaction(SIGSEGV, &act, NULL);
    run_everywhere(uses_bad_address);
    uses_bad_address(NULL);
    sigaction(SIGSEGV, NULL, &old);
    printf("hits %d, own action %d %x\n", hits - before, old.sa_sigaction == on_bad_address,
           old.sa_flags);
    act.sa_sigaction = on_division;
    sigaction(SIGFPE, &act, NULL);
    run_everywhere(divides);
    signal(SIGSEGV, SIG_DFL);
    own.ss_flags = SS_DISABLE;
    sigaltstack(&own, NULL);
}

/* ---- by the older calls ---- */

static void *older(void *arg)
{
    printf("set %d", sigset(SIGUSR2, on_signal) == (arg ? SIG_HOLD : SIG_DFL));
    printf(" hold %d", sigset(SIGUSR2, SIG_HOLD) == on_signal);
    printf(" ignore %d interrupt %d\n", sigignore(SIGHUP), siginterrupt(SIGUSR1, 1));
    return arg;
}

/* ---- of the process ---- */

static void *awaits(void *arg)
{
    sigset_t set;
    int sig = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    printf("sigwait %d", sigwait(&set, &sig));
    printf(" %s\n", sig == SIGTERM ? "SIGTERM" : "other");
    return arg;
}

static void *sends(void *arg)
{
    printf("kill %d\n", kill(getpid(), SIGTERM));
    return arg;
}

static void *late_alarm(void *arg)
{
    struct itimerval soon = { { 0, 0 }, { 0, 50000 } };
    printf("setitimer %d\n", setitimer(ITIMER_REAL, &soon, NULL));
    return arg;
}

static void *sleeps(void *arg)
{
    usleep(300000);
    return arg;
}

/* Some ms, without a call: node 0 would do it, and publish. */
static void compute(void)
{
    for (volatile int i = 0; i < 2000000; i++)
        ;
}

static int stop_asked;

static void on_stop(int sig)
{
    (void)sig;
    stop_asked = 1;
}

static void *waits_for_stop(void *arg)
{
    int stop = 0;
    for (int i = 0; i < 2000 && !stop; i++) {
        compute();
        pthread_mutex_lock(&mutex);
        stop = stop_asked;
        pthread_mutex_unlock(&mutex);
    }
    printf("stop %d\n", stop);
    return arg;
}

/* Main gets the signal, and does not synchronise. */
static void *ends_computing(void *arg)
{
    waits_for_stop(arg);
    return write(ends[1], "x", 1) == 1 ? arg : NULL;
}

static void stop_while_main_computes(void)
{
    pthread_t t;
    struct pollfd end;
    if (pipe(ends) != 0)
        exit(1);
    end = (struct pollfd){ .fd = ends[0], .events = POLLIN };
    pthread_create(&t, NULL, ends_computing, NULL);
    late_alarm(NULL);
    while (poll(&end, 1, 0) != 1)
        ;
    pthread_join(t, NULL);
}

/* Signals that usually end a program arrive while main is inside HLRC, too. */
static void *hangs_up(void *arg)
{
    for (int i = 0; i < 40; i++) {
        kill(getpid(), SIGHUP);
        usleep(500);
    }
    pthread_mutex_lock(&mutex);
    ready = 2;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void hang_ups(void)
{
    pthread_t t;
    int before = hits, end = 0;
    signal(SIGHUP, on_signal);
    pthread_create(&t, NULL, hangs_up, NULL);
    while (!end) {
        pthread_mutex_lock(&mutex);
        end = ready == 2;
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(t, NULL);
    printf("hung up %d\n", hits > before);
}

/* The mask that the attributes have, not the creator's. */
static void *shows_mask(void *arg)
{
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    printf("blocked %d %d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
    return arg;
}

static void masks(void)
{
    pthread_attr_t attr;
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_attr_init(&attr);
    pthread_attr_setsigmask_np(&attr, &set);
    pthread_create(&t, &attr, shows_mask, NULL);
    pthread_join(t, NULL);
}

static void of_process(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < THREADS; i++) {
        run_in(sends, NULL);
        run_in(awaits, NULL);
    }
    sem_init(&semaphore, 0, 0);
    signal(SIGALRM, on_alarm);
    run_in(late_alarm, NULL);
    while (sem_wait(&semaphore) != 0)
        ;
    printf("alarms %d\n", (int)alarms);
    run_in(late_alarm, NULL);
    run_in(sleeps, NULL);
    printf("alarms %d\n", (int)alarms);
    signal(SIGALRM, on_stop);
    late_alarm(NULL);
    run_in(waits_for_stop, NULL);
    stop_asked = 0;
    stop_while_main_computes();
    signal(SIGALRM, on_alarm);
    late_alarm(NULL);
    printf("pause %d", pause());
    printf(" %s, alarms %d\n", strerror(errno), (int)alarms);
}

/* ---- taken without a handler ---- */

/* By raise it is pending for the thread, on the thread's node. */
static void *takes_own(void *arg)
{
    const struct timespec soon = { 0, 1000000 };
    sigset_t set, now;
    siginfo_t info;
    int sig = 0, before = hits;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    printf("pending %d", sigpending(&now) == 0 && sigismember(&now, SIGUSR1));
    printf(" sigwait %d", sigwait(&set, &sig));
    printf(" %d", sig == SIGUSR1 && hits == before);
    pthread_kill(pthread_self(), SIGUSR1);
    printf(" sigwaitinfo %d", sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
    errno = 0;
    printf(" none %d", sigtimedwait(&set, NULL, &soon));
    printf(" %s\n", strerror(errno));
    return arg;
}

/* ---- read from a descriptor ---- */

static int signals;

static void shows_next(const char *how, int ms)
{
    struct pollfd wanted = { .fd = signals, .events = POLLIN };
    struct signalfd_siginfo info = { 0 };
    int polled = poll(&wanted, 1, ms);
    long bytes = read(signals, &info, sizeof info);
    printf("%s: %d %ld, signal %u %d of %d\n", how, polled, bytes, info.ssi_signo, info.ssi_code,
           info.ssi_pid == (unsigned)getpid());
}

static void *reads_own(void *arg)
{
    int before = hits;
    sigset_t set;
    raise(SIGUSR1);
    shows_next("raised", 0);
    pthread_kill(pthread_self(), SIGRTMIN);
    syscall(SYS_tgkill, getpid(), gettid(), SIGRTMIN);
    shows_next("sent once", 0);
    shows_next("sent twice", 0);
    shows_next("none", 0);
    kill(getpid(), SIGTERM);
    shows_next("of the process", 0);
    raise(SIGUSR1);
    getppid(); /* comes back from there */
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf("handled %d\n", hits - before);
    return arg;
}

static void *reads_sent(void *arg)
{
    sem_post(&semaphore);
    for (int i = 0; i < 3; i++)
        shows_next("sent by another", 10000);
    return arg;
}

static void descriptors(void)
{
    const int sent[] = { SIGUSR1, SIGRTMIN, SIGTERM };
    sigset_t set, before;
    pthread_t thread;
    sigemptyset(&set);
    for (int i = 0; i < 3; i++)
        sigaddset(&set, sent[i]);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    signals = signalfd(-1, &set, SFD_NONBLOCK);
    run_everywhere(reads_own);
    for (int n = 0; n < THREADS; n++) {
        pthread_create(&thread, NULL, reads_sent, NULL);
        while (sem_wait(&semaphore) != 0)
            ;
        for (int i = 0; i < 3; i++)
            pthread_kill(thread, SIGRTMIN);
        pthread_join(thread, NULL);
    }
    close(signals);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- that end a sleep ---- */

static void *is_woken(void *arg)
{
    const struct itimerval often = { { 0, 100000 }, { 0, 50000 } }, never = { { 0, 0 }, { 0, 0 } };
    struct timespec time = { 8, 0 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &often, NULL); /* the first may come too early */
    int rc = nanosleep(&time, &time), error = errno;
    printf("woken %d %s %d\n", rc, strerror(error), time.tv_sec > 1);
    printf("left %d\n", sleep(8) > 1);
    setitimer(ITIMER_REAL, &never, NULL);
    raise(SIGUSR1); /* blocked */
    int before = hits;
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    rc = sigsuspend(&set);
    printf("suspended %d %s %d\n", rc, strerror(errno), hits - before);
    return arg;
}

static void sleepers(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGUSR1);
    signal(SIGALRM, on_signal);
    signal(SIGUSR1, on_signal);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    run_everywhere(is_woken);
}

static int notices;

static void on_notice(union sigval value)
{
    notices += value.sival_int; /* the page may be inaccessible to the C library's thread */
    sem_post(&semaphore);
}

/* In a thread that the C library creates. */
static void *has_timer(void *arg)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD,
                              .sigev_notify_function = on_notice,
                              .sigev_value.sival_int = 3 };
    const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
    timer_t timer;
    notices = 1;
    printf("timer %d", timer_create(CLOCK_MONOTONIC, &event, &timer));
    printf(" %d", timer_settime(timer, 0, &soon, NULL));
    while (sem_wait(&semaphore) != 0)
        ;
    printf(" %d", notices);
    printf(" %d\n", timer_delete(timer));
    return arg;
}

/* ---- of threads ---- */

static void *is_sent_to(void *arg)
{
    int before = hits;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    while (hits == before)
        usleep(1000);
    printf("thread %ld got it\n", (long)arg);
    return NULL;
}

static void *reads(void *arg)
{
    char c;
    errno = 0;
    ssize_t got = read(ends[0], &c, 1);
    printf("read %zd %s\n", got, strerror(errno));
    return arg;
}

static void of_threads(void)
{
    struct sigaction act;
    pthread_t t;
    for (long i = 0; i < THREADS; i++) {
        ready = 0;
        pthread_create(&t, NULL, is_sent_to, (void *)i);
        pthread_mutex_lock(&mutex);
        while (!ready)
            pthread_cond_wait(&cond, &mutex);
        pthread_mutex_unlock(&mutex);
        int exists = pthread_kill(t, 0), sent = pthread_kill(t, SIGUSR1);
        pthread_join(t, NULL);
        printf("pthread_kill %d %d\n", exists, sent);
    }
    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    sigaction(SIGUSR1, &act, NULL);
    if (pipe(ends) != 0)
        exit(1);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t, NULL, reads, NULL);
        usleep(100000);
        pthread_kill(t, SIGUSR1);
        pthread_join(t, NULL);
    }
}

/* ---- jumps out of a function that node 0 calls ---- */

static sigjmp_buf outside, inside;
static bool by_handler;

static void leaves(int sig)
{
    siglongjmp(outside, sig);
}

static int visits(const char *path, const struct stat *about, int kind)
{
    if (sigsetjmp(inside, 1) == 0)
        siglongjmp(inside, 1);
    printf("%s %d\n", path, kind == FTW_D && about);
    if (by_handler)
        raise(SIGUSR1);
    siglongjmp(outside, 7);
}

static void *jumps(void *arg)
{
    signal(SIGUSR1, leaves);
    for (int i = 0; i < 4; i++) {
        by_handler = i % 2;
        int value = sigsetjmp(outside, 1);
        if (value == 0)
            (void)ftw(".", visits, 4);
        else
            printf("left with %d\n", value);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    handlers();
    faults();
    faults_anywhere();
    run_everywhere(older);
    run_everywhere(takes_own);
    sem_init(&semaphore, 0, 0);
    run_everywhere(has_timer);
    descriptors();
    of_process();
    hang_ups();
    masks();
    of_threads();
    sleepers();
    run_everywhere(jumps);
    printf("end\n");
    return 0;
}
