/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api_lock.c - locks of OpenMP's library routines; see api.h. */
#include <hlrc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat/openmp/api.h"
#include "compat/openmp/locks.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

static void api_lock_create(void *arg)
{
    hlrc_lock_t lock;
    if (hlrc_lock_create(&lock) != 0)
        start_fail("omp_init_lock: no more locks");
    *(uint32_t *)arg = lock + 1;
}

static void api_lock_destroy(void *arg)
{
    hlrc_lock_destroy(*(const uint32_t *)arg - 1);
}

static void api_lock_check(const char *call, uint32_t handle)
{
    if (handle == 0)
        start_fail("%s: the lock was not initialised by omp_init_lock", call);
}

void omp_init_lock(api_lock *l)
{
    uint32_t handle;
    lane_call(api_lock_create, &handle);
    l->handle = handle;
}

void omp_destroy_lock(api_lock *l)
{
    uint32_t handle = l->handle;
    api_lock_check("omp_destroy_lock", handle);
    lane_call(api_lock_destroy, &handle);
    l->handle = 0;
}

void omp_set_lock(api_lock *l)
{
    api_lock_check("omp_set_lock", l->handle);
    locks_take_of_program(l->handle - 1);
}

void omp_unset_lock(api_lock *l)
{
    api_lock_check("omp_unset_lock", l->handle);
    locks_drop(l->handle - 1);
}

int omp_test_lock(api_lock *l)
{
    uint32_t handle = l->handle;
    api_lock_check("omp_test_lock", handle);
    return locks_try(handle - 1);
}

/* ---- nestable locks ---- */

/* All threads that the program creates itself are on one node, so their ids differ. */
static uint32_t api_lock_me(void)
{
    return lane_current ? (uint32_t)lane_current->index + 1
                        : 0x80000000u | (uint32_t)syscall(SYS_gettid);
}

void omp_init_nest_lock(api_nest_lock *l)
{
    uint32_t handle;
    lane_call(api_lock_create, &handle);
    *l = (api_nest_lock){ .handle = handle };
}

void omp_destroy_nest_lock(api_nest_lock *l)
{
    uint32_t handle = l->handle;
    api_lock_check("omp_destroy_nest_lock", handle);
    lane_call(api_lock_destroy, &handle);
    l->handle = 0;
}

/* Only the owner stores its number here, and clears it before it releases the lock. So a thread
 * that reads its own number holds the lock, however stale the read. */
static bool api_lock_is_mine(const api_nest_lock *l)
{
    return __atomic_load_n(&l->owner, __ATOMIC_RELAXED) == api_lock_me();
}

static int api_lock_count_one(api_nest_lock *l)
{
    l->owner = api_lock_me();
    return (int)++l->count;
}

void omp_set_nest_lock(api_nest_lock *l)
{
    api_lock_check("omp_set_nest_lock", l->handle);
    if (!api_lock_is_mine(l))
        locks_take_of_program(l->handle - 1);
    api_lock_count_one(l);
}

void omp_unset_nest_lock(api_nest_lock *l)
{
    uint32_t handle = l->handle;
    api_lock_check("omp_unset_nest_lock", handle);
    if (--l->count > 0)
        return;
    l->owner = 0;
    locks_drop(handle - 1);
}

int omp_test_nest_lock(api_nest_lock *l)
{
    uint32_t handle = l->handle;
    api_lock_check("omp_test_nest_lock", handle);
    return api_lock_is_mine(l) || locks_try(handle - 1) ? api_lock_count_one(l) : 0;
}

/* ---- hints, and Fortran ---- */

void omp_init_lock_with_hint(api_lock *l, unsigned hint)
{
    (void)hint;
    omp_init_lock(l);
}

void omp_init_nest_lock_with_hint(api_nest_lock *l, unsigned hint)
{
    (void)hint;
    omp_init_nest_lock(l);
}

void omp_init_lock_with_hint_(api_lock *l, const unsigned *hint)
{
    (void)hint;
    omp_init_lock(l);
}

void omp_init_nest_lock_with_hint_(api_nest_lock *l, const unsigned *hint)
{
    (void)hint;
    omp_init_nest_lock(l);
}

#define FORTRAN_LOCK(name, lock) \
    void name##_(lock *l)        \
    {                            \
        name(l);                 \
    }
FORTRAN_LOCK(omp_init_lock, api_lock)
FORTRAN_LOCK(omp_destroy_lock, api_lock)
FORTRAN_LOCK(omp_set_lock, api_lock)
FORTRAN_LOCK(omp_unset_lock, api_lock)
FORTRAN_LOCK(omp_init_nest_lock, api_nest_lock)
FORTRAN_LOCK(omp_destroy_nest_lock, api_nest_lock)
FORTRAN_LOCK(omp_set_nest_lock, api_nest_lock)
FORTRAN_LOCK(omp_unset_nest_lock, api_nest_lock)

int omp_test_lock_(api_lock *l)
{
    return omp_test_lock(l);
}

int omp_test_nest_lock_(api_nest_lock *l)
{
    return omp_test_nest_lock(l);
}
