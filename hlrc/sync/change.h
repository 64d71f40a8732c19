/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* change.h - what an atomic operation does to a word of 4 or 8 bytes, and doing it by the fabric's
 * atomics, in a window of any node. */
#ifndef HLRC_CHANGE_H
#define HLRC_CHANGE_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values are the word's bytes, and zeros behind them. */
struct change {
    hlrc_type type;
    hlrc_op op; /* HLRC_REPLACE where `compares` */
    bool compares;
    uint64_t value, expected;
};

/* Of a value of so many bytes, up to 8. */
uint64_t change_bytes(const void *from, size_t bytes);
bool change_stores(const struct change *c, uint64_t old); /* in a word that was `old` */
uint64_t change_of(const struct change *c, uint64_t old); /* what becomes of it */

/*
 * Changes the word at `off` of a window, which is aligned to its size: what it was. Of 4 bytes the
 * 8 around them are compared and swapped (FABRIC_ATOMICS_NARROW). `guess`: what those 8 may be.
 * Waits for the network alone. *atomics: so many operations that took; 0: it was read.
 */
uint64_t change_by_fabric(int node, int win, size_t off, const struct change *c, uint64_t guess,
                          uint32_t *atomics);

/* A comparison and, where it holds, `desired`; and what the call returns when the word was `was`,
 * which becomes what the program expects. */
struct change change_if(hlrc_type type, const void *expected, const void *desired);
int change_was(const struct change *c, uint64_t was, void *expected);

#endif
