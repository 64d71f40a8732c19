/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fortran.c - Fortran's units are those of node 0, whose libgfortran performs the statements of
 * all nodes. A statement is several calls, which pass the same block of parameters:
 *
 *     write (10, *) i, x    st_write(block), transfer_integer_write(block, &i, 4),
 *                           transfer_real_write(block, &x, 8), st_write_done(block)
 *
 * The block lies on the caller's shared stack. All calls of a thread have the same proxy, which
 * holds the unit's lock from the first call to the last [delegate.own-proxy].
 *
 * Invariants
 *   [fortran.internal] A statement on an internal unit, which is a variable, and one that inquires
 *       a length stays on its node. So do statements on the same unit by procedures for derived
 *       types that it calls.
 *   [fortran.private] Units lie in memory of their node: their locks are the C library's. So the
 *       calls that create them are made on the private stack, where bind.c does not make what the
 *       library allocates shared memory.
 *   [fortran.options] The options with which a program was compiled reach each node's library
 *       before it performs such a statement.
 *
 * The names are weak: programs of C do not have libgfortran.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* What begins each block in libgfortran.so.5. */
struct fortran_block {
    int32_t flags, unit;
    const char *file;
    int32_t line;
    char *message;
    size_t message_bytes;
    int32_t *status;
};
enum { HAS_STATUS = 1 << 5, HAS_LENGTH = 1 << 11, IS_INTERNAL = 1 << 14 };

/* In shared memory: set by main, before other threads run. */
static struct fortran_options {
    int count;
    int *options;
} * options;
static atomic_bool options_taken;         /* by this node */
static _Thread_local int fortran_nesting; /* statements on internal units */

#define LIBRARY(name) _gfortran_##name
#define DECLARE(name) \
    extern long LIBRARY(name)(long, long, long, long, long, long) __attribute__((weak))

extern void LIBRARY(set_options)(int count, int *values) __attribute__((weak));

void __wrap__gfortran_set_options(int count, int *values)
{
    if (start_sharing)
        *options = (struct fortran_options){ count, values };
    LIBRARY(set_options)(count, values);
}

/* [fortran.options] */
static void fortran_take_options(void)
{
    if (!atomic_exchange(&options_taken, true) && options->options)
        LIBRARY(set_options)(options->count, options->options);
}

/* ---- calls of a statement ---- */

enum {
    TRANSFERS = 1, /* of a statement that reads or writes */
    STORES = 2,    /* to argument 1 */
    CREATES = 4    /* units [fortran.private] */
};

/* [fortran.internal] */
static bool fortran_is_local(const struct fortran_block *b, int kind)
{
    if (kind & TRANSFERS && b->flags & (IS_INTERNAL | HAS_LENGTH))
        return true;
    return fortran_nesting > 0 && b->unit < 0;
}

/* As delegate_is_away: other statements are not counted. */
static bool fortran_is_away(long block, int kind)
{
    return fortran_is_local((const void *)block, kind) ? start_away : delegate_is_away();
}

struct fortran_call {
    delegate_fn *fn;
    const long *words;
    long result;
};

static void fortran_perform(void *arg)
{
    struct fortran_call *c = arg;
    const long *w = c->words;
    c->result = c->fn(w[0], w[1], w[2], w[3], w[4], w[5]);
}

/* By the calling thread. */
static long fortran_call_here(delegate_fn *fn, const long *words, int kind)
{
    struct fortran_call c = { fn, words, 0 };
    if (kind & CREATES) /* [fortran.private] */
        lane_call(fortran_perform, &c);
    else
        fortran_perform(&c);
    return c.result;
}

/* Argument 1 has `bytes` bytes, if not 0. By another node than 0. */
static long fortran_call(delegate_fn *fn, const long *w, int count, size_t bytes, int kind)
{
    const struct fortran_block *b = (const void *)w[0];
    if (fortran_is_local(b, kind)) {
        fortran_take_options();
        fortran_nesting++;
        long result = fortran_call_here(fn, w, kind);
        fortran_nesting--;
        return result;
    }
    if (b->flags & HAS_STATUS && delegate_is_private((uintptr_t)b->status))
        start_fail("iostat= of a statement at %s:%d is a threadprivate variable, which node 0 "
                   "cannot access; use another variable",
                   b->file, (int)b->line);
    struct delegate_buffer buffer = { 1, (void *)w[1], bytes, kind & STORES, false };
    if (bytes > 0 && delegate_is_private((uintptr_t)w[1]))
        return delegate_call(fn, w, &buffer);
    for (int i = 0; i < count; i++)
        if (delegate_is_private((uintptr_t)w[i]))
            start_fail("argument %d of a statement at %s:%d is a threadprivate variable, which "
                       "node 0 cannot access; read or write another variable",
                       i, b->file, (int)b->line);
    return delegate_call(fn, w, NULL);
}

#define STATEMENT(name, count, bytes, kind)                                                    \
    DECLARE(name);                                                                             \
    long __wrap__gfortran_##name(long a, long b, long c, long d, long e, long f)               \
    {                                                                                          \
        const long words[DELEGATE_WORDS] = { a, b, c, d, e, f };                               \
        if (fortran_is_away(a, kind))                                                          \
            return fortran_call(LIBRARY(name), words, count, (size_t)(bytes), kind);           \
        return start_sharing && (kind)&CREATES ? fortran_call_here(LIBRARY(name), words, kind) \
                                               : LIBRARY(name)(a, b, c, d, e, f);              \
    }
