/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* special.c - see special.h; the rules are in trap.h. */
#include "hlrc/system/special.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>

#include "base/procfs.h"
#include "hlrc/core/engine.h"
#include "hlrc/progress/altstack.h"
#include "hlrc/system/trap.h"

#if defined(__x86_64__)

#    define MASK_BYTES     8u /* bytes of a signal set of the kernel */
#    define TIME_BYTES     16u
#    define TERMIOS_BYTES  36u /* the kernel's struct termios */
#    define TERMIOS2_BYTES 44u
#    define FLOCK_BYTES    32u

#    define DESCRIPTORS_MOST ((size_t)1 << 24)    /* more than a process may have open */
#    define READ_MOST        UINT64_C(0x7ffff000) /* bytes that the system transfers at once */

/* ---- read and write ---- */

/* Limit of one transfer of a regular file, so that a copy of it fits. */
#    define PIECE ((uint64_t)4 << 20)

static bool special_is_regular(uint64_t fd)
{
    struct stat what;
    return trap_system(SYS_fstat, fd, (uintptr_t)&what, 0, 0, 0, 0) == 0 && S_ISREG(what.st_mode);
}

static bool special_is_write(long number)
{
    return number == SYS_write || number == SYS_pwrite64;
}

/* Transfers as much as there is room for, or the system takes. */
static long special_pieces(struct trap *t, bool writes)
{
    bool placed = t->number == SYS_pread64 || t->number == SYS_pwrite64;
    char *theirs = (char *)(uintptr_t)t->args[1], *own = trap_own(t, 1, PIECE, false);
    uint64_t done = 0;
    long some = 0;
    do {
        uint64_t part = t->args[2] - done < PIECE ? t->args[2] - done : PIECE;
        if (writes)
            memcpy(own, theirs + done, part);
        t->pass[2] = part;
        t->pass[3] = placed ? t->args[3] + done : t->args[3];
        some = trap_make(t);
        if (some > 0 && !writes)
            memcpy(theirs + done, own, (size_t)some);
        done += some > 0 ? (uint64_t)some : 0;
        if (some < (long)part)
            break;
    } while (done < t->args[2]);
    return done ? (long)done : some;
}

long special_bulk(struct trap *t)
{
    bool writes = special_is_write(t->number);
    if (!engine_in_space((const void *)(uintptr_t)t->args[1]))
        return trap_make(t);
    if (t->args[2] > PIECE && (int64_t)t->args[2] > 0 && special_is_regular(t->args[0]))
        return special_pieces(t, writes);
    if (t->pass[2] > READ_MOST)
        t->pass[2] = READ_MOST;
    (void)trap_own(t, 1, t->pass[2], writes);
    long result = trap_make(t);
    if (!writes && result > 0)
        trap_give(t, 1, (size_t)result);
    return result;
}

/* ---- waiting ---- */

long special_poll(struct trap *t)
{
    struct pollfd *theirs = (struct pollfd *)(uintptr_t)t->args[0];
    size_t count = (uint32_t)t->args[1];
    if (count > DESCRIPTORS_MOST)
        return trap_make(t);
    struct pollfd *own = trap_own(t, 0, count * sizeof *own, true);
    if (t->number == SYS_ppoll) {
        (void)trap_own(t, 2, TIME_BYTES, true);
        (void)trap_own(t, 3, MASK_BYTES, true);
    }
    long result = trap_make(t);
    for (size_t i = 0; i < count && own && !trap_failed(result); i++)
        theirs[i].revents = own[i].revents; /* [syscalls.copies] */
    if (t->number == SYS_ppoll)
        trap_give(t, 2, TIME_BYTES);
    return result;
}

