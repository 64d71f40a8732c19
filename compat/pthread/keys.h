/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keys.h - thread-specific data.
 *
 * A table in shared memory has the keys and their destructors. The values of a thread are in its
 * private memory.
 *
 * Invariants
 *   - A key has a life number, raised when it is created and when it is deleted. A value is valid
 *     for the life in which it was set: a key that is created again is NULL in all threads.
 */
#ifndef COMPAT_KEYS_H
#define COMPAT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* Calls the destructors of the calling thread's values until none is left, or as often as POSIX
 * says. They are the program's code: call on its stack. */
void keys_destroy_values(void);

/* Has the calling thread set any? Copies of them, of keys_bytes(), for another thread, which takes
 * them before it sets any. */
bool keys_are_set(void);
size_t keys_bytes(void);
void keys_give(void *to);
void keys_take(const void *from);

#endif
