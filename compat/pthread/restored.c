/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * restored.c - functions that pass the number of a thread to the system. In a process that was
 * restored the C library has the numbers of before (hlrc/checkpoint/checkpoint_threads.h), so for
 * such threads they make the system call here. They replace the C library's in the whole process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hlrc/checkpoint/restored_thread.h"

#define EXPORTED      __attribute__((visibility("default")))
#define CANCEL_SIGNAL 32 /* SIGCANCEL of the C library */
#define LIBC(name)    ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

static int restored_signal(int number, int sig)
{
    if (sig < 0 || sig > 64 || (sig >= 32 && sig < 34))
        return EINVAL;
    return syscall(SYS_tgkill, getpid(), number, sig) == 0 || errno == ESRCH ? 0 : errno;
}

EXPORTED int pthread_kill(pthread_t thread, int sig)
{
    int number = hlrc_restored_thread(thread);
    return number ? restored_signal(number, sig) : LIBC(pthread_kill)(thread, sig);
}

EXPORTED int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_sigqueue)(thread, sig, value);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = sig;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value = value;
    if (sig < 0 || sig > 64 || (sig >= 32 && sig < 34))
        return EINVAL;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), number, sig, &info) == 0 ? 0 : errno;
}

/* The C library notes the request, and signals no thread. */
EXPORTED int pthread_cancel(pthread_t thread)
{
    int number = hlrc_restored_thread(thread), rc = LIBC(pthread_cancel)(thread);
    if (!number || thread == pthread_self())
        return rc;
    return syscall(SYS_tgkill, getpid(), number, CANCEL_SIGNAL) == 0 || errno == ESRCH ? 0 : errno;
}

EXPORTED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_setaffinity_np)(thread, size, set);
    return sched_setaffinity(number, size, set) == 0 ? 0 : errno;
}

EXPORTED int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_getaffinity_np)(thread, size, set);
    return sched_getaffinity(number, size, set) == 0 ? 0 : errno;
}

EXPORTED int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_setschedparam)(thread, policy, param);
    return sched_setscheduler(number, policy, param) == 0 ? 0 : errno;
}

EXPORTED int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_getschedparam)(thread, policy, param);
    int now = sched_getscheduler(number);
    if (now < 0 || sched_getparam(number, param) != 0)
        return errno;
    *policy = now;
    return 0;
}

EXPORTED int pthread_setschedprio(pthread_t thread, int priority)
{
    int number = hlrc_restored_thread(thread);
    const struct sched_param param = { .sched_priority = priority };
    if (!number)
        return LIBC(pthread_setschedprio)(thread, priority);
    return sched_setparam(number, &param) == 0 ? 0 : errno;
}

/* The system's format: the number's complement, and "per thread, scheduling time". */
EXPORTED int pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_getcpuclockid)(thread, clock);
    *clock = (clockid_t)((unsigned)~number << 3 | 6);
    return 0;
}

static int restored_name_open(int number, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", number);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC);
}

EXPORTED int pthread_setname_np(pthread_t thread, const char *name)
{
    int number = hlrc_restored_thread(thread);
    size_t len = strlen(name);
    if (!number)
        return LIBC(pthread_setname_np)(thread, name);
    if (len > 15)
        return ERANGE;
    int fd = restored_name_open(number, O_RDWR);
    if (fd < 0)
        return errno;
    int rc = syscall(SYS_write, fd, name, len) == (long)len ? 0 : EIO;
    (void)syscall(SYS_close, fd);
    return rc;
}

EXPORTED int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
    int number = hlrc_restored_thread(thread);
    if (!number)
        return LIBC(pthread_getname_np)(thread, name, size);
    int fd = size < 16 ? -1 : restored_name_open(number, O_RDONLY);
    if (fd < 0)
        return size < 16 ? ERANGE : errno;
    long len = syscall(SYS_read, fd, name, size);
    (void)syscall(SYS_close, fd);
    if (len > 0)
        name[name[len - 1] == '\n' ? len - 1 : (long)size - 1] = '\0';
    return len > 0 ? 0 : EIO;
}

/* With the number of the owner, which the system compares. */
EXPORTED int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
    if (protocol == PTHREAD_PRIO_INHERIT)
        hlrc_unsaved("mutexes that inherit priorities");
    return LIBC(pthread_mutexattr_setprotocol)(attr, protocol);
}

EXPORTED int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust)
{
    if (robust == PTHREAD_MUTEX_ROBUST)
        hlrc_unsaved("robust mutexes");
    return LIBC(pthread_mutexattr_setrobust)(attr, robust);
}
