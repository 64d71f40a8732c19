/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* value.c - single values, flags after data, and atomic operations. */
#include "compat/armci/inner.h"

#define VALUES(T, N)                                                                \
    int ARMCI_PutValue##N(T src, void *dst, int proc)                               \
    {                                                                               \
        inner_armci_check_memory("ARMCI_PutValue" #N, dst, sizeof src, proc);       \
        hlrc_put(dst, &src, sizeof src, proc);                                      \
        return 0;                                                                   \
    }                                                                               \
    int ARMCI_NbPutValue##N(T src, void *dst, int proc, armci_hdl_t *handle)        \
    {                                                                               \
        if (handle)                                                                 \
            (void)ARMCI_Wait(handle);                                               \
        return ARMCI_PutValue##N(src, dst, proc); /* the value is gone on return */ \
    }                                                                               \
    T ARMCI_GetValue##N(void *src, int proc)                                        \
    {                                                                               \
        T value;                                                                    \
        inner_armci_check_memory("ARMCI_GetValue" #N, src, sizeof value, proc);     \
        hlrc_get(&value, src, sizeof value, proc);                                  \
        return value;                                                               \
    }
VALUES(int, Int)
VALUES(long, Long)
VALUES(float, Float)
VALUES(double, Double)

/* The data arrives before the flag. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc)
{
    inner_armci_check_memory("ARMCI_Put_flag", flag, sizeof *flag, proc);
    (void)ARMCI_Put(src, dst, bytes, proc);
    hlrc_put(flag, &value, sizeof value, proc);
    return 0;
}

int ARMCI_PutS_flag(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                    int *flag, int value, int proc)
{
    inner_armci_check_memory("ARMCI_PutS_flag", flag, sizeof *flag, proc);
    (void)ARMCI_PutS(src, src_stride, dst, dst_stride, count, levels, proc);
    hlrc_put(flag, &value, sizeof value, proc);
    return 0;
}

/* *ploc gets the old value. */
int ARMCI_Rmw(int op, void *ploc, void *prem, int extra, int proc)
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
    if (hlrc_rmw(prem, value, ploc, type, adds ? HLRC_SUM : HLRC_REPLACE, proc) != 0)
        fail_job("ARMCI_Rmw: the word at %p is not aligned to its %zu bytes", prem,
                 wide ? sizeof(long) : sizeof(int));
    return 0;
}