/* Size of this process's descriptor table; 0: unknown. */
static uint64_t special_descriptors(void)
{
    static const char path[] = "/proc/self/status";
    char text[1024] = "";
    long fd = trap_system(SYS_open, (uintptr_t)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return 0;
    (void)trap_system(SYS_read, (uint64_t)fd, (uintptr_t)text, sizeof text - 1, 0, 0, 0);
    (void)trap_system(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
    return procfs_value(text, "FDSize", 0);
}

/* Bytes of a set that the system reads. Some programs pass the maximum number of descriptors, with
 * sets of fewer bits. */
static size_t special_set_bytes(uint64_t bits)
{
    uint64_t room = bits > FD_SETSIZE ? special_descriptors() : 0;
    if (room && room < bits)
        bits = room;
    return (size_t)((bits + 63) / 64 * 8);
}

/* The sixth argument of pselect6: a signal mask in a structure. */
static void special_select_mask(struct trap *t, uint64_t copy[2])
{
    if (!t->args[5] || !trap_look(copy, t->args[5], 2 * sizeof *copy))
        return;
    if (engine_in_space((const void *)(uintptr_t)copy[0])) {
        void *mask = bounce_take(&t->own, MASK_BYTES);
        memcpy(mask, (const void *)(uintptr_t)copy[0], MASK_BYTES);
        copy[0] = (uintptr_t)mask;
    }
    t->pass[5] = (uintptr_t)copy;
}

long special_select(struct trap *t)
{
    size_t bytes = (int)t->args[0] < 0 ? 0 : special_set_bytes((uint32_t)t->args[0]);
    uint64_t mask[2] = { 0, 0 };
    for (int i = 1; i <= 3; i++)
        (void)trap_own(t, i, bytes, true);
    (void)trap_own(t, 4, TIME_BYTES, true);
    if (t->number == SYS_pselect6)
        special_select_mask(t, mask);
    long result = trap_make(t);
    for (int i = 1; i <= 3 && !trap_failed(result); i++)
        trap_give(t, i, bytes);
    trap_give(t, 4, TIME_BYTES);
    return result;
}

/* ---- calls with many requests ---- */

/* Copies the argument before the call, and back if the call succeeds. */
static long special_make_with(struct trap *t, int at, size_t bytes)
{
    (void)trap_own(t, at, bytes, true);
    long result = trap_make(t);
    if (!trap_failed(result))
        trap_give(t, at, bytes);
    return result;
}

static const struct special_amount {
    unsigned long request;
    uint32_t bytes;
} of_fcntl[] = {
    { F_GETLK, FLOCK_BYTES },     { F_SETLK, FLOCK_BYTES },
    { F_SETLKW, FLOCK_BYTES },    { F_OFD_GETLK, FLOCK_BYTES },
    { F_OFD_SETLK, FLOCK_BYTES }, { F_OFD_SETLKW, FLOCK_BYTES },
    { F_GETOWN_EX, 8 },           { F_SETOWN_EX, 8 },
    { F_GET_RW_HINT, 8 },         { F_SET_RW_HINT, 8 },
    { F_GET_FILE_RW_HINT, 8 },    { F_SET_FILE_RW_HINT, 8 },
    { 17 /* F_GETOWNER_UIDS */, 8 },
}, of_ioctl[] = { /* requests whose number does not contain the size */
    { TCGETS, TERMIOS_BYTES },
    { TCSETS, TERMIOS_BYTES },
    { TCSETSW, TERMIOS_BYTES },
    { TCSETSF, TERMIOS_BYTES },
    { TCGETA, 18 },
    { TCSETA, 18 },
    { TCSETAW, 18 },
    { TCSETAF, 18 },
    { TIOCGWINSZ, 8 },
    { TIOCSWINSZ, 8 },
    { TIOCGPGRP, 4 },
    { TIOCSPGRP, 4 },
    { TIOCGSID, 4 },
    { TIOCMGET, 4 },
    { TIOCMSET, 4 },
    { TIOCMBIS, 4 },
    { TIOCMBIC, 4 },
    { TIOCOUTQ, 4 },
    { TIOCGETD, 4 },
    { TIOCSETD, 4 },
    { TIOCSTI, 1 },
    { TIOCPKT, 4 },
    { FIONREAD, 4 },
    { FIONBIO, 4 },
    { FIOASYNC, 4 },
    { FIOQSIZE, 8 },
    { FIBMAP, 4 },
    { FIGETBSZ, 4 },
    { BLKROGET, 4 },
    { BLKSSZGET, 4 },
    { BLKGETSIZE, 8 },
    { SIOCATMARK, 4 },
    { SIOCGPGRP, 4 },
    { SIOCSPGRP, 4 },
    { SIOCGSTAMP, sizeof(struct timeval) },
    { SIOCGIFNAME, sizeof(struct ifreq) },
    { SIOCGIFINDEX, sizeof(struct ifreq) },
    { SIOCGIFFLAGS, sizeof(struct ifreq) },
    { SIOCSIFFLAGS, sizeof(struct ifreq) },
    { SIOCGIFADDR, sizeof(struct ifreq) },
    { SIOCSIFADDR, sizeof(struct ifreq) },
    { SIOCGIFDSTADDR, sizeof(struct ifreq) },
    { SIOCGIFBRDADDR, sizeof(struct ifreq) },
    { SIOCGIFNETMASK, sizeof(struct ifreq) },
    { SIOCGIFHWADDR, sizeof(struct ifreq) },
    { SIOCGIFMETRIC, sizeof(struct ifreq) },
    { SIOCGIFMTU, sizeof(struct ifreq) },
    { SIOCSIFMTU, sizeof(struct ifreq) },
    { SIOCGIFTXQLEN, sizeof(struct ifreq) },
    { SIOCGIFMAP, sizeof(struct ifreq) },
};
/* Requests whose third argument is a number, or unused. */
static const unsigned long no_memory[] = { TIOCEXCL,  TIOCNXCL,  TIOCSCTTY,   TIOCNOTTY,
                                           TCSBRK,    TCSBRKP,   TCXONC,      TCFLSH,
                                           FIOCLEX,   FIONCLEX,  TIOCCBRK,    TIOCSBRK,
                                           BLKFLSBUF, BLKRRPART, TIOCVHANGUP, TIOCGPTPEER };

#    define COUNT(list) (sizeof(list) / sizeof *(list))

static uint32_t special_amount_of(const struct special_amount *list, size_t count,
                                  unsigned long request)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].request == request)
            return list[i].bytes;
    return 0;
}

