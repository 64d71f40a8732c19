/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memory.c - memory accessible to other processes: windows as large as the largest request, of
 * which each process has as much as it asked for. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compat/armci/inner.h"

struct memory_piece {
    char *at;        /* NULL: free */
    uint64_t *sizes; /* of each process */
    size_t most;
};

static struct memory_piece pieces[HLRC_MAX_WINDOWS];
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER; /* guards these */

/* The window that contains this, perhaps beyond this process's part; NULL: none. */
static struct memory_piece *memory_find(const void *at)
{
    for (struct memory_piece *p = pieces; p < pieces + HLRC_MAX_WINDOWS; p++)
        if (p->at && (uintptr_t)at - (uintptr_t)p->at < p->most)
            return p;
    return NULL;
}

static void memory_check_heap(const char *call, const void *at, size_t bytes, int proc)
{
    size_t has = inner_armci_heap_bytes(at, proc);
    if (bytes > has)
        fail_job("%s: %zu bytes at %p go beyond the %zu that process %d has there in memory of "
                 "ARMCI_Malloc_group or ARMCI_Memget that this process knows of; use an address "
                 "that they stored",
                 call, bytes, at, has, proc);
}

void inner_armci_check_memory(const char *call, const void *at, size_t bytes, int proc)
{
    inner_armci_check(call, proc);
    if (inner_armci_heap_has(at)) {
        memory_check_heap(call, at, bytes, proc);
        return;
    }
    (void)pthread_rwlock_rdlock(&guard);
    const struct memory_piece *p = memory_find(at);
    size_t has = p ? p->sizes[proc] : 0, off = p ? (size_t)((const char *)at - p->at) : 0;
    (void)pthread_rwlock_unlock(&guard);
    if (!p)
        fail_job("%s: %zu bytes at %p, process %d, are not in memory of ARMCI_Malloc, or were "
                 "freed by ARMCI_Free; use an address that ARMCI_Malloc stored",
                 call, bytes, at, proc);
    if (off > has || bytes > has - off)
        fail_job("%s: %zu bytes at %p go beyond the %zu that process %d allocated there; pass a "
                 "larger size to ARMCI_Malloc",
                 call, bytes, at, has, proc);
}

/* Gathers the value of each process in `all`. */
static void memory_gather(uint64_t mine, uint64_t *all)
{
    memset(all, 0, (size_t)armci_job.n * sizeof *all);
    all[armci_job.me] = mine;
    (void)hlrc_reduce(all, all, (size_t)armci_job.n, HLRC_UINT64, HLRC_SUM);
}

int PARMCI_Malloc(void *ptr_arr[], armci_size_t bytes)
{
    inner_armci_check("ARMCI_Malloc", 0);
    if (bytes < 0)
        fail_job("ARMCI_Malloc: %ld bytes; pass 0 or more", bytes);
    uint64_t *sizes = calloc((size_t)armci_job.n, sizeof *sizes), most = 0;
    if (!sizes)
        fail_job("ARMCI_Malloc: no private memory for %d sizes", armci_job.n);
    memory_gather((uint64_t)bytes, sizes);
    for (int i = 0; i < armci_job.n; i++)
        most = sizes[i] > most ? sizes[i] : most;
    char *at = most ? hlrc_window_create(most) : NULL;
    for (int i = 0; i < armci_job.n; i++)
        ptr_arr[i] = at && sizes[i] ? at : NULL;
    if (!at) {
        free(sizes);
        return most ? inner_armci_heap_take(inner_armci_world(), ptr_arr, (size_t)bytes) : 0;
    }
    (void)pthread_rwlock_wrlock(&guard);
    struct memory_piece *p = pieces;
    while (p->at)
        p++; /* there is one per window */
    *p = (struct memory_piece){ at, sizes, most };
    (void)pthread_rwlock_unlock(&guard);
    return 0;
}

static _Noreturn void memory_refuse_free(const char *call, const void *at)
{
    fail_job("%s: no block of ARMCI_Malloc begins at %p; free each stored address once", call, at);
}

/* A process without memory passes NULL, as in ptr_arr, and learns from the others which window to
 * free. */
int PARMCI_Free(void *ptr)
{
    uint64_t mine[2] = { (uintptr_t)ptr, 0 };
    inner_armci_check("ARMCI_Free", 0);
    hlrc_fence_all();
    (void)hlrc_reduce(mine, mine, 1, HLRC_UINT64, HLRC_MAX);
    void *at = (void *)(uintptr_t)mine[0];
    if (!at)
        return 0;
    if (inner_armci_heap_has(at)) {
        if (!inner_armci_heap_return(inner_armci_world(), ptr))
            memory_refuse_free("ARMCI_Free", ptr);
        return 0;
    }
    struct memory_piece *p = memory_find(at);
    if (!p || p->at != at || (ptr && ptr != at))
        memory_refuse_free("ARMCI_Free", ptr && ptr != at ? ptr : at);
    (void)pthread_rwlock_wrlock(&guard);
    free(p->sizes);
    *p = (struct memory_piece){ 0 };
    (void)pthread_rwlock_unlock(&guard);
    hlrc_window_free(at);
    return 0;
}

