/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* altstack.c - see altstack.h. */
#include "hlrc/progress/altstack.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/reserve.h"
#include "base/stack_switch.h"
#include "base/tool.h"

#define GUARD 4096u

static char *stacks;       /* a guard page and a stack per slot */
static size_t stack_bytes; /* per slot; a multiple of GUARD */
/* Valgrind loses track of a thread's stack when a handler returns from another stack. It then
 * takes the next large frame for a switch of stacks, and its contents for invalid. */
static bool tool;

static char *altstack_stack_of(uint32_t slot)
{
    return stacks + (size_t)slot * (GUARD + stack_bytes) + GUARD;
}

stack_t altstack_slot(uint32_t slot)
{
    return (stack_t){ .ss_sp = altstack_stack_of(slot), .ss_size = stack_bytes };
}

static stack_t altstack_stack_guarded(uint32_t slot)
{
    (void)mprotect(altstack_stack_of(slot) - GUARD, GUARD, PROT_NONE);
    return altstack_slot(slot);
}

void altstack_take(uint32_t slot)
{
    stack_t now, ours;
    if (!stacks || tool || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    ours = altstack_stack_guarded(slot);
    (void)sigaltstack(&ours, NULL);
}

void altstack_leave(uint32_t slot)
{
    stack_t now, none = { .ss_flags = SS_DISABLE };
    if (stacks && sigaltstack(NULL, &now) == 0 && now.ss_sp == altstack_stack_of(slot))
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
#    error "return this CPU's stack pointer here"
#endif
}

struct altstack_call {
    void (*act)(void *);
    void *arg;
    stack_t own;
};

static void altstack_call_as_alternate(void *arg)
{
    const struct altstack_call *c = arg;
    (void)sigaltstack(&c->own, NULL);
    c->act(c->arg);
}

void altstack_run(uint32_t slot, void (*act)(void *), void *arg)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0),
              base = (uintptr_t)altstack_stack_of(slot);
    if (here - base < stack_bytes) {
        act(arg);
        return;
    }
    struct altstack_call c = { act, arg, altstack_stack_guarded(slot) };
    void *left;
    stack_switch_call(altstack_call_as_alternate, &c, altstack_stack_of(slot) + stack_bytes, &left);
}

/* Twice what handling needs, plus three signal frames: of a trapped call, of a fault in it, and of
 * a signal of the program that interrupts both. */
static size_t altstack_bytes_needed(void)
{
    long frame = sysconf(_SC_MINSIGSTKSZ);
    size_t bytes = 2 * ALTSTACK_LEAST + 3 * (size_t)(frame > 0 ? frame : MINSIGSTKSZ);
    return (bytes + GUARD - 1) & ~(size_t)(GUARD - 1);
}

int altstack_init(uint32_t count)
{
    stack_bytes = altstack_bytes_needed();
    size_t bytes = (size_t)count * (GUARD + stack_bytes);
    tool = tool_valgrind();
    if (!stacks && (stacks = reserve(bytes)) != NULL)
        /* for the core of a thread that crashes on it */
        (void)madvise(stacks, bytes, MADV_DODUMP);
    return stacks ? 0 : -ENOMEM;
}
