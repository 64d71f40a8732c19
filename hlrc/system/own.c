/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own.c - the system calls that the handler makes, and its memory for them; see trap.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/diag.h"
#include "hlrc/core/engine.h"
#include "hlrc/system/trap.h"

#if defined(__x86_64__)

#    define TRAP_PAGE ((void *)0x17fffffff000) /* not used otherwise: lane.h, space.c */

/* ---- the page from which calls are made ---- */

typedef long make_fn(long number, const uint64_t args[CALL_ARGS]);
static make_fn *make;

/* rdi: number, rsi: arguments. */
static const unsigned char make_code[] = {
    0x48, 0x89, 0xf8,       /* mov  %rdi, %rax */
    0x49, 0x89, 0xf3,       /* mov  %rsi, %r11 */
    0x49, 0x8b, 0x3b,       /* mov  (%r11), %rdi */
    0x49, 0x8b, 0x73, 0x08, /* mov  8(%r11), %rsi */
    0x49, 0x8b, 0x53, 0x10, /* mov  16(%r11), %rdx */
    0x4d, 0x8b, 0x53, 0x18, /* mov  24(%r11), %r10 */
    0x4d, 0x8b, 0x43, 0x20, /* mov  32(%r11), %r8 */
    0x4d, 0x8b, 0x4b, 0x28, /* mov  40(%r11), %r9 */
    0x0f, 0x05,             /* syscall */
    0xc3,                   /* ret */
};

int trap_page(void)
{
    void *page = hlrc_addresses_map_at(TRAP_PAGE, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (page == MAP_FAILED)
        return -errno;
    memcpy(page, make_code, sizeof make_code);
    if (mprotect(page, PAGE_SIZE, PROT_READ | PROT_EXEC) != 0)
        return -errno;
    debug_assert(((uintptr_t)TRAP_PAGE >> 32) + 1 < (uintptr_t)&syscall >> 32);
    make = (make_fn *)(uintptr_t)page;
    return 0;
}

bool trap_is_own(const void *code)
{
    return (uintptr_t)code - (uintptr_t)TRAP_PAGE <= sizeof make_code;
}

long trap_make(const struct trap *t)
{
    return make(t->number, t->pass);
}

long trap_system(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                 uint64_t f)
{
    const uint64_t args[CALL_ARGS] = { a, b, c, d, e, f };
    return make(number, args);
}

/* ---- memory ---- */

void *trap_own(struct trap *t, int at, size_t bytes, bool copied)
{
    const void *theirs = (const void *)(uintptr_t)t->args[at];
    if (!engine_in_space(theirs))
        return NULL;
    void *own = bounce_take(&t->own, bytes);
    if (!own)
        diag_fatal(1, "system call %s: no memory for a copy of %zu bytes; pass less at once",
                   t->call->name, bytes);
    if (copied && bytes)
        memcpy(own, theirs, bytes);
    t->pass[at] = (uintptr_t)own;
    return own;
}

void trap_give(const struct trap *t, int at, size_t bytes)
{
    if (t->pass[at] != t->args[at] && bytes) /* [syscalls.copies] */
        memcpy((void *)(uintptr_t)t->args[at], (const void *)(uintptr_t)t->pass[at], bytes);
}

bool trap_look(void *out, uint64_t from, size_t bytes)
{
    const void *theirs = (const void *)(uintptr_t)from;
    uint64_t to[] = { (uintptr_t)out, bytes }, at[] = { from, bytes };
    if (bytes == 0)
        return true;
    if (!engine_in_space(theirs)) {
        long got = trap_system(SYS_process_vm_readv, (uint64_t)getpid(), (uintptr_t)to, 1,
                               (uintptr_t)at, 1, 0);
        if (got == (long)bytes)
            return true;
        if (got >= 0 || got == -EFAULT)
            return false;
    }
    memcpy(out, theirs, bytes); /* shared; or process_vm_readv is not allowed */
    return true;
}

_Noreturn void trap_refuse(const struct trap *t, int at, uint64_t address, const char *why)
{
    char name[32];
    if (t->call)
        snprintf(name, sizeof name, "%s", t->call->name);
    else
        snprintf(name, sizeof name, "number %ld", t->number);
    diag_fatal(1,
               "system call %s: argument %d, 0x%llx, is in shared memory, %s; pass it memory that "
               "is not shared",
               name, at + 1, (unsigned long long)address, why);
}
#endif
