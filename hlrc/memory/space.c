/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* space.c - see space.h. */
#include "hlrc/memory/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/diag.h"
#include "base/race.h"
#include "base/tool.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/only_node.h"
#include "hlrc/memory/range.h"

/* Far from where programs, heaps, libraries and stacks are put on 64-bit Linux, and from the
 * sanitizers' shadows. */
static const uintptr_t candidates[] = {
    0x200000000000, 0x300000000000, 0x400000000000, 0x280000000000,
    0x380000000000, 0x480000000000, 0x180000000000, 0x001000000000,
};
#define CANDIDATES  (sizeof candidates / sizeof candidates[0])
#define SPACE_MOST  (UINT64_C(15) << 40) /* as --memory allows */
#define BOOKED_MOST (UINT64_C(1) << 30)  /* valgrind takes seconds for each GiB that is mapped */
#define ALIGNED     (UINT64_C(1) << 30)  /* memory after the heap */

/* The last one is for programs with ThreadSanitizer, which on x86-64 lets them have memory there
 * and ends programs that request another address. On other CPUs it leaves no address that is
 * always free. */
#define WATCHED_CANDIDATE (CANDIDATES - 1)
#if defined(__x86_64__)
#    define WATCHED_END 0x008000000000
#else
#    define WATCHED_END 0
#endif

static size_t heap_size;

static bool space_allowed(uintptr_t at, size_t size)
{
    if (at < candidates[WATCHED_CANDIDATE] || at >= candidates[WATCHED_CANDIDATE - 1])
        return !race_watched();
    return race_watched() && at + size <= (uintptr_t)WATCHED_END;
}

uint64_t space_most(void)
{
    uintptr_t begin = candidates[WATCHED_CANDIDATE], end = WATCHED_END;
    if (race_watched())
        return end > begin ? end - begin : 0;
    return tool_valgrind() ? BOOKED_MOST : SPACE_MOST;
}

/* The heap is not among the mappings that existed at the start. */
static bool space_meets_heap(uintptr_t at, size_t size)
{
    uintptr_t heap = (uintptr_t)engine.app;
    return heap && at < heap + heap_size && heap < at + size;
}

/* Reserves all candidates that are free here, exchanges them with the other nodes, keeps the first
 * that is free everywhere. The last one is after the heap, if there is one already. */
int space_agree(size_t size, char **base)
{
    uint32_t mine = 0, all[NODES_MAX], common = ~0u;
    uintptr_t at[CANDIDATES + 1];
    memcpy(at, candidates, sizeof candidates);
    at[CANDIDATES] = ((uintptr_t)engine.app + heap_size + ALIGNED - 1) & ~(uintptr_t)(ALIGNED - 1);
    size_t count = engine.app ? CANDIDATES + 1 : CANDIDATES;
    for (size_t i = 0; i < count; i++)
        if (space_allowed(at[i], size) && !space_meets_heap(at[i], size) &&
            addresses_claim((void *)at[i], size))
            mine |= 1u << i;
    int rc = boot_exchange(engine.boot, &mine, sizeof mine, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        common &= all[n];
    if (rc)
        common = 0;
    *base = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!*base && (common & 1u << i))
            *base = (char *)at[i];
        else if (mine & 1u << i)
            addresses_unmap((void *)at[i], size);
    }
    return rc || *base ? rc : -EADDRNOTAVAIL;
}

