/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/stack_switch.h: which stack code runs on, where the caller's is free, that callee-saved
 * registers and locals survive, and that an alternation of two contexts keeps its order. */
#include <stdint.h>
#include <stdlib.h>

#include "base/stack_switch.h"
#include "tests/unit/unit.h"

#define BYTES 65536

static _Alignas(4096) char stack[BYTES];

static int is_on_stack(const void *at)
{
    return (uintptr_t)at - (uintptr_t)stack < BYTES;
}

struct called {
    void *frame, *left;
    int depth;
};

static void note_frame(void *arg)
{
    struct called *c = arg;
    c->frame = __builtin_frame_address(0);
    if (c->depth-- > 0)
        stack_switch_call(note_frame, c, (char *)c->frame - 4096, &c->left);
}

static void calls(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct called c = { NULL, NULL, 0 };
    stack_switch_call(note_frame, &c, stack + BYTES, &c.left);
    assert_true(is_on_stack(c.frame));
    assert_true((uintptr_t)stack + BYTES - (uintptr_t)c.frame < 256);
    assert_true((uintptr_t)c.left < here && here - (uintptr_t)c.left < 4096);
    c.depth = 3; /* each call from the stack of the previous one */
    stack_switch_call(note_frame, &c, stack + BYTES, &c.left);
    assert_true(is_on_stack(c.frame) && is_on_stack(c.left));
    assert_true((uintptr_t)c.left > (uintptr_t)c.frame);
}

static stack_switch_context outside, inside;
static uint64_t steps, sum;

/* More live values than registers that a call may change: some are in callee-saved ones. */
static void coroutine(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    double x = 0.5;
    int local;
    for (;;) {
        a += 1, b += a, c ^= b, d += c, e ^= d, f += e, g ^= f, h += g, x *= 1.5;
        sum = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ (uint64_t)(x * 1024);
        steps += (uint64_t)is_on_stack(&local);
        stack_switch_to(&inside, &outside);
    }
}

/* The same, without a switch. */
static uint64_t expected(uint64_t rounds)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, all = 0;
    double x = 0.5;
    for (uint64_t i = 0; i < rounds; i++) {
        a += 1, b += a, c ^= b, d += c, e ^= d, f += e, g ^= f, h += g, x *= 1.5;
        all += (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ (uint64_t)(x * 1024)) * (i + 3);
    }
    return all;
}

static void alternation(void)
{
    uint64_t all = 0;
    assert_int_equal(stack_switch_prepare(&inside, stack, BYTES, coroutine), 0);
    for (uint64_t i = 0; i < 50; i++) {
        stack_switch_to(&outside, &inside);
        all += sum * (i + 3);
    }
    assert_int_equal(all, expected(50));
#ifndef STACK_SWITCH_BY_LIBC /* a local may be on a fake stack */
    assert_int_equal(steps, 50);
#endif
}

UNIT_MAIN(NULL, NULL, TEST(calls), TEST(alternation))
