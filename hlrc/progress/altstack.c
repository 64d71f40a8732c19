/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* altstack.c - see altstack.h. */
#include "hlrc/progress/altstack.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "base/reserve.h"
#include "base/tool.h"

#define GUARD    4096u
#define RED_ZONE 256u /* below the stack pointer, of functions that call none */

static char *stacks; /* a guard and a stack for each slot */
/* Valgrind loses sight of a thread's stack when a handler returns from another one: it then takes
 * the next large frame for a switch of stacks, and all that is in it for invalid. */
static bool tool;

static char *stack_of(uint32_t slot)
{
    return stacks + (size_t)slot * (GUARD + ALTSTACK_BYTES) + GUARD;
}

void altstack_take(uint32_t slot)
{
    stack_t now, ours = { .ss_sp = stack_of(slot), .ss_size = ALTSTACK_BYTES };
    if (!stacks || tool || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return; /* AS1 */
    (void)mprotect(stack_of(slot) - GUARD, GUARD, PROT_NONE);
    (void)sigaltstack(&ours, NULL);
}

void altstack_leave(uint32_t slot)
{
    stack_t now, none = { .ss_flags = SS_DISABLE };
    if (stacks && sigaltstack(NULL, &now) == 0 && now.ss_sp == stack_of(slot))
        (void)sigaltstack(&none, NULL);
}

void altstack_keep(ucontext_t *context)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE))
        context->uc_stack = (stack_t){ .ss_sp = now.ss_sp, .ss_size = now.ss_size };
}

uintptr_t altstack_interrupted(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#else
#    error "where this CPU has its stack pointer"
#endif
}

struct call {
    void (*act)(void *);
    void *arg;
};

/* makecontext passes integers. */
static void enter(unsigned low, unsigned high)
{
    const struct call *call = (const void *)((uintptr_t)low | (uintptr_t)high << 32);
    call->act(call->arg);
}

static void run_at(uintptr_t top, void (*act)(void *), void *arg)
{
    struct call call = { act, arg };
    uintptr_t self = (uintptr_t)&call;
    ucontext_t here, there;
    if (getcontext(&there) != 0)
        return;
    there.uc_stack =
        (stack_t){ .ss_sp = (void *)(top - ALTSTACK_BYTES), .ss_size = ALTSTACK_BYTES };
    there.uc_link = &here;
    makecontext(&there, (void (*)(void))enter, 2, (unsigned)self, (unsigned)(self >> 32));
    (void)swapcontext(&here, &there);
}

void altstack_run(const ucontext_t *context, void (*act)(void *), void *arg)
{
    run_at((altstack_interrupted(context) - RED_ZONE) & ~(uintptr_t)63, act, arg);
}

/* Of the sanitizer's runtime, in the program or here; NULL without it. */
void __asan_init(void) __attribute__((weak));

struct own_call {
    struct call call;
    stack_t own;
};

static void run_as_alternate(void *arg)
{
    const struct own_call *c = arg;
    (void)sigaltstack(&c->own, NULL);
    c->call.act(c->call.arg);
}

void altstack_run_own(uint32_t slot, void (*act)(void *), void *arg)
{
    stack_t own = { .ss_sp = stack_of(slot), .ss_size = ALTSTACK_BYTES };
    struct own_call c = { { act, arg }, own };
    run_at((uintptr_t)own.ss_sp + ALTSTACK_BYTES, run_as_alternate, &c);
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Binds the functions of altstack_run: the dynamic linker does it at their first call, and needs
 * more than a small stack has. The address sanitizer has large ones, and complains of swapcontext.
 */
static void bind_functions(void)
{
    char *elsewhere = __asan_init ? NULL : reserve(ALTSTACK_BYTES);
    if (elsewhere)
        run_at((uintptr_t)elsewhere + ALTSTACK_BYTES, nothing, NULL);
    reserve_end(elsewhere, ALTSTACK_BYTES);
}

int altstacks_init(uint32_t count)
{
    size_t bytes = (size_t)count * (GUARD + ALTSTACK_BYTES);
    tool = tool_valgrind();
    bind_functions();
    if (!stacks && (stacks = reserve(bytes)) != NULL)
        (void)madvise(stacks, bytes, MADV_DODUMP); /* who crashes there may be of interest */
    return stacks ? 0 : -ENOMEM;
}
