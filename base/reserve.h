/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reserve.h - tables as long as they may ever become: address space, which costs memory only where
 * it is touched. Made at start, so that nothing has to grow in a fault handler. Core dumps have
 * them in debug builds alone.
 */
#ifndef HLRC_RESERVE_H
#define HLRC_RESERVE_H

#include <stddef.h>

/* `bytes` of zeros, aligned to a page; NULL where the address space does not suffice. */
void *reserve(size_t bytes);

/* Gives it back; `at` may be NULL. */
void reserve_end(void *at, size_t bytes);

/* The first byte from `from` on that is in memory, of the `bytes` at `at`, `bytes` if none is: what
 * lies before it was never touched, or has been swapped out. Touches nothing itself. */
size_t reserve_touched(const void *at, size_t from, size_t bytes);

#endif
