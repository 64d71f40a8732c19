/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handle.c - handles of non-blocking operations (inner.h). After a wait for a process a program
 * need not wait for handles of its operations, but HLRC's handles must be waited for: so a table
 * has them. When it is full all its operations are waited for.
 */
#include <pthread.h>

#include "compat/armci/inner.h"

#define ENTRIES 4096U
#define USES    0xfffffU    /* uses of an entry that differ in handles */
#define MANY    0xffffffffU /* handle of any number of operations, completed by a fence */

struct handle_entry {
    hlrc_handle_t op;
    unsigned use; /* times it was used, modulo USES */
    int proc;     /* -1: free */
};

static struct handle_entry entries[ENTRIES];
static unsigned used; /* entries ever used; the others are free */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* Handles of its last operation become invalid. Guarded. */
static void handle_entry_end(struct handle_entry *e)
{
    e->proc = -1;
    e->use = (e->use + 1) % USES;
}

/* Completes operations at this process, or all with -1. Guarded. */
static void handle_end_all(int proc)
{
    for (struct handle_entry *e = entries; e < entries + used; e++) {
        if (e->proc < 0 || (proc >= 0 && e->proc != proc))
            continue;
        hlrc_wait(e->op);
        handle_entry_end(e);
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
    unsigned entry = (handle->op - 1) % ENTRIES;
    if (handle->op == 0 || entry >= used)
        return NULL;
    struct handle_entry *e = &entries[entry];
    return e->proc >= 0 && e->use == (handle->op - 1) / ENTRIES ? e : NULL;
}

hlrc_handle_t *inner_armci_begin(armci_hdl_t *handle, int proc, hlrc_handle_t *room)
{
    if (!handle)
        return NULL;
    if (handle->op == MANY) {
        if (handle->proc >= 0 && handle->proc != proc)
            fail_job("an aggregate handle has operations at process %d and cannot take one at "
                     "process %d; call ARMCI_Wait first",
                     handle->proc, proc);
        handle->proc = proc;
        return NULL;
    }
    (void)PARMCI_Wait(handle);
    return room;
}

void inner_armci_begun(armci_hdl_t *handle, int proc, const hlrc_handle_t *room)
{
    if (!handle || handle->op == MANY)
        return;
    (void)pthread_mutex_lock(&guard);
    struct handle_entry *e = handle_entry_free();
    e->op = *room;
    e->proc = proc;
    *handle = (armci_hdl_t){ 1 + (unsigned)(e - entries) + ENTRIES * e->use, proc };
    (void)pthread_mutex_unlock(&guard);
}

void ARMCI_INIT_HANDLE(armci_hdl_t *handle)
{
    *handle = (armci_hdl_t){ 0, -1 };
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle)
{
    *handle = (armci_hdl_t){ MANY, -1 };
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle)
{
    ARMCI_INIT_HANDLE(handle);
}

int PARMCI_Wait(armci_hdl_t *handle)
{
    inner_armci_check("ARMCI_Wait", 0);
    if (handle->op == MANY) {
        if (handle->proc >= 0)
            hlrc_fence(handle->proc);
        handle->proc = -1;
        return 0;
    }
    (void)pthread_mutex_lock(&guard);
    struct handle_entry *e = handle_entry_of(handle);
    if (e) {
        hlrc_wait(e->op);
        handle_entry_end(e);
    }
    (void)pthread_mutex_unlock(&guard);
    return 0;
}

/* 0: complete, as the calls that wait return. */
int PARMCI_Test(armci_hdl_t *handle)
{
    inner_armci_check("ARMCI_Test", 0);
    if (handle->op == MANY)
        return PARMCI_Wait(handle);
    (void)pthread_mutex_lock(&guard);
    struct handle_entry *e = handle_entry_of(handle);
    int over = !e || hlrc_test(e->op);
    if (e && over)
        handle_entry_end(e);
    (void)pthread_mutex_unlock(&guard);
    return !over;
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

int PARMCI_WaitAll(void)
{
    inner_armci_check("ARMCI_WaitAll", 0);
    handle_end(-1);
    return 0;
}

int PARMCI_WaitProc(int proc)
{
    inner_armci_check("ARMCI_WaitProc", proc);
    handle_end(proc);
    return 0;
}

void PARMCI_Fence(int proc)
{
    inner_armci_check("ARMCI_Fence", proc);
    hlrc_fence(proc);
}

void PARMCI_AllFence(void)
{
    inner_armci_check("ARMCI_AllFence", 0);
    hlrc_fence_all();
}

void PARMCI_Barrier(void)
{
    inner_armci_check("ARMCI_Barrier", 0);
    hlrc_fence_all();
    hlrc_barrier();
}

PROFILED(Wait)
PROFILED(Test)
PROFILED(WaitAll)
PROFILED(WaitProc)
PROFILED(Fence)
PROFILED(AllFence)
PROFILED(Barrier)
