/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api_lock.c - locks of OpenMP's library routines; see api.h. */
#include <hlrc.h>
#include <stdatomic.h>

#include "compat/openmp/api.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/team.h"
#include "compat/start/heap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

/* In the four bytes that omp.h has: locks_of_variable. 0: not initialised. */
struct api_lock {
    _Atomic uint32_t handle;
};
/* A nestable lock of omp_lib, and of clang's omp.h, has eight bytes: its address, in shared memory.
 * The count of nesting, and the owner, a task: OWNER_TASKS bits have its number, the others its
 * thread, index plus 1. */
struct api_lock_nest {
    _Atomic uint32_t handle;
    uint32_t count;
    uint64_t owner;
};
#define OWNER_TASKS 40

static uint32_t api_lock_create(void)
{
    _Atomic uint32_t handle = LOCK_WORD_FREE;
    (void)locks_of_variable(&handle);
    return handle;
}

static struct locks_lock api_lock_of(const char *call, _Atomic uint32_t *handle)
{
    if (*handle == LOCK_WORD_ZERO)
        start_fail("%s: the lock was not initialised by omp_init_lock", call);
    return locks_of_variable(handle);
}

static void api_lock_destroy_now(void *arg)
{
    hlrc_lock_destroy(*(const hlrc_lock_t *)arg);
}

static void api_lock_destroy(const char *call, _Atomic uint32_t *handle)
{
    struct locks_lock lock = api_lock_of(call, handle);
    if (!lock.word)
        lane_call(api_lock_destroy_now, &lock.number);
    *handle = LOCK_WORD_ZERO;
}

void omp_init_lock(struct api_lock *l)
{
    l->handle = api_lock_create();
}

void omp_destroy_lock(struct api_lock *l)
{
    api_lock_destroy(__func__, &l->handle);
}

void omp_set_lock(struct api_lock *l)
{
    if (l->handle != LOCK_WORD_FREE || !locks_take_free(&l->handle))
        locks_take_of_program(api_lock_of(__func__, &l->handle));
}

void omp_unset_lock(struct api_lock *l)
{
    if (!locks_drop_word(&l->handle))
        locks_drop_of_program(api_lock_of(__func__, &l->handle));
}

int omp_test_lock(struct api_lock *l)
{
    return locks_try(api_lock_of(__func__, &l->handle));
}

/* ---- nestable locks ---- */

/* Of a thread that the program has created itself. The system's ids change at a restart. */
static uint64_t api_lock_thread(void)
{
    static atomic_uint last;
    static _Thread_local unsigned own;
    if (own == 0)
        own = atomic_fetch_add(&last, 1) + 1;
    return own;
}

/* The current task. All threads that the program creates itself are on one node, so their ids
 * differ, and from the indexes, which are less than 2^16. */
static uint64_t api_lock_me(void)
{
    uint64_t thread =
        lane_current ? (uint64_t)lane_current->index + 1 : 0x800000u | api_lock_thread();
    return thread << OWNER_TASKS | (team_region()->task & (((uint64_t)1 << OWNER_TASKS) - 1));
}

void omp_init_nest_lock(struct api_lock_nest **at)
{
    struct api_lock_nest *l = heap_malloc(sizeof *l);
    if (!l)
        start_fail("omp_init_nest_lock: no memory");
    *l = (struct api_lock_nest){ .handle = api_lock_create() };
    *at = l;
}

static struct api_lock_nest *api_lock_at(const char *call, struct api_lock_nest **at,
                                         struct locks_lock *lock)
{
    static _Atomic uint32_t none;
    *lock = api_lock_of(call, *at ? &(*at)->handle : &none);
    return *at;
}

void omp_destroy_nest_lock(struct api_lock_nest **at)
{
    struct locks_lock lock;
    api_lock_destroy(__func__, &api_lock_at(__func__, at, &lock)->handle);
    heap_free(*at);
    *at = NULL;
}

/* Only the owner stores its number here, and clears it before it releases the lock. So a task
 * that reads its own number holds the lock, however stale the read. */
static bool api_lock_is_mine(const struct api_lock_nest *l)
{
    return __atomic_load_n(&l->owner, __ATOMIC_RELAXED) == api_lock_me();
}

static int api_lock_count_one(struct api_lock_nest *l)
{
    l->owner = api_lock_me();
    return (int)++l->count;
}

void omp_set_nest_lock(struct api_lock_nest **at)
{
    struct locks_lock lock;
    struct api_lock_nest *l = api_lock_at(__func__, at, &lock);
    if (!api_lock_is_mine(l))
        locks_take_of_program(lock);
    api_lock_count_one(l);
}

void omp_unset_nest_lock(struct api_lock_nest **at)
{
    struct locks_lock lock;
    struct api_lock_nest *l = api_lock_at(__func__, at, &lock);
    if (--l->count > 0)
        return;
    l->owner = 0;
    locks_drop_of_program(lock);
}

int omp_test_nest_lock(struct api_lock_nest **at)
{
    struct locks_lock lock;
    struct api_lock_nest *l = api_lock_at(__func__, at, &lock);
    return api_lock_is_mine(l) || locks_try(lock) ? api_lock_count_one(l) : 0;
}

/* ---- hints ---- */

#define DEFINE_HINTED(name, init, type, hint_type) \
    void name(type *l, hint_type hint)             \
    {                                              \
        (void)hint;                                \
        init(l);                                   \
    }
DEFINE_HINTED(omp_init_lock_with_hint, omp_init_lock, struct api_lock, unsigned)
DEFINE_HINTED(omp_init_nest_lock_with_hint, omp_init_nest_lock, struct api_lock_nest *, unsigned)

/* ---- Fortran ---- */

API_ALIAS(omp_init_lock);
API_ALIAS(omp_destroy_lock);
API_ALIAS(omp_set_lock);
API_ALIAS(omp_unset_lock);
API_ALIAS(omp_test_lock);
DEFINE_HINTED(omp_init_lock_with_hint_, omp_init_lock, struct api_lock, const unsigned *)

API_ALIAS(omp_init_nest_lock);
API_ALIAS(omp_destroy_nest_lock);
API_ALIAS(omp_set_nest_lock);
API_ALIAS(omp_unset_nest_lock);
API_ALIAS(omp_test_nest_lock);
DEFINE_HINTED(omp_init_nest_lock_with_hint_, omp_init_nest_lock, struct api_lock_nest *,
              const unsigned *)
