/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* range.c - see range.h for the invariants. */
#include "hlrc/memory/range.h"

#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/digest.h"
#include "base/procfs.h"
#include "base/reserve.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/diff.h"

#define BYTES_MAX ((size_t)1 << 40)   /* of all ranges: page numbers have 32 bits, heap included */
#define LOOK_MOST 512u                /* entries of the page map read at a time */
#define IN_USE    (UINT64_C(3) << 62) /* present, or swapped out */

static struct {
    char *at;
    size_t bytes;
    bool executable;
} wanted[RANGES_MAX];
static uint32_t count;

static char *begun; /* by page after the heap's; NULL: not required */

/* ---- the system's view of memory ---- */

/* Whether all of it is private memory of the process; true without /proc. *executable: some of it
 * is. */
static bool range_is_private(const char *at, size_t bytes, bool *executable)
{
    uintptr_t next = (uintptr_t)at, end = next + bytes;
    struct procfs_maps maps;
    struct procfs_map m;
    if (!procfs_maps_open(&maps, 0))
        return true;
    while (next < end && procfs_maps_next(&maps, &m))
        if (m.begin <= next && next < m.end) {
            if (!m.readable || !m.writable || m.is_shared)
                break;
            *executable |= m.executable;
            next = m.end;
        }
    procfs_maps_close(&maps);
    return next >= end;
}

typedef void used_fn(char *page, void *arg);

/* Calls fn for the pages from `at` to `end` that hold something; does not read anonymous ones that
 * were never touched. */
static void range_each_used_of_map(char *at, const char *end, bool file, int pagemap, used_fn *fn,
                                   void *arg)
{
    uint64_t entry[LOOK_MOST];
    while (at < end) {
        size_t n = (size_t)(end - at) >> PAGE_SHIFT;
        n = n < LOOK_MOST ? n : LOOK_MOST;
        off_t where = (off_t)((uintptr_t)at >> PAGE_SHIFT) * (off_t)sizeof entry[0];
        ssize_t want = (ssize_t)(n * sizeof entry[0]);
        bool known = !file && pread(pagemap, entry, (size_t)want, where) == want;
        for (size_t i = 0; i < n; i++, at += PAGE_SIZE)
            if ((!known || (entry[i] & IN_USE)) && !diff_is_zero(at))
                fn(at, arg);
    }
}

/* Untouched pages of a file may not be zero. */
static void range_each_used(char *at, size_t bytes, used_fn *fn, void *arg)
{
    char *end = at + bytes;
    struct procfs_maps maps;
    struct procfs_map m;
    bool opened = procfs_maps_open_used(&maps);
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    while (opened && at < end && procfs_maps_next(&maps, &m)) {
        if (m.end <= (uintptr_t)at)
            continue;
        char *stop = m.end < (uintptr_t)end ? (char *)m.end : end;
        if (m.inode != 0 || m.used_kb > 0) /* unused stacks may take terabytes */
            range_each_used_of_map(at, stop, m.inode != 0, pagemap, fn, arg);
        at = stop;
    }
    range_each_used_of_map(at, end, true, -1, fn, arg);
    if (pagemap >= 0)
        close(pagemap);
    if (opened)
        procfs_maps_close(&maps);
}

/* ---- before the job ---- */

static bool range_overlaps(const char *at, size_t bytes)
{
    for (uint32_t i = 0; i < count; i++)
        if ((uintptr_t)at < (uintptr_t)wanted[i].at + wanted[i].bytes &&
            (uintptr_t)wanted[i].at < (uintptr_t)at + bytes)
            return true;
    return false;
}

static bool range_contains(const char *at, size_t bytes, const void *what)
{
    return (uintptr_t)what - (uintptr_t)at < bytes;
}

/* Whether this library's data or the C library's is there, as in a program that is linked
 * statically; or the stack of the call. */
static bool range_has_foreign_data(const char *at, size_t bytes)
{
    return range_contains(at, bytes, &engine) || range_contains(at, bytes, stdout) ||
           range_contains(at, bytes, &errno) ||
           range_contains(at, bytes, __builtin_frame_address(0));
}

int hlrc_share(void *start, size_t len)
{
    char *at = start;
    size_t all = len;
    bool executable = false;
    if (call_get() != CALL_BEFORE)
        return -EBUSY;
    if (len == 0 || (((uintptr_t)at | len) & (PAGE_SIZE - 1)) != 0 || len > BYTES_MAX ||
        range_overlaps(at, len) || range_has_foreign_data(at, len) ||
        !range_is_private(at, len, &executable))
        return -EINVAL;
    for (uint32_t i = 0; i < count; i++)
        all += wanted[i].bytes;
    if (count == RANGES_MAX || all > BYTES_MAX)
        return -ENOMEM;
    wanted[count].at = at;
    wanted[count].executable = executable;
    wanted[count++].bytes = len;
    return 0;
}

/* Of one range, before hlrc_init. */
static struct {
    uint32_t range, stride, pages;
} guards;

