/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stack.h - to call a function on another stack. */
#ifndef COMPAT_STACK_H
#define COMPAT_STACK_H

/* Calls act(arg) with the stack pointer at `top`, a multiple of 16, and returns when it has
 * returned. Before that *left is where the caller's own stack is free from, downwards. Debuggers
 * and exceptions find the caller's frames. */
void stack_call(void (*act)(void *), void *arg, void *top, void **left);

#endif
