/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls.c - see calls.h. Sizes of the system's structures are for a 64-bit CPU. */
#include "hlrc/system/calls.h"

#include "hlrc/system/special.h"

#if defined(__x86_64__)
#    include <asm/unistd.h>

/* May be missing in the system's headers, if these are older. */
#    define NUMBER_cachestat         451
#    define NUMBER_fchmodat2         452
#    define NUMBER_map_shadow_stack  453
#    define NUMBER_futex_wake        454
#    define NUMBER_futex_wait        455
#    define NUMBER_futex_requeue     456
#    define NUMBER_statmount         457
#    define NUMBER_listmount         458
#    define NUMBER_lsm_get_self_attr 459
#    define NUMBER_lsm_set_self_attr 460
#    define NUMBER_lsm_list_modules  461
#    define NUMBER_mseal             462
#    define NUMBERS_END              463

/* clang-format off */
#define IN(at, bytes)             { at, CALL_IN, 0, bytes }
#define OUT(at, bytes)            { at, CALL_OUT, 0, bytes }
#define BOTH(at, bytes)           { at, CALL_BOTH, 0, bytes }
#define SOME(at, bytes)           { at, CALL_OUT_SOME, 0, bytes }
#define LEFT(at, bytes)           { at, CALL_OUT_LEFT, 0, bytes }
#define TEXT(at)                  { at, CALL_TEXT, 0, 0 }
#define IN_MANY(at, of, bytes)    { at, CALL_IN_MANY, of, bytes }
#define OUT_MANY(at, of, bytes)   { at, CALL_OUT_MANY, of, bytes }
#define FOUND(at, of, bytes)      { at, CALL_OUT_FOUND, of, bytes }
#define IN_BITS(at, of)           { at, CALL_IN_BITS, of, 0 }
#define OUT_BITS(at, of)          { at, CALL_OUT_BITS, of, 0 }
#define ADDRESS(at, of)           { at, CALL_ADDRESS, of, 0 }, BOTH(of, 4)
#define STRANGE(at)               { at, CALL_STRANGE, 0, 0 }

#define CALL(name, ...)           [__NR_##name] = { #name, { __VA_ARGS__ }, NULL, 0, false },
#define LATE(name, ...)           [NUMBER_##name] = { #name, { __VA_ARGS__ }, NULL, 0, false },
#define SPECIAL(name, fn, mask)   [__NR_##name] = { #name, { { 0 } }, fn, mask, false },
#define POINTING(name, fn, mask)  [__NR_##name] = { #name, { { 0 } }, fn, mask, true },

