/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exact.c - see exact.h. */
#include "hlrc/memory/exact.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/diag.h"
#include "base/system_sigaction.h"
#include "hlrc/core/engine.h"

#define MARK 0x4d41524b

static struct sigaction before;
static void *page;          /* without access when the load comes */
static volatile long found; /* the context's value of the register that had MARK */

/*
 * A register is written, the load faults, and the register is written again. A tool that
 * translates blocks of code sees that only a signal handler could read the first write. In one
 * function, so that the address has been written before and is not written again in the same
 * block.
 */
__attribute__((noinline)) static void exact_load_between_writes(const void *from)
{
#if defined(__x86_64__)
    __asm__ volatile("movq %1, %%r8\n\tmovq (%0), %%r9\n\tmovq $0, %%r8"
                     :
                     : "r"(from), "i"(MARK)
                     : "r8", "r9", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("ldr x9, =%c1\n\tldr x10, [%0]\n\tmov x9, #0"
                     :
                     : "r"(from), "i"(MARK)
                     : "x9", "x10", "memory");
#endif
}

static long exact_marked_register(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (long)context->uc_mcontext.gregs[REG_R8];
#elif defined(__aarch64__)
    return (long)context->uc_mcontext.regs[9];
#endif
}

static void exact_on_signal(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    if (info->si_addr == page) {
        found = exact_marked_register(context);
        mprotect(page, PAGE_SIZE, PROT_READ);
    } else {
        system_sigaction(SIGSEGV, &before, NULL); /* another thread's fault, which is repeated */
    }
}

/* sets found */
static int exact_try_load(void)
{
    struct sigaction mine = { .sa_flags = SA_SIGINFO, .sa_sigaction = exact_on_signal };
    sigemptyset(&mine.sa_mask);
    if (system_sigaction(SIGSEGV, &mine, &before) != 0)
        return -errno;
    exact_load_between_writes(page);
    return system_sigaction(SIGSEGV, &before, NULL) == 0 ? 0 : -errno;
}

int exact_check(void)
{
    page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    int rc = mprotect(page, PAGE_SIZE, PROT_NONE) == 0 ? exact_try_load() : -errno;
    munmap(page, PAGE_SIZE);
    if (rc || found == MARK)
        return rc;
    diag_report(1, "this program runs under a tool that does not keep registers exact at memory "
                   "accesses, so page faults would give wrong results; start valgrind with "
                   "--vex-iropt-register-updates=allregs-at-mem-access");
    return -ENOTSUP;
}