void hlrc_share_guards(size_t stride, size_t bytes)
{
    guards.range = count - 1;
    guards.stride = (uint32_t)(stride >> PAGE_SHIFT);
    guards.pages = (uint32_t)(bytes >> PAGE_SHIFT);
}

bool range_is_guard(uint32_t page, uint32_t *in_a_row)
{
    const struct engine_range *r = &engine.ranges[guards.range];
    if (!guards.pages || page - r->first >= r->pages)
        return false;
    uint32_t at = (page - r->first) % guards.stride;
    bool guard = at < guards.pages;
    uint32_t same = (guard ? guards.pages : guards.stride) - at;
    *in_a_row = same < *in_a_row ? same : *in_a_row;
    return guard;
}

struct range_digest {
    char *from;
    uint64_t value;
};

static void range_add_to_digest(char *page, void *arg)
{
    struct range_digest *d = arg;
    uint64_t offset = (uint64_t)(page - d->from);
    d->value = digest_add(d->value, &offset, sizeof offset);
    d->value = digest_add(d->value, page, PAGE_SIZE);
}

void range_identify(struct range_identity *out)
{
    memset(out, 0, RANGES_MAX * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        struct range_digest d = { wanted[i].at, DIGEST_START };
        range_each_used(wanted[i].at, wanted[i].bytes, range_add_to_digest, &d);
        out[i] = (struct range_identity){ (uintptr_t)wanted[i].at, wanted[i].bytes, d.value };
    }
}

/* ---- from private to shared, and back ---- */

/* Page numbers have 32 bits. */
static bool range_fits_numbers(void)
{
    uint64_t pages = engine.pages, shared = 0;
    for (uint32_t i = 0; i < count; i++)
        shared += wanted[i].bytes >> PAGE_SHIFT;
    if (pages + shared <= UINT32_MAX)
        return true;
    diag_report(1,
                "--memory of %llu bytes and %llu bytes of hlrc_share are %llu pages; a job has "
                "%u at most (16T); lower --memory",
                (unsigned long long)pages << PAGE_SHIFT, (unsigned long long)shared << PAGE_SHIFT,
                (unsigned long long)(pages + shared), UINT32_MAX);
    return false;
}

int range_enter(void)
{
    if (!range_fits_numbers())
        return -EOVERFLOW;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pages = (uint32_t)(wanted[i].bytes >> PAGE_SHIFT);
        engine.ranges[i] =
            (struct engine_range){ wanted[i].at, engine.pages, pages, wanted[i].executable };
        engine.pages += pages;
    }
    engine.range_count = count;
    return 0;
}

static size_t range_bytes_of(const struct engine_range *r)
{
    return (size_t)r->pages << PAGE_SHIFT;
}

static char *range_begun_at(uint32_t page)
{
    return begun + ((size_t)(page - engine_heap_pages()) << PAGE_SHIFT);
}

static void range_copy_page(char *page, void *arg)
{
    const struct engine_range *r = arg;
    uint32_t number = r->first + (uint32_t)((size_t)(page - r->app) >> PAGE_SHIFT);
    memcpy(engine_page_mem(number), page, PAGE_SIZE);
    if (begun)
        memcpy(range_begun_at(number), page, PAGE_SIZE);
}

static size_t range_begun_bytes(void)
{
    return (size_t)(engine.pages - engine_heap_pages()) << PAGE_SHIFT;
}

static int range_map_one(const struct engine_range *r)
{
    range_each_used(r->app, range_bytes_of(r), range_copy_page, (void *)(uintptr_t)r);
    off_t where = (off_t)r->first << PAGE_SHIFT;
    if (mmap(r->app, range_bytes_of(r), PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
             engine.space.fd, where) != MAP_FAILED)
        return 0;
    int rc = -errno;
    diag_report(1, "cannot share %zu bytes at %p: %s; raise the limit on address space (ulimit -v)",
                range_bytes_of(r), (void *)r->app, strerror(-rc));
    return rc;
}

int range_map(void)
{
    int rc = 0;
    if (engine.alone || engine.range_count == 0)
        return 0;
    if ((engine.protocol.pages->caps & FABRIC_WRITE_IMM) &&
        !(begun = reserve(range_begun_bytes()))) {
        diag_report(1,
                    "cannot share %zu bytes: no address space is free; raise its limit (ulimit -v)",
                    range_begun_bytes());
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < engine.range_count && rc == 0; i++)
        rc = range_map_one(&engine.ranges[i]);
    return rc;
}

void range_unmap(void)
{
    if (engine.alone || engine.range_count == 0)
        return;
    for (uint32_t i = 0; i < engine.range_count; i++) /* one mapping again: there is room for it */
        (void)mprotect(engine.ranges[i].app, range_bytes_of(&engine.ranges[i]),
                       PROT_READ | PROT_WRITE | (engine.ranges[i].executable ? PROT_EXEC : 0));
    reserve_end(begun, range_begun_bytes());
    begun = NULL;
}

bool range_as_begun(uint32_t page)
{
    return page >= engine_heap_pages() && begun &&
           memcmp(engine_page_mem(page), range_begun_at(page), PAGE_SIZE) == 0;
}
