/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inner.h - internals shared by the parts of OpenSHMEM's interface: this PE, symmetric memory,
 * teams, active sets and contexts.
 *
 * Symmetric memory lies in windows of hlrc_window_create, at one address on all PEs: the heap, and
 * the executable's global variables, which each PE also has at a local address.
 *
 * Invariants
 *   - The executable's .data and .bss are bytes of a window: from shmem_init on it is mapped in
 *     their place, so that the program's loads find what other PEs put there.
 *   - The heap's blocks have the same addresses on all PEs: each updates its own list of blocks in
 *     the same way, and all make the same calls with the same sizes. shmem_malloc and similar calls
 *     compare these.
 *   - Each slot of a team, or of a pSync array, is written by one PE, in all collectives: slot UP +
 *     r by the index 2^r below, DOWN + r by the index 2^r above, modulo the size. So signals at a
 *     slot arrive in the order in which they were sent.
 *   - A team's slots count from 0, at all members, when it is created: a PE that leaves a team
 *     clears its slots after the last collective, hence after all signals.
 *   - Calls on several words skip words whose status is not 0. A call that returns one index begins
 *     its search at a random word. So every word that matches is returned sooner or later, whatever
 *     other arrays the same thread searches between two calls.
 */
#ifndef COMPAT_SHMEM_INNER_H
#define COMPAT_SHMEM_INNER_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/fail.h"
#include "compat/shmem/shmem.h"

/* Defines a call twice: with a context, and with the default one. PARAMETERS are in parentheses. */
#define INNER_PLAIN(...) __VA_ARGS__
#define INNER_CALLS(TYPE, NAME, PARAMETERS, ...)                    \
    TYPE shmem_ctx_##NAME(shmem_ctx_t ctx, INNER_PLAIN PARAMETERS){ \
        __VA_ARGS__                                                 \
    } TYPE shmem_##NAME(INNER_PLAIN PARAMETERS)                     \
    {                                                               \
        shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;                        \
        __VA_ARGS__                                                 \
    }

#define HIDDEN __attribute__((visibility("hidden")))
#define LEVELS 10 /* 2^LEVELS PEs */

enum inner_slots { UP = 0, DOWN = LEVELS, VALUE = 2 * LEVELS, SLOTS = 32 };

/* Constant from shmem_init to shmem_finalize. */
struct shmem_job {
    bool joined, left;
    int me, n;
    char *data, *data_window; /* NULL: not symmetric */
    size_t data_bytes;
    int inits; /* not constant: calls of shmem_init that no shmem_finalize has ended */
};

/* PEs start, start + stride and so on; the caller is number `me`. In a team `sent` and `seen`
 * count the signals of each slot, which are overwritten. In an active set they are NULL, and a
 * signal is added to the slot and subtracted. */
struct shmem_group {
    int start, stride, size, me;
    uint64_t *slots; /* in a window */
    char *inbox;     /* in a window, inbox_bytes, for reductions */
    size_t inbox_bytes;
    uint64_t *sent, *seen;
};

extern struct shmem_job sh HIDDEN;

/* ---- errors: one line, then the job ends ---- */

_Noreturn void inner_sh_refuse_pe(const char *call, int pe, int n) HIDDEN;
_Noreturn void inner_sh_refuse_memory(const char *call, const void *at, size_t len) HIDDEN;
_Noreturn void
inner_sh_refuse_time(const char *call) HIDDEN; /* before shmem_init or after the end */

/* ---- start and end of the parts ---- */

void inner_sh_data_begin(void) HIDDEN;
void inner_sh_heap_begin(void) HIDDEN;
void inner_sh_teams_begin(void) HIDDEN;
void inner_sh_locks_begin(void) HIDDEN;

/* ---- addresses ---- */

/* Do these bytes lie in one block of the heap? */
bool inner_sh_heap_has(const void *at, size_t len) HIDDEN;
/* For messages: does this lie in the heap? */
bool inner_sh_heap_had(const void *at) HIDDEN;

static inline void inner_sh_check(const char *call)
{
    if (__builtin_expect(!sh.joined || sh.left, 0))
        inner_sh_refuse_time(call);
}

static inline size_t inner_sh_data_offset(const void *at)
{
    return (size_t)((uintptr_t)at - (uintptr_t)sh.data);
}

/* The window address of symmetric memory, or NULL. */
static inline void *inner_sh_find(const void *at, size_t len)
{
    size_t off = inner_sh_data_offset(at);
    if (off < sh.data_bytes && len <= sh.data_bytes - off)
        return sh.data_window + off;
    return inner_sh_heap_has(at, len) ? (void *)(uintptr_t)at : NULL;
}

static inline void *inner_sh_remote(const char *call, const void *at, size_t len)
{
    inner_sh_check(call);
    void *there = inner_sh_find(at, len);
    if (__builtin_expect(!there, 0))
        inner_sh_refuse_memory(call, at, len);
    return there;
}

/* Address of the program's buffer that suits the fabric best: in a window if possible. */
static inline void *inner_sh_local(const void *at)
{
    size_t off = inner_sh_data_offset(at);
    return off < sh.data_bytes ? sh.data_window + off : (void *)(uintptr_t)at;
}

/* ---- contexts: PE numbers of their team ---- */

int inner_sh_pe_of_ctx(const char *call, shmem_ctx_t ctx, int pe) HIDDEN;

static inline int inner_sh_pe(const char *call, shmem_ctx_t ctx, int pe)
{
    if (__builtin_expect(ctx != SHMEM_CTX_DEFAULT, 0))
        return inner_sh_pe_of_ctx(call, ctx, pe);
    if (__builtin_expect((unsigned)pe >= (unsigned)sh.n, 0))
        inner_sh_refuse_pe(call, pe, sh.n);
    return pe;
}

/* ---- waiting ---- */

/* Backs off: spins first, then yields, then sleeps. */
void inner_sh_pause(unsigned *tries) HIDDEN;

/* ---- groups ---- */

struct shmem_group *inner_sh_group(const char *call, shmem_team_t team) HIDDEN; /* of a team */
bool inner_sh_is_world(const struct shmem_group *g) HIDDEN;
/* The group of an active set. */
struct shmem_group inner_sh_active(const char *call, int start, int log_stride, int size,
                                   long *psync) HIDDEN;

static inline int inner_sh_member(const struct shmem_group *g, int index)
{
    return g->start + index * g->stride;
}

void inner_sh_meet(struct shmem_group *g) HIDDEN; /* barrier, by signals */
/* `to` lies in a window. `from` may be any memory of the caller; a broadcast uses the root's. */
void inner_sh_broadcast(struct shmem_group *g, void *to, const void *from, size_t bytes,
                        int root) HIDDEN;
void inner_sh_fcollect(struct shmem_group *g, char *to, const char *from, size_t bytes) HIDDEN;
void inner_sh_collect(struct shmem_group *g, char *to, const char *from, size_t bytes) HIDDEN;
void inner_sh_alltoall(struct shmem_group *g, char *to, const char *from, size_t dst, size_t sst,
                       size_t nelems, size_t bytes) HIDDEN;

/* How a reduction combines `count` values. */
typedef void sh_combine(void *into, const void *with, size_t count);
void inner_sh_reduce(struct shmem_group *g, void *to, const void *from, size_t count, size_t bytes,
                     sh_combine *combine) HIDDEN;
/* Element i of `to` becomes the combination of element i of all members up to this one, or, if
 * `exclusive`, of those before it: zero for the first. */
void inner_sh_scan(struct shmem_group *g, void *to, const void *from, size_t count, size_t bytes,
                   sh_combine *combine, bool exclusive) HIDDEN;

#endif
