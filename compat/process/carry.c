/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* carry.c - see carry.h. */
#include "compat/process/carry.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
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

uint64_t carry_noted(const sigset_t *mask)
{
    uint64_t blocked = 0;
    if (!lane_current || !atomic_load(&lane_current->sent))
        return 0;
    for (int sig = 1; sig < _NSIG; sig++)
        if (sigismember(mask, sig) == 1)
            blocked |= carry_bit(sig);
    return atomic_exchange(&lane_current->sent, 0) & blocked;
}

/* Pending for the calling thread. By system calls: those of the program are replaced (calls.c). */
static uint64_t carry_pending(void)
{
    static const char title[] = "\nSigPnd:";
    char text[4096];
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    long len = fd < 0 ? -1 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    text[len > 0 ? len : 0] = '\0';
    const char *line = strstr(text, title);
    return line ? strtoull(line + sizeof title - 1, NULL, 16) : UINT64_MAX;
}

bool carry_take(uint64_t set, siginfo_t *info)
{
    static const struct timespec at_once;
    uint64_t pending = carry_pending() & set;
    if (!pending ||
        syscall(SYS_rt_sigtimedwait, &pending, info, &at_once, (size_t)SIGNAL_BYTES) <= 0)
        return false;
    if (info->si_code <= 0 && info->si_pid == (pid_t)syscall(SYS_getpid))
        info->si_pid = 0; /* carry_put has the number of its node */
    return true;
}

void carry_put(const siginfo_t *info)
{
    pid_t process = (pid_t)syscall(SYS_getpid);
    siginfo_t mine = *info;
    if (mine.si_code <= 0 && mine.si_pid == 0)
        mine.si_pid = process;
    (void)syscall(SYS_rt_tgsigqueueinfo, process, (pid_t)syscall(SYS_gettid), mine.si_signo, &mine);
}
