/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stack_switch.h - runs code on another stack: a call that returns (alternate stacks of handlers,
 * stacks in shared memory), and coroutines (threads of a simulated program).
 *
 * Neither makes a system call. swapcontext makes two, for the signal mask; it is used only where a
 * sanitizer has to follow the switch, or the CPU has no code here.
 */
#ifndef HLRC_STACK_SWITCH_H
#define HLRC_STACK_SWITCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __has_feature
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define STACK_SWITCH_BY_LIBC 1
#    endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    (!defined(__x86_64__) && !defined(__aarch64__))
#    define STACK_SWITCH_BY_LIBC 1
#endif

#ifdef STACK_SWITCH_BY_LIBC
#    include <ucontext.h>
typedef ucontext_t stack_switch_context;
#else
typedef void *stack_switch_context; /* the stack pointer; saved registers are on the stack */
#endif

#pragma GCC visibility push(hidden)

/* Calls act(arg) with the stack pointer at `top`, a multiple of 16. Before, sets *left to where the
 * caller's stack is free, downwards. Debuggers and exceptions find the caller's frames. */
void stack_switch_call(void (*act)(void *), void *arg, void *top, void **left);

/* Prepares a context that calls begin() on the stack of `bytes` bytes. begin() must not return.
 * Returns 0 or a negative errno. */
int stack_switch_prepare(stack_switch_context *context, char *stack, size_t bytes,
                         void (*begin)(void));

/* Saves the caller's context in *from and continues in *to. */
void stack_switch_to(stack_switch_context *from, const stack_switch_context *to);

#pragma GCC visibility pop

#endif
