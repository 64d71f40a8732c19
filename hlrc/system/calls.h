/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls.h - the system's calls by name: which arguments point to memory, how much of it, and
 * whether the system reads or writes there.
 *
 * A call that is not in the table has no argument that points to memory, or one that may be in
 * shared memory as it is: mprotect, futex and others that the engine makes itself, and those that
 * make a process or end one.
 */
#ifndef HLRC_CALLS_H
#define HLRC_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_ARGS 6

enum call_how {
    CALL_END,       /* no more arguments */
    CALL_IN,        /* the system reads `bytes` */
    CALL_OUT,       /* writes them, if the call succeeds */
    CALL_BOTH,      /* reads and writes them */
    CALL_OUT_SOME,  /* writes them, if the call returns more than 0 */
    CALL_OUT_LEFT,  /* writes them, if a signal has ended the call */
    CALL_TEXT,      /* reads up to a NUL */
    CALL_IN_MANY,   /* reads as many items of `bytes` as argument `of` says */
    CALL_OUT_MANY,  /* writes as many */
    CALL_OUT_FOUND, /* writes as many as the call returns; argument `of`: at most */
    CALL_IN_BITS,   /* reads whole words for as many bits as argument `of` says */
    CALL_OUT_BITS,
    CALL_ADDRESS, /* writes bytes; argument `of` points to how many, before and after */
    CALL_STRANGE  /* not known */
};

struct call_arg {
    uint8_t at, how, of;
    uint16_t bytes;
};

struct trap;

struct call {
    const char *name;
    struct call_arg args[5];
    /* does the call in place of the general way; returns what the system does */
    long (*special)(struct trap *t);
    uint8_t mask;  /* with `special`: the arguments that are looked at, as bits */
    bool pointing; /* what they point to points on: shared memory may be behind private */
};

/* NULL: none of its arguments matters. Numbers from calls_end() on are of no system that was known.
 */
const struct call *call_by_number(long number);
long calls_end(void);

/* Which arguments may point to memory, as bits. */
unsigned call_mask(const struct call *call);

#endif