static const struct calls_entry calls[] = {
    /* files */
    SPECIAL(read, special_bulk, 1 << 1)
    SPECIAL(write, special_bulk, 1 << 1)
    SPECIAL(pread64, special_bulk, 1 << 1)
    SPECIAL(pwrite64, special_bulk, 1 << 1)
    POINTING(readv, special_vector, 0)
    POINTING(writev, special_vector, 0)
    POINTING(preadv, special_vector, 0)
    POINTING(pwritev, special_vector, 0)
    POINTING(preadv2, special_vector, 0)
    POINTING(pwritev2, special_vector, 0)
    POINTING(vmsplice, special_lent, 0)
    CALL(open, TEXT(0))
    CALL(creat, TEXT(0))
    CALL(openat, TEXT(1))
    CALL(openat2, TEXT(1), IN_MANY(2, 3, 1))
    CALL(stat, TEXT(0), OUT(1, 144))
    CALL(lstat, TEXT(0), OUT(1, 144))
    CALL(fstat, OUT(1, 144))
    CALL(newfstatat, TEXT(1), OUT(2, 144))
    CALL(statx, TEXT(1), OUT(4, 256))
    CALL(statfs, TEXT(0), OUT(1, 120))
    CALL(fstatfs, OUT(1, 120))
    CALL(ustat, OUT(1, 32))
    CALL(access, TEXT(0))
    CALL(faccessat, TEXT(1))
    CALL(faccessat2, TEXT(1))
    CALL(truncate, TEXT(0))
    CALL(getcwd, FOUND(0, 1, 1))
    CALL(chdir, TEXT(0))
    CALL(chroot, TEXT(0))
    CALL(rename, TEXT(0), TEXT(1))
    CALL(renameat, TEXT(1), TEXT(3))
    CALL(renameat2, TEXT(1), TEXT(3))
    CALL(mkdir, TEXT(0))
    CALL(mkdirat, TEXT(1))
    CALL(rmdir, TEXT(0))
    CALL(link, TEXT(0), TEXT(1))
    CALL(linkat, TEXT(1), TEXT(3))
    CALL(symlink, TEXT(0), TEXT(1))
    CALL(symlinkat, TEXT(0), TEXT(2))
    CALL(unlink, TEXT(0))
    CALL(unlinkat, TEXT(1))
    CALL(readlink, TEXT(0), FOUND(1, 2, 1))
    CALL(readlinkat, TEXT(1), FOUND(2, 3, 1))
    CALL(chmod, TEXT(0))
    CALL(fchmodat, TEXT(1))
    LATE(fchmodat2, TEXT(1))
    CALL(chown, TEXT(0))
    CALL(lchown, TEXT(0))
    CALL(fchownat, TEXT(1))
    CALL(mknod, TEXT(0))
    CALL(mknodat, TEXT(1))
    CALL(utime, TEXT(0), IN(1, 16))
    CALL(utimes, TEXT(0), IN(1, 32))
    CALL(futimesat, TEXT(1), IN(2, 32))
    CALL(utimensat, TEXT(1), IN(2, 32))
    CALL(getdents, FOUND(1, 2, 1))
    CALL(getdents64, FOUND(1, 2, 1))
    CALL(sendfile, BOTH(2, 8))
    CALL(splice, BOTH(1, 8), BOTH(3, 8))
    CALL(copy_file_range, BOTH(1, 8), BOTH(3, 8))
    CALL(name_to_handle_at, TEXT(1), STRANGE(2), OUT(3, 4))
    CALL(open_by_handle_at, STRANGE(1))
    CALL(setxattr, TEXT(0), TEXT(1), IN_MANY(2, 3, 1))
    CALL(lsetxattr, TEXT(0), TEXT(1), IN_MANY(2, 3, 1))
    CALL(fsetxattr, TEXT(1), IN_MANY(2, 3, 1))
    CALL(getxattr, TEXT(0), TEXT(1), FOUND(2, 3, 1))
    CALL(lgetxattr, TEXT(0), TEXT(1), FOUND(2, 3, 1))
    CALL(fgetxattr, TEXT(1), FOUND(2, 3, 1))
    CALL(listxattr, TEXT(0), FOUND(1, 2, 1))
    CALL(llistxattr, TEXT(0), FOUND(1, 2, 1))
    CALL(flistxattr, FOUND(1, 2, 1))
    CALL(removexattr, TEXT(0), TEXT(1))
    CALL(lremovexattr, TEXT(0), TEXT(1))
    CALL(fremovexattr, TEXT(1))
    CALL(inotify_add_watch, TEXT(1))
    CALL(fanotify_mark, TEXT(4))
    CALL(memfd_create, TEXT(0))
    SPECIAL(fcntl, special_fcntl, 1 << 2)
    SPECIAL(ioctl, special_ioctl, 1 << 2)
    LATE(cachestat, IN(1, 16), OUT(2, 40))
    /* waiting */
    CALL(pipe, OUT(0, 8))
    CALL(pipe2, OUT(0, 8))
    SPECIAL(poll, special_poll, 1 << 0)
    SPECIAL(ppoll, special_poll, 1 << 0 | 1 << 2 | 1 << 3)
    SPECIAL(select, special_select, 0x1e)
    POINTING(pselect6, special_select, 0x3e)
    CALL(epoll_ctl, IN(3, 12))
    CALL(epoll_wait, FOUND(1, 2, 12))
    CALL(epoll_pwait, FOUND(1, 2, 12), IN_MANY(4, 5, 1))
    CALL(epoll_pwait2, FOUND(1, 2, 12), IN(3, 16), IN_MANY(4, 5, 1))
    CALL(signalfd, IN_MANY(1, 2, 1))
    CALL(signalfd4, IN_MANY(1, 2, 1))
    POINTING(io_submit, special_lent, 0)
    CALL(io_setup, BOTH(1, 8))
    CALL(io_getevents, FOUND(3, 2, 32), IN(4, 16))
    CALL(io_pgetevents, FOUND(3, 2, 32), IN(4, 16), STRANGE(5))
    CALL(io_cancel, STRANGE(1), OUT(2, 32))
    CALL(io_uring_setup, BOTH(1, 120))
    CALL(io_uring_register, STRANGE(2))
    /* sockets */
    CALL(bind, IN_MANY(1, 2, 1))
    CALL(connect, IN_MANY(1, 2, 1))
    CALL(accept, ADDRESS(1, 2))
    CALL(accept4, ADDRESS(1, 2))
    CALL(getsockname, ADDRESS(1, 2))
    CALL(getpeername, ADDRESS(1, 2))
    CALL(socketpair, OUT(3, 8))
    CALL(setsockopt, IN_MANY(3, 4, 1))
    CALL(getsockopt, ADDRESS(3, 4))
    CALL(sendto, IN_MANY(1, 2, 1), IN_MANY(4, 5, 1))
    CALL(recvfrom, FOUND(1, 2, 1), ADDRESS(4, 5))
    POINTING(sendmsg, special_message, 0)
    POINTING(recvmsg, special_message, 0)
    POINTING(sendmmsg, special_messages, 0)
    POINTING(recvmmsg, special_messages, 0)
    /* time */
    CALL(nanosleep, IN(0, 16), LEFT(1, 16))
    CALL(clock_nanosleep, IN(2, 16), LEFT(3, 16))
    CALL(clock_gettime, OUT(1, 16))
    CALL(clock_getres, OUT(1, 16))
    CALL(clock_settime, IN(1, 16))
    CALL(clock_adjtime, BOTH(1, 208))
    CALL(adjtimex, BOTH(0, 208))
    CALL(gettimeofday, OUT(0, 16), OUT(1, 8))
    CALL(settimeofday, IN(0, 16), IN(1, 8))
    CALL(time, OUT(0, 8))
    CALL(times, OUT(0, 32))
    CALL(getitimer, OUT(1, 32))
    CALL(setitimer, IN(1, 32), OUT(2, 32))
    CALL(timer_create, IN(1, 64), OUT(2, 4))
    CALL(timer_gettime, OUT(1, 32))
    CALL(timer_settime, IN(2, 32), OUT(3, 32))
    CALL(timerfd_gettime, OUT(1, 32))
    CALL(timerfd_settime, IN(2, 32), OUT(3, 32))
    /* signals and processes */
    CALL(rt_sigaction, IN(1, 32), OUT(2, 32))
    SPECIAL(rt_sigprocmask, special_mask, 1 << 1 | 1 << 2)
    SPECIAL(sigaltstack, special_stack, 1 << 0 | 1 << 1)
    CALL(rt_sigpending, OUT_MANY(0, 1, 1))
    CALL(rt_sigsuspend, IN_MANY(0, 1, 1))
    CALL(rt_sigtimedwait, IN_MANY(0, 3, 1), SOME(1, 128), IN(2, 16))
    CALL(rt_sigqueueinfo, IN(2, 128))
    CALL(rt_tgsigqueueinfo, IN(3, 128))
    CALL(pidfd_send_signal, IN(2, 128))
    CALL(wait4, SOME(1, 4), SOME(3, 144))
    CALL(waitid, BOTH(2, 128), BOTH(4, 144))
    SPECIAL(prctl, special_prctl, 0x1e)
    CALL(getrusage, OUT(1, 144))
    CALL(getrlimit, OUT(1, 16))
    CALL(setrlimit, IN(1, 16))
    CALL(prlimit64, IN(2, 16), OUT(3, 16))
    CALL(getcpu, OUT(0, 4), OUT(1, 4))
    CALL(getgroups, FOUND(1, 0, 4))
    CALL(setgroups, IN_MANY(1, 0, 4))
    CALL(getresuid, OUT(0, 4), OUT(1, 4), OUT(2, 4))
    CALL(getresgid, OUT(0, 4), OUT(1, 4), OUT(2, 4))
    CALL(capget, STRANGE(0), STRANGE(1))
    CALL(capset, STRANGE(0), STRANGE(1))
    CALL(sched_setparam, IN(1, 4))
    CALL(sched_getparam, OUT(1, 4))
    CALL(sched_setscheduler, IN(2, 4))
    CALL(sched_rr_get_interval, OUT(1, 16))
    CALL(sched_setaffinity, IN_MANY(2, 1, 1))
    CALL(sched_getaffinity, FOUND(2, 1, 1))
    CALL(sched_setattr, STRANGE(1))
    CALL(sched_getattr, OUT_MANY(1, 2, 1))
    CALL(ptrace, STRANGE(3))
    POINTING(process_vm_readv, special_other, 0)
    POINTING(process_vm_writev, special_other, 0)
    CALL(process_madvise, IN_MANY(1, 2, 16))
    /* memory placement */
    SPECIAL(mincore, special_mincore, 1 << 2)
    CALL(mbind, IN_BITS(3, 4))
    CALL(set_mempolicy, IN_BITS(1, 2))
    CALL(get_mempolicy, OUT(0, 4), OUT_BITS(1, 2))
    CALL(migrate_pages, IN_BITS(2, 1), IN_BITS(3, 1))
    CALL(move_pages, IN_MANY(2, 1, 8), IN_MANY(3, 1, 4), OUT_MANY(4, 1, 4))
    /* messages and semaphores */
    CALL(semop, IN_MANY(1, 2, 6))
    CALL(semtimedop, IN_MANY(1, 2, 6), IN(3, 16))
    SPECIAL(semctl, special_semctl, 1 << 3)
    SPECIAL(shmctl, special_shmctl, 1 << 2)
    CALL(msgsnd, STRANGE(1))
    CALL(msgrcv, STRANGE(1))
    CALL(msgctl, STRANGE(2))
    CALL(mq_open, TEXT(0), IN(3, 64))
    CALL(mq_unlink, TEXT(0))
    CALL(mq_timedsend, IN_MANY(1, 2, 1), IN(4, 16))
    CALL(mq_timedreceive, FOUND(1, 2, 1), OUT(3, 4), IN(4, 16))
    CALL(mq_notify, IN(1, 64))
    CALL(mq_getsetattr, IN(1, 64), OUT(2, 64))
    /* the machine */
    CALL(uname, OUT(0, 390))
    CALL(sysinfo, OUT(0, 112))
    CALL(syslog, FOUND(1, 2, 1))
    CALL(getrandom, FOUND(0, 1, 1))
    CALL(sethostname, IN_MANY(0, 1, 1))
    CALL(setdomainname, IN_MANY(0, 1, 1))
    CALL(mount, TEXT(0), TEXT(1), TEXT(2), TEXT(4))
    CALL(umount2, TEXT(0))
    CALL(pivot_root, TEXT(0), TEXT(1))
    CALL(swapon, TEXT(0))
    CALL(swapoff, TEXT(0))
    CALL(acct, TEXT(0))
    CALL(uselib, TEXT(0))
    CALL(delete_module, TEXT(0))
    CALL(add_key, TEXT(0), TEXT(1), IN_MANY(2, 3, 1))
    CALL(request_key, TEXT(0), TEXT(1), TEXT(2))
    CALL(open_tree, TEXT(1))
    CALL(move_mount, TEXT(1), TEXT(3))
    CALL(fsopen, TEXT(0))
    CALL(fspick, TEXT(1))
    CALL(fsconfig, TEXT(2), STRANGE(3))
    CALL(mount_setattr, TEXT(1), IN_MANY(3, 4, 1))
    CALL(quotactl, STRANGE(1), STRANGE(3))
    CALL(quotactl_fd, STRANGE(3))
    CALL(sysfs, STRANGE(1), STRANGE(2))
    CALL(reboot, STRANGE(3))
    CALL(init_module, STRANGE(0), STRANGE(2))
    CALL(finit_module, TEXT(1))
    CALL(kexec_load, STRANGE(2))
    CALL(kexec_file_load, STRANGE(3))
    CALL(keyctl, STRANGE(1), STRANGE(2), STRANGE(3), STRANGE(4))
    CALL(bpf, STRANGE(1))
    CALL(perf_event_open, STRANGE(0))
    CALL(seccomp, STRANGE(2))
    CALL(landlock_create_ruleset, IN_MANY(0, 1, 1))
    CALL(landlock_add_rule, STRANGE(2))
    CALL(modify_ldt, STRANGE(1))
    CALL(lookup_dcookie, FOUND(1, 2, 1))
    CALL(_sysctl, STRANGE(0))
    LATE(statmount, STRANGE(0), STRANGE(1))
    LATE(listmount, STRANGE(0), STRANGE(1))
    LATE(lsm_get_self_attr, STRANGE(1), STRANGE(2))
    LATE(lsm_set_self_attr, STRANGE(1))
    LATE(lsm_list_modules, STRANGE(0), STRANGE(1))
};

