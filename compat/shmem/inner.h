/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inner.h - what the parts of OpenSHMEM's interface share: who this PE is, where what is symmetric
 * lies, and what a team, an active set and a context are.
 *
 * What is symmetric lies in windows of hlrc_window_create, at one address on all PEs: the heap, and
 * the global variables of the executable, which each PE has at an address of its own, too.
 *
 * Invariants
 *   SY1  The bytes of the executable's .data and .bss are those of a window: from shmem_init on
 *        this is mapped in their place, so that what others put there the program's loads find.
 *   SY2  The heap's blocks are at the same places on all PEs: each works on its own list of blocks
 *        in the same way, and all make the same calls with the same sizes, which shmem_malloc and
 *        its like compare.
 *   SY3  Of the slots of a team, or of a pSync array, each has one PE that writes it, whichever
 *        collective it is: slot UP + r that of the index 2^r below, DOWN + r that of 2^r above,
 *        around the end. So what is awaited at a slot comes in the order in which it was sent.
 *   SY4  A team's slots are counted from 0, at all members, when it is made: who leaves a team
 *        clears its own behind the last meeting, which is behind all signals.
 *   SY5  Calls on several words skip the words whose status is not 0. A call that returns one index
 *        begins its search at a random word. So every word that holds is returned sooner or later,
 *        whatever other arrays the same thread searches between two calls.
 */
#ifndef COMPAT_SHMEM_INNER_H
#define COMPAT_SHMEM_INNER_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/fail.h"
#include "compat/shmem/shmem.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define LEVELS 10 /* 2^LEVELS PEs */

enum slots { UP = 0, DOWN = LEVELS, VALUE = 2 * LEVELS, SLOTS = 32 };

/* Constant from shmem_init to shmem_finalize. */
struct shmem_job {
    bool joined, left;
    int me, n;
    char *data, *data_window; /* SY1; NULL: they are not symmetric */
    size_t data_bytes;
};

/* PEs start, start + stride and so on, of which the caller is number `me`. Of a team `sent` and
 * `seen` count the signals of each slot, which is only written; of an active set they are NULL, and
 * a slot is added to and taken from. */
struct shmem_group {
    int start, stride, size, me;
    uint64_t *slots;    /* in a window */
    char *inbox;        /* likewise, of inbox_bytes, for reductions */
    size_t inbox_bytes; /* */
    uint64_t *sent, *seen;
};

extern struct shmem_job sh HIDDEN;

/* ---- messages: one line, and the end of the job ---- */

_Noreturn void sh_refuse_pe(const char *call, int pe, int n) HIDDEN;
_Noreturn void sh_refuse_memory(const char *call, const void *at, size_t len) HIDDEN;
_Noreturn void sh_refuse_time(const char *call) HIDDEN; /* before shmem_init, or behind the end */

/* ---- start and end of the parts ---- */

void sh_data_begin(void) HIDDEN;
void sh_heap_begin(void) HIDDEN;
void sh_teams_begin(void) HIDDEN;
void sh_locks_begin(void) HIDDEN;

/* ---- places ---- */

/* Whether these lie in one block of the heap. */
bool sh_heap_has(const void *at, size_t len) HIDDEN;
/* What they are in, to tell of. */
bool sh_heap_had(const void *at) HIDDEN;

static inline void sh_check(const char *call)
{
    if (__builtin_expect(!sh.joined || sh.left, 0))
        sh_refuse_time(call);
}

static inline size_t sh_data_offset(const void *at)
{
    return (size_t)((uintptr_t)at - (uintptr_t)sh.data);
}

/* Of symmetric memory: where it is in a window, or NULL. */
static inline void *sh_find(const void *at, size_t len)
{
    size_t off = sh_data_offset(at);
    if (off < sh.data_bytes && len <= sh.data_bytes - off)
        return sh.data_window + off;
    return sh_heap_has(at, len) ? (void *)(uintptr_t)at : NULL;
}

static inline void *sh_remote(const char *call, const void *at, size_t len)
{
    sh_check(call);
    void *there = sh_find(at, len);
    if (__builtin_expect(!there, 0))
        sh_refuse_memory(call, at, len);
    return there;
}

/* The program's own buffer, as the fabric knows it best. */
static inline void *sh_local(const void *at)
{
    size_t off = sh_data_offset(at);
    return off < sh.data_bytes ? sh.data_window + off : (void *)(uintptr_t)at;
}

/* ---- contexts: their team's numbers of PEs ---- */

int sh_pe_of_ctx(const char *call, shmem_ctx_t ctx, int pe) HIDDEN;

static inline int sh_pe(const char *call, shmem_ctx_t ctx, int pe)
{
    if (__builtin_expect(ctx != SHMEM_CTX_DEFAULT, 0))
        return sh_pe_of_ctx(call, ctx, pe);
    if (__builtin_expect((unsigned)pe >= (unsigned)sh.n, 0))
        sh_refuse_pe(call, pe, sh.n);
    return pe;
}

/* ---- waiting ---- */

/* Now and then for longer: spins, then lets others run, then sleeps. */
void sh_pause(unsigned *tries) HIDDEN;

/* ---- groups ---- */

struct shmem_group *sh_group(const char *call, shmem_team_t team) HIDDEN; /* of a team */
bool sh_is_world(const struct shmem_group *g) HIDDEN;
/* Of an active set. */
struct shmem_group sh_active(const char *call, int start, int log_stride, int size,
                             long *psync) HIDDEN;

static inline int sh_member(const struct shmem_group *g, int index)
{
    return g->start + index * g->stride;
}

void sh_meet(struct shmem_group *g) HIDDEN; /* all of them, by signals */
/* Memory of windows; `from` may be anything that the caller has, and counts at the root. */
void sh_broadcast(struct shmem_group *g, void *to, const void *from, size_t bytes, int root) HIDDEN;
void sh_fcollect(struct shmem_group *g, char *to, const char *from, size_t bytes) HIDDEN;
void sh_collect(struct shmem_group *g, char *to, const char *from, size_t bytes) HIDDEN;
void sh_alltoall(struct shmem_group *g, char *to, const char *from, size_t dst, size_t sst,
                 size_t nelems, size_t bytes) HIDDEN;

/* What a reduction does to `count` values. */
typedef void sh_combine(void *into, const void *with, size_t count);
void sh_reduce(struct shmem_group *g, void *to, const void *from, size_t count, size_t bytes,
               sh_combine *combine) HIDDEN;

#endif
