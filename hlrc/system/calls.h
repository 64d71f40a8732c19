/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls.h - the system calls by name: which arguments point to memory, how much, and whether the
 * system reads or writes it.
 *
 * A call that is not in the table has no argument that points to memory, or one that may be in
 * shared memory as it is: mprotect, futex and other calls that the engine itself makes, and calls
 * that start or end a process.
 */
#ifndef HLRC_CALLS_H
#define HLRC_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_ARGS 6

enum calls_how {
    CALL_END,       /* no more arguments */
    CALL_IN,        /* the system reads `bytes` */
    CALL_OUT,       /* the system writes `bytes`, if the call succeeds */
    CALL_BOTH,      /* reads and writes them */
    CALL_OUT_SOME,  /* writes them, if the call returns more than 0 */
    CALL_OUT_LEFT,  /* writes them, if a signal has ended the call */
    CALL_TEXT,      /* reads up to a NUL */
    CALL_IN_MANY,   /* reads `of` items of `bytes`; `of` is an argument */
    CALL_OUT_MANY,  /* writes as many */
    CALL_OUT_FOUND, /* writes as many as the call returns; argument `of`: at most */
    CALL_IN_BITS,   /* reads whole words for the number of bits in argument `of` */
    CALL_OUT_BITS,
    CALL_ADDRESS, /* writes bytes; argument `of` points to their number, before and after */
    CALL_STRANGE  /* unknown */
};

struct calls_arg {
    uint8_t at, how, of;
    uint16_t bytes;
};

struct trap;

struct calls_entry {
    const char *name;
    struct calls_arg args[5];
    /* performs the call instead of the general code; returns the system's result */
    long (*special)(struct trap *t);
    uint8_t mask;  /* with `special`: bits of the arguments to test */
    bool pointing; /* the memory contains pointers: private memory may point to shared memory */
};

/* NULL: no argument needs handling. Numbers from calls_end() on belong to unknown, newer calls. */
const struct calls_entry *calls_by_number(long number);
long calls_end(void);

/* Arguments that may point to memory, as bits. */
unsigned calls_mask(const struct calls_entry *call);

#endif
