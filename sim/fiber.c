/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fiber.c - see fiber.h. */
#include "sim/fiber.h"

#include <stdlib.h>

#include "base/stack_switch.h"
#include "sim/fail.h"

struct fiber {
    stack_switch_context here, caller;
    void (*fn)(void *);
    void *arg;
    char *stack;
    bool ended;
};

static struct fiber *running;

static void fiber_begin(void)
{
    struct fiber *f = running;

    f->fn(f->arg);
    f->ended = true;
    fiber_wait();
}

struct fiber *fiber_new(void (*fn)(void *), void *arg, size_t stack_bytes)
{
    struct fiber *f = fail_alloc(1, sizeof *f);

    f->fn = fn;
    f->arg = arg;
    f->stack = fail_alloc(1, stack_bytes);
    if (stack_switch_prepare(&f->here, f->stack, stack_bytes, fiber_begin) != 0)
        fail_with(SIM_FAILED, "cannot create the context of a fiber on this machine");
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
    stack_switch_to(&f->caller, &f->here);
    running = NULL;
    return !f->ended;
}

void fiber_wait(void)
{
    struct fiber *f = running;

    stack_switch_to(&f->here, &f->caller);
}
