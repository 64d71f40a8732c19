/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keys.h - thread-specific data.
 *
 * Which keys there are, and their destructors, is in a table in shared memory; the values of a
 * thread are its own, in private memory.
 *
 * Invariants
 *   KY1  A key has a number of its life, raised when it is made and when it is deleted. A value
 *        counts for the life it was set in: a key that is made again is NULL in all threads.
 */
#ifndef COMPAT_KEYS_H
#define COMPAT_KEYS_H

/* Calls the destructors of the calling thread's values, until there are none, or as often as POSIX
 * says. The program's code: on its stack. */
void keys_destroy_values(void);

#endif
