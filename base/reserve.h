/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reserve.h - tables reserved at their maximum length: address space, which costs memory only
 * where it is touched. Made at start, so that nothing has to grow in a fault handler. Core dumps
 * contain them in debug builds only.
 */
#ifndef HLRC_RESERVE_H
#define HLRC_RESERVE_H

#include <stddef.h>

/* `bytes` of zeros, aligned to a page; NULL if the address space does not suffice. */
void *reserve(size_t bytes);

/* Unmaps it; `at` may be NULL. */
void reserve_end(void *at, size_t bytes);

/* For a list of tables, X(table, bytes): `bool all = true LIST(RESERVE_TABLE);` reserves each,
 * until one fails, and LIST(RESERVE_TABLE_END) unmaps each. */
#define RESERVE_TABLE(table, bytes) &&((table = reserve(bytes)) != NULL)
#define RESERVE_TABLE_END(table, bytes) \
    reserve_end(table, bytes);          \
    table = NULL;

/* The offset of the first resident byte at or after `from` in the `bytes` at `at`; `bytes` if none
 * is. The bytes before it were never touched, or have been swapped out. Touches nothing. */
size_t reserve_touched(const void *at, size_t from, size_t bytes);

#endif