/* Other commands have a number as argument. */
long special_fcntl(struct trap *t)
{
    uint32_t bytes = special_amount_of(of_fcntl, COUNT(of_fcntl), (unsigned long)(int)t->args[1]);
    return bytes ? special_make_with(t, 2, bytes) : trap_make(t);
}

long special_ioctl(struct trap *t)
{
    unsigned long request = (uint32_t)t->args[1];
    uint32_t bytes = special_amount_of(of_ioctl, COUNT(of_ioctl), request);
    if (!engine_in_space((const void *)(uintptr_t)t->args[2]))
        return trap_make(t);
    for (size_t i = 0; i < COUNT(no_memory); i++)
        if (request == no_memory[i])
            return trap_make(t);
    if (!bytes && _IOC_DIR(request) != _IOC_NONE)
        bytes = _IOC_SIZE(request);
    if (!bytes)
        trap_refuse(t, 2, t->args[2], "and HLRC does not know what this request does with it");
    return special_make_with(t, 2, bytes);
}

static long special_refuse_shared(struct trap *t, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (engine_in_space((const void *)(uintptr_t)t->args[i]))
            trap_refuse(t, i, t->args[i], "and HLRC does not know what this command does with it");
    return trap_make(t);
}

long special_prctl(struct trap *t)
{
    switch ((int)t->args[0]) {
    case PR_SET_NAME:
    case PR_GET_NAME:
        return special_make_with(t, 1, 16);
    case PR_GET_PDEATHSIG:
    case PR_GET_UNALIGN:
    case PR_GET_FPEMU:
    case PR_GET_FPEXC:
    case PR_GET_ENDIAN:
    case PR_GET_TSC:
    case PR_GET_CHILD_SUBREAPER:
        return special_make_with(t, 1, 4);
    case PR_GET_TID_ADDRESS:
        return special_make_with(t, 1, 8);
    case PR_SET_SECCOMP:
        return special_refuse_shared(t, 2, 2);
    case PR_SET_MM:
        return special_refuse_shared(t, 2, 3);
    case PR_SET_VMA: /* a name for memory, which may be shared */
        (void)trap_own(t, 4, 80, true);
        return trap_make(t);
    default:
        return trap_make(t); /* arguments are numbers */
    }
}