int space_create(void)
{
    size_t size = (size_t)engine.pages << PAGE_SHIFT;
    int rc = fabric_window_create(engine.fabric, size, &engine.space);
    if (rc) {
        diag_report(1,
                    "cannot create shared memory of %zu bytes: %s; lower --memory or raise the "
                    "limit on %s",
                    size, strerror(-rc),
                    rc == -EFBIG ? "the size of files (ulimit -f)" : "address space (ulimit -v)");
        return rc;
    }
    engine.mem = engine.space.base;
    heap_size = (size_t)engine_heap_pages() << PAGE_SHIFT;
    rc = space_agree(heap_size, &engine.app);
    if (rc && race_watched()) {
        diag_report(1,
                    "ThreadSanitizer leaves no address range for %zu bytes of shared memory; lower "
                    "--memory (448G at most, on x86-64), or build without -fsanitize=thread",
                    heap_size);
        return rc;
    }
    if (rc) {
        diag_report(1, "no address range of %zu bytes is free on all %d nodes; lower --memory",
                    heap_size, engine.nodes);
        return rc;
    }
    /* open first: to valgrind a mapping that was never open is no memory; it would report each
     * first touch */
    void *p = mmap(engine.app, heap_size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED | MAP_NORESERVE, engine.space.fd, 0);
    if (p == MAP_FAILED || (!engine.alone && mprotect(engine.app, heap_size, PROT_NONE) != 0)) {
        rc = -errno;
        diag_report(1, "cannot map %zu bytes of shared memory: %s; lower --memory", heap_size,
                    strerror(errno));
        return rc;
    }
    (void)madvise(engine.app, heap_size, MADV_DONTFORK);
    /* otherwise a core dump would allocate and write pages that were never touched, too */
    (void)madvise(engine.app, heap_size, MADV_DONTDUMP);
    return range_map();
}

void space_destroy(void)
{
    if (engine.app)
        addresses_unmap(engine.app, heap_size);
    engine.app = NULL;
    range_unmap();
}

/* Memory that was executable when it was shared stays so, such as stacks that have trampolines. */
static int space_rights(uint32_t page, enum protocol_access right)
{
    static const int prot[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
    if (page < engine_heap_pages() || prot[right] == PROT_NONE)
        return prot[right];
    return prot[right] | (engine_range_of_page(page)->executable ? PROT_EXEC : 0);
}

int space_protect(uint32_t first, uint32_t count, enum protocol_access right)
{
    while (count) {
        uint32_t n;
        char *at = engine_app_run(first, &n);
        if (n > count)
            n = count;
        int rights = range_is_guard(first, &n) ? PROT_NONE : space_rights(first, right);
        if (mprotect(at, (size_t)n << PAGE_SHIFT, rights) != 0) {
            if (errno == ENOMEM)
                return -ENOMEM;
            diag_fatal(1, "cannot protect pages %u+%u of shared memory: %s", first, n,
                       strerror(errno));
        }
        first += n;
        count -= n;
    }
    return 0;
}

void space_furnish(uint32_t first, uint32_t count)
{
    size_t at = (size_t)first << PAGE_SHIFT, len = (size_t)count << PAGE_SHIFT;
    if (!(engine.protocol.pages->caps & FABRIC_READ)) {
        (void)fallocate(engine.space.fd, 0, (off_t)at, (off_t)len);
        return;
    }
#ifdef MADV_POPULATE_WRITE
    (void)madvise(engine.mem + at, len, MADV_POPULATE_WRITE);
#endif
}

void space_populate(uint32_t first, uint32_t count)
{
#ifdef MADV_POPULATE_WRITE
    uint32_t n;
    char *at = engine_app_run(first, &n);
    (void)madvise(at, (size_t)(n < count ? n : count) << PAGE_SHIFT, MADV_POPULATE_WRITE);
#else
    (void)first, (void)count;
#endif
}

bool space_bare(uint32_t first, uint32_t count)
{
    off_t begin = (off_t)first << PAGE_SHIFT, end = begin + ((off_t)count << PAGE_SHIFT),
          data = lseek(engine.space.fd, begin, SEEK_DATA);
    return data >= end || (data < 0 && errno == ENXIO);
}

uint64_t hlrc_pages_here(void)
{
    struct stat st;
    return fstat(engine.space.fd, &st) == 0 ? (uint64_t)st.st_blocks / (PAGE_SIZE / 512) : 0;
}

int hlrc_space_fd(void)
{
    return engine.space.fd;
}

int64_t hlrc_round_trip_ns(void)
{
    return engine.fabric->round_trip_ns;
}

bool space_touched(uint32_t page)
{
    off_t at = (off_t)page << PAGE_SHIFT;
    /* a page that was swapped out counts as data, unlike with mincore */
    if (lseek(engine.space.fd, at, SEEK_DATA) != at)
        return false;
    if (page >= engine_heap_pages())
        return !range_as_begun(page);
    /* registered memory is present without having been touched: compare its contents */
    return !engine.fabric->ops.window_prepare || !diff_is_zero(engine_page_mem(page));
}
