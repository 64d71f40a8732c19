/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction.h - reductions of tasks: of which variables each thread has copies, and where. gcc
 * makes an array of words, which has the variables, and may have another one linked to it:
 *
 *   [0] how many variables   [1] bytes of one thread's copies   [2] alignment; then where they are
 *   [4] the next array       [5] this is the first of what was registered at once
 *   [6] the end of the copies
 *   [7 + 3 k] address of variable k   [8 + 3 k] where it is in the copies of a thread
 */
#ifndef COMPAT_REDUCTION_H
#define COMPAT_REDUCTION_H

#include <stddef.h>
#include <stdint.h>

/* With new copies, zeros, for so many threads. `around`: what is registered already, or NULL. */
void reductions_register(uintptr_t *data, uintptr_t *around, unsigned threads);
/* With those that another thread of the team has registered by an array that is alike. */
void reductions_register_like(uintptr_t *data, uintptr_t *around, const uintptr_t *first);
void reductions_free(const uintptr_t *data);

/* That thread's copy of the variable at `of`, or of which one is there; at *variable, if that is
 * not NULL, the variable. */
void *reductions_find(const uintptr_t *data, const void *of, unsigned thread, void **variable);

#endif
