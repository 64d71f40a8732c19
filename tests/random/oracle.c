/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* oracle.c - see oracle.h. */
#include "tests/random/oracle.h"

#include <sched.h>

static void blocks_take(struct oracle *o)
{
    while (atomic_exchange(&o->blocks_lock, 1))
        sched_yield();
}

static void blocks_drop(struct oracle *o)
{
    atomic_store(&o->blocks_lock, 0);
}

bool oracle_block_add(struct oracle *o, const void *address, uint64_t size)
{
    uint64_t at = (uint64_t)(uintptr_t)address;
    bool good = true;
    blocks_take(o);
    uint32_t n = o->block_count;
    for (uint32_t i = 0; i < n && good; i++)
        good = at + size <= o->block[i].address || o->block[i].address + o->block[i].size <= at;
    if (good && n < MAX_BLOCKS) {
        o->block[n] = (struct oracle_block){ at, size };
        o->block_count = n + 1;
    }
    blocks_drop(o);
    return good;
}

bool oracle_block_remove(struct oracle *o, const void *address)
{
    uint64_t at = (uint64_t)(uintptr_t)address;
    bool found = false;
    blocks_take(o);
    uint32_t n = o->block_count;
    for (uint32_t i = 0; i < n && !found; i++) {
        found = o->block[i].address == at;
        if (found) {
            o->block[i] = o->block[n - 1];
            o->block_count = n - 1;
        }
    }
    blocks_drop(o);
    return found || n == MAX_BLOCKS; /* it may not have fitted */
}