/* One number for each semaphore of the set. */
static long special_semaphores(struct trap *t)
{
    struct semid_ds set;
    long result =
        trap_system(SYS_semctl, t->args[0], 0, IPC_STAT, (uintptr_t)&set, t->args[4], t->args[5]);
    return trap_failed(result) ? trap_make(t)
                               : special_make_with(t, 3, set.sem_nsems * sizeof(unsigned short));
}

long special_semctl(struct trap *t)
{
    switch ((int)t->args[2] & ~0x100) { /* IPC_64 */
    case IPC_STAT:
    case IPC_SET:
    case SEM_STAT:
    case SEM_STAT_ANY:
        return special_make_with(t, 3, sizeof(struct semid_ds));
    case IPC_INFO:
    case SEM_INFO:
        return special_make_with(t, 3, sizeof(struct seminfo));
    case GETALL:
    case SETALL:
        return special_semaphores(t);
    default:
        return trap_make(t); /* a number, or unused */
    }
}

long special_shmctl(struct trap *t)
{
    switch ((int)t->args[1] & ~0x100) { /* IPC_64 */
    case IPC_STAT:
    case IPC_SET:
    case SHM_STAT:
    case SHM_STAT_ANY:
        return special_make_with(t, 2, sizeof(struct shmid_ds));
    case IPC_INFO:
        return special_make_with(t, 2, sizeof(struct shminfo));
    case SHM_INFO:
        return special_make_with(t, 2, sizeof(struct shm_info));
    default:
        return trap_make(t); /* unused */
    }
}

long special_mincore(struct trap *t)
{
    size_t bytes = (size_t)(t->args[1] + PAGE_SIZE - 1) >> PAGE_SHIFT;
    (void)trap_own(t, 2, bytes, false);
    long result = trap_make(t);
    if (!trap_failed(result))
        trap_give(t, 2, bytes);
    return result;
}

/* ---- state that the return from a handler restores ---- */

static uint64_t special_bit(int sig)
{
    return UINT64_C(1) << (sig - 1);
}

long special_mask(struct trap *t)
{
    uint64_t now, set,
        never = special_bit(SIGKILL) | special_bit(SIGSTOP) | special_bit(SIGSYS) |
                special_bit(SIGSEGV);
    if (t->args[3] != MASK_BYTES)
        return -EINVAL;
    memcpy(&now, &t->context->uc_sigmask, sizeof now);
    if (t->args[2])
        memcpy((void *)(uintptr_t)t->args[2], &now, sizeof now);
    if (!t->args[1])
        return 0;
    memcpy(&set, (const void *)(uintptr_t)t->args[1], sizeof set);
    switch ((int)t->args[0]) {
    case SIG_BLOCK:
        now |= set;
        break;
    case SIG_UNBLOCK:
        now &= ~set;
        break;
    case SIG_SETMASK:
        now = set;
        break;
    default:
        return -EINVAL;
    }
    now &= ~never;
    memcpy(&t->context->uc_sigmask, &now, sizeof now);
    return 0;
}

static bool special_is_on(const stack_t *stack, uintptr_t sp)
{
    return stack->ss_size && sp - (uintptr_t)stack->ss_sp - 1 < stack->ss_size;
}

long special_stack(struct trap *t)
{
    stack_t now = t->context->uc_stack, new = { 0 };
    bool on = special_is_on(&now, altstack_interrupted(t->context));
    now.ss_flags = !now.ss_size ? SS_DISABLE : on ? SS_ONSTACK : 0;
    if (t->args[0])
        memcpy(&new, (const void *)(uintptr_t)t->args[0], sizeof new);
    if (t->args[0] && on)
        return -EPERM;
    if (t->args[0] && (new.ss_flags & ~SS_DISABLE & ~SS_ONSTACK))
        return -EINVAL;
    if (t->args[0] && !(new.ss_flags &SS_DISABLE) && new.ss_size < 2048)
        return -ENOMEM;
    if (t->args[1])
        memcpy((void *)(uintptr_t)t->args[1], &now, sizeof now);
    if (t->args[0])
        t->context->uc_stack = new.ss_flags &SS_DISABLE
                                   ? (stack_t){ .ss_flags = SS_DISABLE }
                                   : (stack_t){ .ss_sp = new.ss_sp, .ss_size = new.ss_size };
    return 0;
}
#endif