/* ---- of groups ---- */

int ARMCI_Malloc_group(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group)
{
    const struct armci_group *g = inner_armci_group("ARMCI_Malloc_group", group);
    if (g == inner_armci_world())
        return PARMCI_Malloc(ptr_arr, bytes);
    if (bytes < 0)
        fail_job("ARMCI_Malloc_group: %ld bytes; pass 0 or more", bytes);
    return inner_armci_heap_take(g, ptr_arr, (size_t)bytes);
}

int ARMCI_Free_group(void *ptr, ARMCI_Group *group)
{
    const struct armci_group *g = inner_armci_group("ARMCI_Free_group", group);
    if (g == inner_armci_world())
        return PARMCI_Free(ptr);
    hlrc_fence_all();
    if ((ptr && !inner_armci_heap_has(ptr)) || !inner_armci_heap_return(g, ptr))
        memory_refuse_free("ARMCI_Free_group", ptr);
    return 0;
}

/* There is one kind of memory: a device makes no difference. */
int PARMCI_Malloc_memdev(void *ptr_arr[], armci_size_t bytes, const char *device)
{
    (void)device;
    return PARMCI_Malloc(ptr_arr, bytes);
}

int PARMCI_Malloc_group_memdev(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group,
                               const char *device)
{
    (void)device;
    return ARMCI_Malloc_group(ptr_arr, bytes, group);
}

int PARMCI_Free_memdev(void *ptr)
{
    return PARMCI_Free(ptr);
}

void *PARMCI_Malloc_local(armci_size_t bytes)
{
    return bytes < 0 ? NULL : malloc((size_t)bytes);
}

int PARMCI_Free_local(void *ptr)
{
    free(ptr);
    return 0;
}

/* ---- mutexes: HLRC locks, as many at each process as it asked for ---- */

static uint64_t *mutexes; /* of each process; NULL: none were created */

int PARMCI_Create_mutexes(int num)
{
    inner_armci_check("ARMCI_Create_mutexes", 0);
    if (num < 0 || num > HLRC_MUTEXES)
        fail_job("ARMCI_Create_mutexes: %d mutexes; pass 0 to %d", num, HLRC_MUTEXES);
    if (mutexes)
        fail_job("ARMCI_Create_mutexes: called twice; call ARMCI_Destroy_mutexes first");
    mutexes = calloc((size_t)armci_job.n, sizeof *mutexes);
    if (!mutexes)
        fail_job("ARMCI_Create_mutexes: no private memory for %d numbers", armci_job.n);
    memory_gather((uint64_t)num, mutexes);
    return 0;
}

int PARMCI_Destroy_mutexes(void)
{
    inner_armci_check("ARMCI_Destroy_mutexes", 0);
    if (!mutexes)
        fail_job("ARMCI_Destroy_mutexes: there are no mutexes; call ARMCI_Create_mutexes first");
    hlrc_fence_all();
    hlrc_barrier();
    free(mutexes);
    mutexes = NULL;
    return 0;
}

static void memory_check_mutex(const char *call, int mutex, int proc)
{
    inner_armci_check(call, proc);
    long long has = mutexes ? (long long)mutexes[proc] : 0;
    if (mutex < 0 || mutex >= has)
        fail_job("%s: mutex %d: process %d has %lld mutexes; create more with ARMCI_Create_mutexes",
                 call, mutex, proc, has);
}

void PARMCI_Lock(int mutex, int proc)
{
    memory_check_mutex("ARMCI_Lock", mutex, proc);
    hlrc_mutex_lock((unsigned)mutex, proc);
}

void PARMCI_Unlock(int mutex, int proc)
{
    memory_check_mutex("ARMCI_Unlock", mutex, proc);
    hlrc_fence_all(); /* puts under the mutex are complete for its next holder */
    hlrc_mutex_unlock((unsigned)mutex, proc);
}

PROFILED(Malloc)
PROFILED(Free)
PROFILED(Malloc_local)
PROFILED(Free_local)
PROFILED(Malloc_memdev)
PROFILED(Malloc_group_memdev)
PROFILED(Free_memdev)
PROFILED(Create_mutexes)
PROFILED(Destroy_mutexes)
PROFILED(Lock)
PROFILED(Unlock)
