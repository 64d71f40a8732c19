/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* filter.c - see filter.h for the invariants. */
#include "hlrc/system/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/diag.h"
#include "base/procfs.h"
#include "base/race.h"
#include "base/system_sigaction.h"
#include "base/tool.h"
#include "hlrc/core/engine.h"
#include "hlrc/system/calls.h"
#include "hlrc/system/trap.h"

#if defined(__x86_64__)
#    include <linux/audit.h>
#    include <linux/filter.h>
#    include <linux/seccomp.h>
#    include <sys/personality.h>
#    include <sys/prctl.h>
#    include <sys/syscall.h>

#    ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#        define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4
#    endif

#    define STEPS      3000
#    define POINTS     (RANGES_MAX * CALL_ARGS + 512 + CALL_ARGS) /* forward jumps */
#    define X32        0x40000000u
#    define APART_END  UINT64_C(0x400000000000) /* a library at or above it is not apart */
#    define NO_ARGS    0u
#    define POINTS_ON  0x80u /* a class of calls, distinct from masks of arguments */
#    define EVERY_ARG  0x3fu
#    define HIGH(word) ((uint32_t)((uint64_t)(word) >> 32))
#    define LOW(word)  ((uint32_t)(word))
#    define OFFSET(of) ((uint32_t)offsetof(struct seccomp_data, of))

/* Marks the environment of programs of HLRC that this process starts. */
#    define FILTERED "HLRC_FILTERED"

/* ---- the filter program ---- */

static struct sock_filter steps[STEPS];
static uint32_t step_count;
/* jumps to the comparison of arguments, and to the test of the code's address */
static struct {
    uint32_t at[POINTS];
    uint32_t count;
} to_args, to_code;

static uint32_t filter_emit(uint16_t code, uint32_t k, unsigned yes, unsigned no)
{
    if (step_count < STEPS)
        steps[step_count] = (struct sock_filter){ code, (uint8_t)yes, (uint8_t)no, k };
    return step_count++;
}

#    define LOAD(k)        filter_emit(BPF_LD | BPF_W | BPF_ABS, k, 0, 0)
#    define RETURN(k)      filter_emit(BPF_RET | BPF_K, k, 0, 0)
#    define IF_IS(k, y, n) filter_emit(BPF_JMP | BPF_JEQ | BPF_K, k, y, n)
#    define IF_GE(k, y, n) filter_emit(BPF_JMP | BPF_JGE | BPF_K, k, y, n)
#    define IF_GT(k, y, n) filter_emit(BPF_JMP | BPF_JGT | BPF_K, k, y, n)

static void filter_land(uint32_t jump)
{
    if (step_count <= STEPS)
        steps[jump].k = step_count - jump - 1;
}

static uint32_t filter_jump(void)
{
    return filter_emit(BPF_JMP | BPF_JA, 0, 0, 0);
}

#    define JUMP(where) ((where).at[(where).count++] = filter_jump())

static void filter_land_all(const uint32_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        filter_land(at[i]);
}

/* The class of a number: NO_ARGS, POINTS_ON, or a mask of arguments to compare. */
static unsigned filter_class_of(long number)
{
    const struct calls_entry *call = calls_by_number(number);
    if (number >= calls_end())
        return EVERY_ARG;
    return !call ? NO_ARGS : call->pointing ? POINTS_ON : calls_mask(call);
}

static void filter_emit_class(unsigned class)
{
    if (class == NO_ARGS) {
        RETURN(SECCOMP_RET_ALLOW);
    } else if (class == POINTS_ON) {
        JUMP(to_code);
    } else {
        filter_emit(BPF_LD | BPF_IMM, class, 0, 0);
        filter_emit(BPF_ST, 0, 0, 0);
        JUMP(to_args);
    }
}

/* A binary tree over first[0] to first[n - 1], at each of which a run of numbers of one class
 * starts. */
static void filter_emit_tree(const long *first, size_t n)
{
    if (n == 1) {
        filter_emit_class(filter_class_of(first[0]));
        return;
    }
    IF_GE((uint32_t)first[n / 2], 0, 1);
    uint32_t upper = filter_jump();
    filter_emit_tree(first, n / 2);
    filter_land(upper);
    filter_emit_tree(first + n / 2, n - n / 2);
}

/* Jumps to to_code if the word at `low` and `high` is in the range; for a large range it compares
 * only the upper words, in steps of 4 GiB, and so accepts slightly more. */
static void filter_emit_range(uint32_t low, uint32_t high, uint64_t begin, uint64_t bytes)
{
    uint64_t last = begin + bytes - 1;
    LOAD(high);
    if (HIGH(begin) == HIGH(last)) {
        IF_IS(HIGH(begin), 0, 4);
        LOAD(low);
        IF_GE(LOW(begin), 0, 2);
        IF_GT(LOW(last), 1, 0);
    } else {
        IF_GE(HIGH(begin), 0, 2);
        IF_GT(HIGH(last), 1, 0);
    }
    JUMP(to_code);
}

