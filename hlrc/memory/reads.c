/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reads.c - see reads.h for the invariants. */
#include "hlrc/memory/reads.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <string.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/progress/thread.h"

static spin_lock_word lock;        /* guards additions to the sets in use */
static struct reads_set *pools[2]; /* swapped by reads_take; 0 of each is none */
static uint32_t used;              /* sets of the pool in use */
static _Atomic unsigned in_use;
static _Atomic uint32_t *sets; /* by page: its set, 0 none */

#define POOL_BYTES (((size_t)engine.pages + 1) * sizeof(struct reads_set))
#define SETS_BYTES ((size_t)engine.pages * sizeof *sets)

int reads_init(void)
{
    if (!first_write_races_checked())
        return 0;
    pools[0] = reserve(POOL_BYTES);
    pools[1] = reserve(POOL_BYTES);
    sets = reserve(SETS_BYTES);
    used = 0;
    return pools[0] && pools[1] && sets ? 0 : -ENOMEM;
}

void reads_end(void)
{
    reserve_end(pools[0], POOL_BYTES);
    reserve_end(pools[1], POOL_BYTES);
    reserve_end((void *)sets, SETS_BYTES);
    pools[0] = pools[1] = NULL;
    sets = NULL;
}

static uint64_t reads_bits_of(uint32_t at, uint32_t bytes)
{
    return (bytes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1) << at % 64;
}

static bool reads_all_set(const uint64_t *mask, uint32_t at, uint32_t bytes)
{
    bool all = true;
    for (uint32_t n; bytes > 0 && all; at += n, bytes -= n) {
        n = 64 - at % 64 < bytes ? 64 - at % 64 : bytes;
        all = (~__atomic_load_n(&mask[at / 64], __ATOMIC_RELAXED) & reads_bits_of(at, n)) == 0;
    }
    return all;
}

static void reads_set(uint64_t *mask, uint32_t at, uint32_t bytes)
{
    for (uint32_t n; bytes > 0; at += n, bytes -= n) {
        n = 64 - at % 64 < bytes ? 64 - at % 64 : bytes;
        __atomic_fetch_or(&mask[at / 64], reads_bits_of(at, n), __ATOMIC_RELAXED);
    }
}

/* ASSUMPTION: the lock is held. */
static struct reads_set *reads_set_of(uint32_t page, uintptr_t code)
{
    uint32_t k = atomic_load_explicit(&sets[page], memory_order_relaxed);
    struct reads_set *s = &pools[in_use][k ? k : used + 1];
    if (k)
        return s;
    memset(s->mask, 0, sizeof s->mask);
    s->page = page;
    s->first = (struct first_write){ code, thread_self()->index };
    atomic_store_explicit(&sets[page], ++used, memory_order_relaxed);
    atomic_store(&dirty_reads, true);
    return s;
}

static void reads_note(uint32_t page, uint32_t at, uint32_t bytes, uintptr_t code)
{
    uint32_t k = atomic_load_explicit(&sets[page], memory_order_relaxed);
    if (k && reads_all_set(pools[in_use][k].mask, at, bytes))
        return;
    (void)thread_self(); /* may take a slot: not under the lock */
    spin_lock(&lock);
    reads_set(reads_set_of(page, code)->mask, at, bytes);
    spin_unlock(&lock);
}

void hlrc_note_read(const void *ptr, size_t size, const void *code)
{
    if (!sets || call_get() != CALL_RUNNING)
        return;
    const char *at = ptr;
    uintptr_t by = (uintptr_t)(code ? code : __builtin_return_address(0)) - 1; /* in the call */
    for (size_t n; size > 0; at += n, size -= n) {
        size_t in_page = (uintptr_t)at % PAGE_SIZE;
        n = PAGE_SIZE - in_page < size ? PAGE_SIZE - in_page : size;
        if (engine_in_space(at))
            reads_note(engine_page_of(at), (uint32_t)in_page, (uint32_t)n, by);
    }
}

/* [races.reads-first] */
const struct reads_set *reads_take(uint32_t *count)
{
    *count = 0;
    if (!sets || !atomic_load(&dirty_reads))
        return NULL;
    spin_lock(&lock);
    struct reads_set *taken = pools[in_use];
    *count = used;
    for (uint32_t k = 1; k <= used; k++)
        atomic_store_explicit(&sets[taken[k].page], 0, memory_order_relaxed);
    atomic_store(&dirty_reads, false);
    in_use ^= 1;
    used = 0;
    spin_unlock(&lock);
    return taken + 1;
}