#define OF_UNIT(name) STATEMENT(name, 1, 0, CREATES)
#define TRANSFER(name, count, bytes)                  \
    STATEMENT(name, count, bytes, TRANSFERS | STORES) \
    STATEMENT(name##_write, count, bytes, TRANSFERS)

OF_UNIT(st_open)
OF_UNIT(st_close)
OF_UNIT(st_inquire)
OF_UNIT(st_rewind)
OF_UNIT(st_backspace)
OF_UNIT(st_endfile)
OF_UNIT(st_flush)
OF_UNIT(st_wait)
OF_UNIT(st_wait_async)
STATEMENT(st_read, 1, 0, TRANSFERS | CREATES)
STATEMENT(st_read_done, 1, 0, TRANSFERS)
STATEMENT(st_write, 1, 0, TRANSFERS | CREATES)
STATEMENT(st_write_done, 1, 0, TRANSFERS)

/* By the kind of a type: a real number of kind 10 has 16 bytes. */
#define KIND_BYTES ((int)c == 10 ? 16 : (int)c)
TRANSFER(transfer_integer, 2, (int)c)
TRANSFER(transfer_logical, 2, (int)c)
TRANSFER(transfer_real, 2, KIND_BYTES)
TRANSFER(transfer_real128, 2, KIND_BYTES)
TRANSFER(transfer_complex, 2, 2 * KIND_BYTES)
TRANSFER(transfer_complex128, 2, 2 * KIND_BYTES)
TRANSFER(transfer_character, 2, c)
TRANSFER(transfer_character_wide, 2, c *(int)d)

/* Its argument 2 is a procedure of the program. */
STATEMENT(transfer_derived, 3, 0, TRANSFERS)

/* ---- arrays and namelists, described by structs ---- */

struct fortran_type {
    size_t element_bytes;
    int32_t version;
    signed char rank, type;
    int16_t attribute;
};

/* The address of the elements is the first word of an array's descriptor. */
static void fortran_array_check(const struct fortran_block *b, void *const *array)
{
    if (start_away && delegate_is_private((uintptr_t)*array))
        start_fail("an array of a statement at %s:%d is threadprivate, which node 0 cannot access; "
                   "read or write another variable",
                   b->file, (int)b->line);
}

#define ARRAY(name)                                                                         \
    DECLARE(name);                                                                          \
    long __wrap__gfortran_##name(long a, long b, long c, long d)                            \
    {                                                                                       \
        if (!fortran_is_away(a, TRANSFERS))                                                 \
            return LIBRARY(name)(a, b, c, d, 0, 0);                                         \
        if (!fortran_is_local((const void *)a, TRANSFERS))                                  \
            fortran_array_check((const void *)a, (void *const *)b);                         \
        return fortran_call(LIBRARY(name), (const long[6]){ a, b, c, d }, 2, 0, TRANSFERS); \
    }
ARRAY(transfer_array)
ARRAY(transfer_array_write)

typedef void fortran_variable_fn(void *block, void *variable, char *name, int kind, size_t bytes,
                                 struct fortran_type type, void *procedure, void *table);
extern fortran_variable_fn LIBRARY(st_set_nml_var) __attribute__((weak)),
    LIBRARY(st_set_nml_dtio_var) __attribute__((weak));

struct fortran_variable {
    fortran_variable_fn *fn;
    char *name;
    int kind;
    size_t bytes;
    struct fortran_type type;
    void *procedure, *table;
};

static long fortran_variable_set(long block, long variable, long of, long d, long e, long f)
{
    const struct fortran_variable *v = (const void *)of;
    (void)d, (void)e, (void)f;
    v->fn((void *)block, (void *)variable, v->name, v->kind, v->bytes, v->type, v->procedure,
          v->table);
    return 0;
}

static void fortran_variable(void *block, void *variable, const struct fortran_variable *v)
{
    const long words[6] = { (long)block, (long)variable, (long)v };
    if (fortran_is_away(words[0], TRANSFERS))
        (void)fortran_call(fortran_variable_set, words, 3, 0, TRANSFERS);
    else
        (void)fortran_variable_set(words[0], words[1], words[2], 0, 0, 0);
}

void __wrap__gfortran_st_set_nml_var(void *block, void *variable, char *name, int kind,
                                     size_t bytes, struct fortran_type type)
{
    const struct fortran_variable v = {
        LIBRARY(st_set_nml_var), name, kind, bytes, type, NULL, NULL
    };
    fortran_variable(block, variable, &v);
}

void __wrap__gfortran_st_set_nml_dtio_var(void *block, void *variable, char *name, int kind,
                                          size_t bytes, struct fortran_type type, void *procedure,
                                          void *methods)
{
    const struct fortran_variable v = {
        LIBRARY(st_set_nml_dtio_var), name, kind, bytes, type, procedure, methods
    };
    fortran_variable(block, variable, &v);
}

STATEMENT(st_set_nml_var_dim, 5, 0, TRANSFERS)

/* ---- start ---- */

static void fortran_begin(void)
{
    if (start_sharing)
        options = start_shared_memory(sizeof *options, "options of Fortran's library");
}

__attribute__((constructor)) static void fortran_at_start(void)
{
    start_at_begin(fortran_begin);
}