/*
 * Without memory: close lseek sched_yield shmget dup dup2 pause alarm getpid socket shutdown listen
 * kill semget msgget flock fsync fdatasync ftruncate fchdir fchmod fchown umask getuid getgid
 * setuid setgid geteuid getegid setpgid getppid getpgrp setsid setreuid setregid setresuid
 * setresgid getpgid setfsuid setfsgid getsid personality getpriority setpriority sched_getscheduler
 * sched_get_priority_max sched_get_priority_min vhangup sync iopl ioperm gettid readahead tkill
 * io_destroy epoll_create timer_getoverrun timer_delete fadvise64 tgkill ioprio_set ioprio_get
 * inotify_init inotify_rm_watch unshare tee sync_file_range timerfd_create eventfd fallocate
 * eventfd2 epoll_create1 dup3 inotify_init1 fanotify_init syncfs setns kcmp userfaultfd membarrier
 * pkey_alloc pkey_free pidfd_open close_range pidfd_getfd landlock_restrict_self memfd_secret
 * process_mrelease fsmount io_uring_enter
 *
 * Calls of the engine and of the C library, on any memory: mmap mprotect munmap brk mremap msync
 * madvise shmat shmdt mlock mlock2 munlock mlockall munlockall remap_file_pages pkey_mprotect
 * set_mempolicy_home_node mseal map_shadow_stack futex futex_waitv futex_wake futex_wait
 * futex_requeue set_tid_address set_robust_list get_robust_list rseq arch_prctl restart_syscall
 * rt_sigreturn clone clone3 fork vfork execve execveat exit exit_group
 *
 * Obsolete on current systems: nfsservctl getpmsg putpmsg afs_syscall tuxcall security
 * create_module get_kernel_syms query_module epoll_ctl_old epoll_wait_old vserver set_thread_area
 * get_thread_area
 */
/* clang-format on */

_Static_assert(sizeof calls / sizeof *calls <= NUMBERS_END, "the last number is the last");

const struct calls_entry *calls_by_number(long number)
{
    if (number < 0 || number >= (long)(sizeof calls / sizeof *calls) || !calls[number].name)
        return NULL;
    return &calls[number];
}

long calls_end(void)
{
    return NUMBERS_END;
}
#else
const struct calls_entry *calls_by_number(long number)
{
    (void)number;
    return NULL;
}

long calls_end(void)
{
    return 0;
}
#endif

unsigned calls_mask(const struct calls_entry *call)
{
    unsigned mask = call->mask;
    for (size_t i = 0; i < sizeof call->args / sizeof *call->args && call->args[i].how; i++)
        mask |= 1u << call->args[i].at;
    return mask;
}
