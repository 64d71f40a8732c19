/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memget.c - memory that one process allocates without the others: a block of the heap of groups,
 * of a group with that process only. A structure describes it. Other processes get a copy by a
 * message, and their heap learns of the block in ARMCI_Memat.
 */
#include "compat/armci/inner.h"

static void memget_check(const char *call, const armci_meminfo_t *info)
{
    inner_armci_check(call, info ? info->cpid : 0);
    if (!info || !info->armci_addr)
        fail_job("%s: describes no memory; pass a structure that ARMCI_Memget stored, before "
                 "ARMCI_Memctl",
                 call);
}

void PARMCI_Memget(size_t bytes, armci_meminfo_t *info, int flags)
{
    void *at = NULL;
    inner_armci_check("ARMCI_Memget", 0);
    if (bytes == 0 || flags != 0)
        fail_job("ARMCI_Memget: %zu bytes, flags %d; pass 1 byte or more, and 0", bytes, flags);
    if (inner_armci_heap_take(inner_armci_self(), &at, bytes) != 0)
        fail_job("ARMCI_Memget: no space for %zu bytes; raise ARMCI_DEFAULT_SHMMAX", bytes);
    *info = (armci_meminfo_t){ at, at, bytes, armci_job.me };
}

void *PARMCI_Memat(armci_meminfo_t *info, long offset)
{
    memget_check("ARMCI_Memat", info);
    if (info->cpid != armci_job.me &&
        !inner_armci_heap_learn(info->armci_addr, info->size, info->cpid))
        fail_job("ARMCI_Memat: %zu bytes at %p are not in memory of ARMCI_Memget; pass a structure "
                 "that it stored",
                 info->size, info->armci_addr);
    return (char *)info->armci_addr + offset;
}

/* The creator's copy stays valid: its memory ends in ARMCI_Memctl. */
void PARMCI_Memdt(armci_meminfo_t *info, long offset)
{
    (void)offset;
    memget_check("ARMCI_Memdt", info);
    if (info->cpid == armci_job.me)
        return;
    hlrc_fence(info->cpid);
    inner_armci_heap_forget(info->armci_addr, info->cpid);
}

void PARMCI_Memctl(armci_meminfo_t *info)
{
    memget_check("ARMCI_Memctl", info);
    if (info->cpid != armci_job.me)
        PARMCI_Memdt(info, 0);
    else if (!inner_armci_heap_return(inner_armci_self(), info->armci_addr))
        fail_job("ARMCI_Memctl: no block of ARMCI_Memget begins at %p; free each once",
                 info->armci_addr);
    info->armci_addr = info->addr = NULL;
}

PROFILED(Memget)
PROFILED(Memat)
PROFILED(Memdt)
PROFILED(Memctl)