static void filter_emit_arg(unsigned arg)
{
    uint32_t at = OFFSET(args) + 8 * arg;
    filter_emit(BPF_LD | BPF_MEM, 0, 0, 0);
    uint32_t skip = filter_emit(BPF_JMP | BPF_JSET | BPF_K, 1u << arg, 0, 0);
    filter_emit_range(at, at + 4, (uintptr_t)engine.app,
                      (uint64_t)engine_heap_pages() << PAGE_SHIFT);
    for (uint32_t i = 0; i < engine.range_count; i++)
        filter_emit_range(at, at + 4, (uintptr_t)engine.ranges[i].app,
                          (uint64_t)engine.ranges[i].pages << PAGE_SHIFT);
    steps[skip].jf = (uint8_t)(step_count - skip - 1);
}

/* `first` to `last` are the upper words of the libraries' addresses. */
static void filter_emit_code(uint32_t first, uint32_t last)
{
    IF_GE(first, 0, 2);
    IF_GT(last, 1, 0);
    RETURN(SECCOMP_RET_TRAP);
}

static bool filter_build(uint32_t code)
{
    uintptr_t begin, end;
    long first[512];
    size_t n = 0;
    for (long number = 0; number <= calls_end(); number++)
        if (number == 0 || filter_class_of(number) != filter_class_of(number - 1))
            first[n++] = number;
    step_count = to_args.count = to_code.count = 0;
    LOAD(OFFSET(arch));
    IF_IS(AUDIT_ARCH_X86_64, 1, 0);
    RETURN(SECCOMP_RET_ALLOW);
    LOAD(OFFSET(nr));
    IF_GE(X32, 0, 1);
    RETURN(SECCOMP_RET_ALLOW);
    filter_emit_tree(first, n);
    filter_land_all(to_args.at, to_args.count);
    for (unsigned arg = 0; arg < CALL_ARGS; arg++)
        filter_emit_arg(arg);
    RETURN(SECCOMP_RET_ALLOW);
    filter_land_all(to_code.at, to_code.count);
    LOAD(OFFSET(instruction_pointer) + 4);
    filter_emit_code(code - 1, code + 1);
    if (addresses_parted(&begin, &end)) /* libraries of dlopen: [addresses.reserved] */
        filter_emit_code(HIGH(begin), HIGH(end - 1));
    RETURN(SECCOMP_RET_ALLOW);
    return step_count <= STEPS;
}

/* ---- whether a filter is possible ---- */

static bool filter_layout_is_old(void)
{
    return procfs_number("/proc/sys/vm/legacy_va_layout", 0) != 0;
}

/* Address of the C library's code. */
static uintptr_t filter_code_address(void)
{
    return (uintptr_t)&syscall;
}

/* Programs started from here on have the usual layout. */
static bool filter_start_as_usual(void)
{
    int now = personality(0xffffffff);
    return now >= 0 && (!(now & ADDR_COMPAT_LAYOUT) ||
                        personality((unsigned long)now & ~(unsigned long)ADDR_COMPAT_LAYOUT) >= 0);
}

static const char *filter_obstacle(void)
{
    if (tool_valgrind())
        return "valgrind makes the program's system calls itself";
    if (race_watched())
        return "ThreadSanitizer has its own layout of memory";
    if (secure_getenv(FILTERED))
        return "the job that started this one already filters system calls, and its child "
               "processes cannot";
    if (filter_code_address() >= APART_END || filter_layout_is_old())
        return "the libraries of this process are at the default addresses; start it with hlrcrun, "
               "or with setarch --addr-compat-layout";
    return NULL;
}

/* The flag keeps the CPU's speculation as it is without a filter. */
static int filter_install(void)
{
    const struct sock_fprog program = { (unsigned short)step_count, steps };
    unsigned flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    sigset_t sys;
    sigemptyset(&sys);
    sigaddset(&sys, SIGSYS);
    long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (rc < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    return rc < 0 ? -errno : system_sigaction_mask(SIG_UNBLOCK, &sys, NULL);
}

static int system_filter_start(const char **why)
{
    *why = filter_obstacle();
    if (*why)
        return -ENOTSUP;
    if (!filter_build(HIGH(filter_code_address()))) {
        *why = "too many ranges of shared memory";
        return -ENOTSUP;
    }
    int rc = trap_install();
    if (rc == 0)
        rc = filter_install();
    if (rc == 0 && setenv(FILTERED, "1", 1) != 0)
        rc = -ENOMEM;
    *why = rc ? "the system does not allow a filter of system calls (seccomp)" : NULL;
    return rc;
}
#else
static bool filter_start_as_usual(void)
{
    return true;
}

static int system_filter_start(const char **why)
{
    *why = "not supported on this CPU";
    return -ENOTSUP;
}
#endif

int filter_start(void)
{
    const char *why;
    if (engine.config.syscalls == SYSCALLS_OFF || engine.alone)
        return 0;
    why = filter_start_as_usual() ? NULL : "the system does not allow personality(2)";
    int rc = why ? -ENOTSUP : system_filter_start(&why);
    if (rc == 0 || engine.config.syscalls == SYSCALLS_AUTO)
        return 0;
    diag_report(1, "--syscalls touch: %s; or start with --syscalls off", why);
    return rc;
}
