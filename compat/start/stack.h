/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stack.h - calls a function on another stack. */
#ifndef COMPAT_STACK_H
#define COMPAT_STACK_H

/* Calls act(arg) with the stack pointer at `top`, a multiple of 16. Before, sets *left to where
 * the caller's stack is free, downwards. Debuggers and exceptions find the caller's frames. */
void stack_call(void (*act)(void *), void *arg, void *top, void **left);

#endif
