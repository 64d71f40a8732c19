/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fiber.c - see fiber.h. */
#include "sim/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "sim/fail.h"

struct fiber {
    ucontext_t here, caller;
    void (*fn)(void *);
    void *arg;
    char *stack;
    bool ended;
};

static struct fiber *running;

static void begin(void)
{
    struct fiber *f = running;

    f->fn(f->arg);
    f->ended = true;
    fiber_wait();
}

struct fiber *fiber_new(void (*fn)(void *), void *arg, size_t stack_bytes)
{
    struct fiber *f = sim_new(1, sizeof *f);

    f->fn = fn;
    f->arg = arg;
    f->stack = sim_new(1, stack_bytes);
    if (getcontext(&f->here) != 0)
        sim_fail(SIM_FAILED, "a fiber's context: not to be had on this machine");
    f->here.uc_stack.ss_sp = f->stack;
    f->here.uc_stack.ss_size = stack_bytes;
    makecontext(&f->here, begin, 0);
    return f;
}

void fiber_free(struct fiber *f)
{
    free(f->stack);
    free(f);
}

bool fiber_run(struct fiber *f)
{
    running = f;
    swapcontext(&f->caller, &f->here);
    running = NULL;
    return !f->ended;
}

void fiber_wait(void)
{
    struct fiber *f = running;

    swapcontext(&f->here, &f->caller);
}
