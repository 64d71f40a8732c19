/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handle.c - handles of non-blocking operations (inner.h). After a wait for a process a program
 * need not wait for handles of its operations, but HLRC's handles must be waited for: so a table
 * has them. When it is full all its operations are waited for.
 */
#include <pthread.h>

#include "compat/armci/inner.h"

#define ENTRIES 4096
#define MANY    0xa66e9a7eU /* handle of any number of operations, completed by a fence */

struct handle_entry {
    hlrc_handle_t op;
    unsigned use; /* times it was used */
    int proc;     /* -1: free */
};

static struct handle_entry entries[ENTRIES];
static unsigned used; /* entries ever used; the others are free */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* Completes operations at this process, or all with -1. Guarded. */
static void handle_end_all(int proc)
{
    for (struct handle_entry *e = entries; e < entries + used; e++) {
        if (e->proc < 0 || (proc >= 0 && e->proc != proc))
            continue;
        hlrc_wait(e->op);
        e->proc = -1;
        e->use++;
    }
}

static struct handle_entry *handle_entry_free(void)
{
    for (struct handle_entry *e = entries; e < entries + used; e++)
        if (e->proc < 0)
            return e;
    if (used == ENTRIES) {
        handle_end_all(-1);
        return entries;
    }
    return &entries[used++];
}

/* The entry of a handle whose operation is not complete. Guarded. */
static struct handle_entry *handle_entry_of(const armci_hdl_t *handle)
{
    struct handle_entry *e = &entries[handle->entry < ENTRIES ? handle->entry : 0];
    bool there = handle->entry < used && e->proc >= 0 && e->use == handle->use;
    return there ? e : NULL;
}

hlrc_handle_t *inner_armci_begin(armci_hdl_t *handle, int proc, hlrc_handle_t *room)
{
    if (!handle)
        return NULL;
    if (handle->aggregate == MANY) {
        if (handle->proc >= 0 && handle->proc != proc)
            fail_job("an aggregate handle has operations at process %d and cannot take one at "
                     "process %d; call ARMCI_Wait first",
                     handle->proc, proc);
        handle->proc = proc;
        return NULL;
    }
    (void)ARMCI_Wait(handle);
    return room;
}

void inner_armci_begun(armci_hdl_t *handle, int proc, const hlrc_handle_t *room)
{
    if (!handle || handle->aggregate == MANY)
        return;
    (void)pthread_mutex_lock(&guard);
    struct handle_entry *e = handle_entry_free();
    e->op = *room;
    e->proc = proc;
    *handle = (armci_hdl_t){ .entry = (unsigned)(e - entries), .use = e->use, .proc = proc };
    (void)pthread_mutex_unlock(&guard);
}

armci_hdl_t armci_hdl_none(void)
{
    return (armci_hdl_t){ .entry = ENTRIES, .proc = -1 };
}

void armci_hdl_aggregate(armci_hdl_t *handle, int on)
{
    *handle = armci_hdl_none();
    handle->aggregate = on ? MANY : 0;
}

int ARMCI_Wait(armci_hdl_t *handle)
{
    inner_armci_check("ARMCI_Wait", 0);
    if (handle->aggregate == MANY) {
        if (handle->proc >= 0)
            hlrc_fence(handle->proc);
        handle->proc = -1;
        return 0;
    }
    (void)pthread_mutex_lock(&guard);
    struct handle_entry *e = handle_entry_of(handle);
    if (e) {
        hlrc_wait(e->op);
        e->proc = -1;
        e->use++;
    }
    (void)pthread_mutex_unlock(&guard);
    return 0;
}

int ARMCI_Test(armci_hdl_t *handle)
{
    inner_armci_check("ARMCI_Test", 0);
    if (handle->aggregate == MANY)
        return ARMCI_Wait(handle) == 0;
    (void)pthread_mutex_lock(&guard);
    struct handle_entry *e = handle_entry_of(handle);
    int over = !e || hlrc_test(e->op);
    if (e && over) {
        e->proc = -1;
        e->use++;
    }
    (void)pthread_mutex_unlock(&guard);
    return over;
}

static void handle_end(int proc)
{
    (void)pthread_mutex_lock(&guard);
    handle_end_all(proc);
    (void)pthread_mutex_unlock(&guard);
    if (proc < 0)
        hlrc_fence_all();
    else
        hlrc_fence(proc);
}

int ARMCI_WaitAll(void)
{
    inner_armci_check("ARMCI_WaitAll", 0);
    handle_end(-1);
    return 0;
}

int ARMCI_WaitProc(int proc)
{
    inner_armci_check("ARMCI_WaitProc", proc);
    handle_end(proc);
    return 0;
}

void ARMCI_Fence(int proc)
{
    inner_armci_check("ARMCI_Fence", proc);
    hlrc_fence(proc);
}

void ARMCI_AllFence(void)
{
    inner_armci_check("ARMCI_AllFence", 0);
    hlrc_fence_all();
}

void ARMCI_Barrier(void)
{
    inner_armci_check("ARMCI_Barrier", 0);
    hlrc_fence_all();
    hlrc_barrier();
}
