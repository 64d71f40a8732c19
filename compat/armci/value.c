/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* value.c - single values, flags after data, notifications, and atomic operations. */
#include "base/backoff.h"
#include "compat/armci/inner.h"

#define SPINS  200
#define YIELDS 400
#define NAP_NS 50000

#define VALUES(T, N)                                                                 \
    int PARMCI_PutValue##N(T src, void *dst, int proc)                               \
    {                                                                                \
        inner_armci_check_memory("ARMCI_PutValue" #N, dst, sizeof src, proc);        \
        hlrc_put(dst, &src, sizeof src, proc);                                       \
        return 0;                                                                    \
    }                                                                                \
    int PARMCI_NbPutValue##N(T src, void *dst, int proc, armci_hdl_t *handle)        \
    {                                                                                \
        if (handle)                                                                  \
            (void)PARMCI_Wait(handle);                                               \
        return PARMCI_PutValue##N(src, dst, proc); /* the value is gone on return */ \
    }                                                                                \
    T PARMCI_GetValue##N(void *src, int proc)                                        \
    {                                                                                \
        T value;                                                                     \
        inner_armci_check_memory("ARMCI_GetValue" #N, src, sizeof value, proc);      \
        hlrc_get(&value, src, sizeof value, proc);                                   \
        return value;                                                                \
    }                                                                                \
    PROFILED(PutValue##N)                                                            \
    PROFILED(NbPutValue##N)                                                          \
    PROFILED(GetValue##N)
VALUES(int, Int)
VALUES(long, Long)
VALUES(float, Float)
VALUES(double, Double)

/* The data arrives before the flag. */
int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc)
{
    inner_armci_check_memory("ARMCI_Put_flag", flag, sizeof *flag, proc);
    (void)PARMCI_Put(src, dst, bytes, proc);
    hlrc_put(flag, &value, sizeof value, proc);
    return 0;
}

int PARMCI_PutS_flag(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                     int *flag, int value, int proc)
{
    inner_armci_check_memory("ARMCI_PutS_flag", flag, sizeof *flag, proc);
    (void)PARMCI_PutS(src, src_stride, dst, dst_stride, count, levels, proc);
    hlrc_put(flag, &value, sizeof value, proc);
    return 0;
}

/* ---- notifications ---- */

static int awaited[HLRC_MAX_NODES];

static void value_notify_check(const char *call, int proc)
{
    inner_armci_check(call, proc);
    if (!armci_job.arrived)
        fail_job("%s: no window for notifications could be created; choose a fabric with reads and "
                 "atomics, or raise --memory",
                 call);
}

/* Returns how many it has sent there. */
int parmci_notify(int proc)
{
    int one = 1, before = 0;
    value_notify_check("armci_notify", proc);
    hlrc_fence(proc);
    (void)hlrc_word_fetch(hlrc_word_window(&armci_job.arrived[armci_job.me], proc), HLRC_INT32,
                          HLRC_SUM, &one, &before, HLRC_RELAXED);
    return before + 1;
}

/* *pval gets how many were waited for. Returns how many have arrived. */
int parmci_notify_wait(int proc, int *pval)
{
    value_notify_check("armci_notify_wait", proc);
    int least = __atomic_add_fetch(&awaited[proc], 1, __ATOMIC_RELAXED), has;
    for (unsigned tries = 0;
         (has = (int)__atomic_load_n(&armci_job.arrived[proc], __ATOMIC_ACQUIRE)) < least; tries++)
        backoff_pause(tries, SPINS, YIELDS, NAP_NS);
    *pval = least;
    return has;
}

/* *ploc gets the old value. */
int PARMCI_Rmw(int op, void *ploc, void *prem, int extra, int proc)
{
    bool wide = op == ARMCI_FETCH_AND_ADD_LONG || op == ARMCI_SWAP_LONG,
         adds = op == ARMCI_FETCH_AND_ADD || op == ARMCI_FETCH_AND_ADD_LONG;
    long extra_long = extra;
    if (!adds && op != ARMCI_SWAP && op != ARMCI_SWAP_LONG)
        fail_job(
            "ARMCI_Rmw: unknown operation %d; pass ARMCI_FETCH_AND_ADD, %d, to ARMCI_SWAP_LONG, %d",
            op, ARMCI_FETCH_AND_ADD, ARMCI_SWAP_LONG);
    inner_armci_check_memory("ARMCI_Rmw", prem, wide ? sizeof(long) : sizeof(int), proc);
    const void *value = !adds ? ploc : wide ? (void *)&extra_long : (void *)&extra;
    hlrc_type type = !wide ? HLRC_INT32 : sizeof(long) == 8 ? HLRC_INT64 : HLRC_INT32;
    if (hlrc_word_fetch(hlrc_word_window(prem, proc), type, adds ? HLRC_SUM : HLRC_REPLACE, value,
                        ploc, HLRC_RELAXED) != 0)
        fail_job("ARMCI_Rmw: the word at %p is not aligned to its %zu bytes", prem,
                 wide ? sizeof(long) : sizeof(int));
    return 0;
}

PROFILED(Put_flag)
PROFILED(PutS_flag)
PROFILED(Rmw)
PROFILED_AS(armci_notify, parmci_notify)
PROFILED_AS(armci_notify_wait, parmci_notify_wait)
