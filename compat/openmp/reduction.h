/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction.h - task reductions: of which variables each thread has copies, and where. gcc makes
 * an array of words that describes the variables, and may link another one to it:
 *
 *   [0] number of variables   [1] bytes of one thread's copies   [2] alignment; then their address
 *   [4] the next array        [5] 1: first of those registered at once
 *   [6] end of the copies
 *   [7 + 3 k] address of variable k   [8 + 3 k] its offset in a thread's copies
 */
#ifndef COMPAT_REDUCTION_H
#define COMPAT_REDUCTION_H

#include <stddef.h>
#include <stdint.h>

/* Registers zeroed copies for `threads` threads. `around`: arrays registered before, or NULL. */
void reduction_register(uintptr_t *data, uintptr_t *around, unsigned threads);
/* Uses the copies that another thread of the team has registered by an equal array. */
void reduction_register_like(uintptr_t *data, uintptr_t *around, const uintptr_t *first);
void reduction_free(const uintptr_t *data);

/* The three words of the variable at `of`, or of the one that `of` is a copy of; *copy: that
 * thread's. */
const uintptr_t *reduction_find_words(const uintptr_t *data, const void *of, unsigned thread,
                                      void **copy);
/* That thread's copy of the variable at `of`, or of the variable that `of` is a copy of;
 * *variable, if not NULL, gets the variable. */
void *reduction_find(const uintptr_t *data, const void *of, unsigned thread, void **variable);

#endif
