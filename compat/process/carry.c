/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* carry.c - see carry.h. */
#include "compat/process/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compat/start/lane.h"

#define SIGNAL_BYTES 8 /* of the kernel's sets */

void carry_note(struct lane *lane, int sig)
{
    if (sig > 0 && sig < _NSIG)
        atomic_fetch_or(&lane->sent, carry_bit(sig));
}

/* The system has them so, too. */
uint64_t carry_bits(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

uint64_t carry_noted(const sigset_t *mask)
{
    if (!lane_current || !atomic_load(&lane_current->sent))
        return 0;
    return atomic_exchange(&lane_current->sent, 0) & carry_bits(mask);
}

/* A set of a thread. By system calls: the program's calls are replaced (calls.c). All, if it
 * cannot be read. */
static uint64_t carry_read(const char *path, const char *title)
{
    char text[4096];
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long len = fd < 0 ? -1 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    text[len > 0 ? len : 0] = '\0';
    const char *line = strstr(text, title);
    return line ? strtoull(line + strlen(title), NULL, 16) : UINT64_MAX;
}

uint64_t carry_blocked(pid_t thread)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)thread);
    return carry_read(path, "\nSigBlk:");
}

bool carry_take(uint64_t set, siginfo_t *info)
{
    static const struct timespec at_once;
    uint64_t pending = carry_read("/proc/thread-self/status", "\nSigPnd:") & set;
    if (!pending ||
        syscall(SYS_rt_sigtimedwait, &pending, info, &at_once, (size_t)SIGNAL_BYTES) <= 0)
        return false;
    if (info->si_code <= 0 && info->si_pid == (pid_t)syscall(SYS_getpid))
        info->si_pid = 0; /* carry_put has the number of its node */
    return true;
}

static void carry_send_to(pid_t thread, const siginfo_t *info)
{
    pid_t process = (pid_t)syscall(SYS_getpid);
    siginfo_t mine = *info;
    if (mine.si_code <= 0 && mine.si_pid == 0)
        mine.si_pid = process;
    (void)syscall(SYS_rt_tgsigqueueinfo, process, thread, mine.si_signo, &mine);
}

void carry_put(const siginfo_t *info)
{
    carry_send_to((pid_t)syscall(SYS_gettid), info);
}

int carry_queue(pid_t thread, int sig, int code, union sigval value)
{
    siginfo_t info = { .si_signo = sig, .si_code = code };
    if (code != SI_TIMER) { /* its number and overruns are there instead */
        info.si_pid = (pid_t)syscall(SYS_getpid);
        info.si_uid = getuid();
    }
    info.si_value = value;
    return syscall(SYS_rt_tgsigqueueinfo, (pid_t)syscall(SYS_getpid), thread, sig, &info) == 0
               ? 0
               : errno;
}

/* Only the thread itself may send itself a signal as if it came from the system, or by kill. So the
 * lane has what its handler gets, of one signal at a time. */
void carry_send(struct lane *lane, const siginfo_t *info)
{
    int none = 0;
    bool real = info->si_code < 0 && info->si_code != SI_TKILL;
    if (real) {
        carry_send_to(lane->id, info);
        return;
    }
    if (info->si_code >= 0 && atomic_compare_exchange_strong(&lane->told, &none, -1)) {
        lane->told_info = *info;
        atomic_store(&lane->told, info->si_signo);
    }
    (void)syscall(SYS_tgkill, (pid_t)syscall(SYS_getpid), lane->id, info->si_signo);
}

void carry_tell(siginfo_t *info)
{
    struct lane *lane = lane_current;
    if (!lane || info->si_code != SI_TKILL || atomic_load(&lane->told) != info->si_signo)
        return;
    *info = lane->told_info;
    atomic_store(&lane->told, 0);
}
