/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* change.h - the effect of an atomic operation on a word of 4 or 8 bytes, and its execution by the
 * fabric's atomics, in a window of any node. */
#ifndef HLRC_CHANGE_H
#define HLRC_CHANGE_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values are the word's bytes, zero-extended. */
struct change {
    hlrc_type type;
    hlrc_op op; /* HLRC_REPLACE where `compares` */
    bool compares;
    uint64_t value, expected;
};

/* Of a value of up to 8 bytes. */
uint64_t change_bytes(const void *from, size_t bytes);
bool change_stores(const struct change *c, uint64_t old); /* in a word that was `old` */
uint64_t change_of(const struct change *c, uint64_t old); /* the new value */

/*
 * Changes the word at `off` of a window, aligned to its size; returns the old value. For 4 bytes
 * the surrounding 8 are compared and swapped (FABRIC_ATOMICS_NARROW); `guess`: their expected
 * value. Waits for the network only. *atomics: number of operations used; 0: it was only read.
 */
uint64_t change_by_fabric(int node, int win, size_t off, const struct change *c, uint64_t guess,
                          uint32_t *atomics);

/* True, and the operation with the value at `value`, which HLRC_NO_OP does not read; false: the
 * type does not have it. */
bool change_make(hlrc_type type, hlrc_op op, const void *value, struct change *c);

/* A compare-and-swap to `desired`. change_was returns the call's result when the word was `was`,
 * and stores `was` in `expected`. */
struct change change_if(hlrc_type type, const void *expected, const void *desired);
int change_was(const struct change *c, uint64_t was, void *expected);

#endif
