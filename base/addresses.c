/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* addresses.c - see addresses.h for the invariants. */
#include "base/addresses.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/procfs.h"
#include "base/race.h"
#include "base/tool.h"

#define SLICES_BYTES ((uintptr_t)4 << 40)
#define STACK_MOST   ((uintptr_t)1 << 30)
#define GUARD_BYTES  ((uintptr_t)1 << 20) /* kept free by the system below a stack */
#define USER_END     ((uintptr_t)0x7ffffffff000)

struct addresses_span {
    uintptr_t begin, end;
};

/* The address of the next mapping. The second entry is used when the first is full. */
static struct {
    _Atomic uintptr_t next;
    struct addresses_span all;
} own[] = {
    { 0x580000000000, { 0x580000000000, 0x7e0000000000 } },
    { 0x001000000000, { 0x001000000000, ADDRESSES_STACKS } },
};
#define OWN (sizeof own / sizeof own[0])

/* Written by hlrc_addresses_part, while the process has one thread. */
static int parts;                        /* slices; 0: not partitioned */
static struct addresses_span slice;      /* of this node */
static struct addresses_span libraries;  /* among the addresses of the shared space */
static struct addresses_span below_main; /* reserved where the first stack would grow */

static uintptr_t addresses_page_up(uintptr_t at)
{
    return (at + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
}

static bool addresses_spans_meet(struct addresses_span a, struct addresses_span b)
{
    return a.begin < b.end && b.begin < a.end;
}

static struct addresses_span addresses_span_of(const void *at, size_t bytes)
{
    return (struct addresses_span){ (uintptr_t)at, (uintptr_t)at + bytes };
}

static void *addresses_map_reserved(uintptr_t at, size_t bytes, int fixed)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed;
    return mmap((void *)at, bytes, PROT_NONE, flags, -1, 0);
}

void __asan_init(void) __attribute__((weak));

/* True if the system can place a mapping of this size. */
static bool addresses_fits(size_t bytes)
{
    void *p = addresses_map_reserved(0, bytes, 0);
    if (p != MAP_FAILED)
        munmap(p, bytes);
    return p != MAP_FAILED;
}

/* ---- parting ---- */

/* Some processes, or all, may not map the lowest pages: start higher then. */
static int addresses_reserve_span(struct addresses_span s)
{
    while (s.begin < s.end) {
        void *p = addresses_map_reserved(s.begin, s.end - s.begin, MAP_FIXED_NOREPLACE);
        if (p != MAP_FAILED && p != (void *)s.begin) {
            munmap(p, s.end - s.begin);
            return -ENOTSUP;
        }
        if (p != MAP_FAILED || (errno != EPERM && errno != EACCES))
            return p == MAP_FAILED ? -errno : 0;
        s.begin *= 2;
    }
    return 0;
}

/* [addresses.reserved] */
static int addresses_reserve_gap(struct addresses_span gap)
{
    if (!addresses_spans_meet(gap, slice))
        return addresses_reserve_span(gap);
    int rc = addresses_reserve_span((struct addresses_span){ gap.begin, slice.begin });
    return rc ? rc : addresses_reserve_span((struct addresses_span){ slice.end, gap.end });
}

/* A mapping that exists at the start: an error in HLRC's ranges; notes libraries. */
static int addresses_meet_mapping(struct addresses_span m)
{
    const struct addresses_span stacks = { ADDRESSES_STACKS, ADDRESSES_SPACE },
                                slices = { ADDRESSES_SLICES, ADDRESSES_SLICES + SLICES_BYTES },
                                space = { ADDRESSES_SPACE, ADDRESSES_SLICES };
    if (addresses_spans_meet(m, stacks) || addresses_spans_meet(m, slices) ||
        addresses_spans_meet(m, own[0].all) || addresses_spans_meet(m, own[1].all))
        return -EEXIST;
    if (addresses_spans_meet(m, space)) {
        libraries.begin = libraries.begin ? libraries.begin : m.begin;
        libraries.end = m.end;
    }
    return 0;
}

/* Where the heap of brk begins; 0 if it cannot be read. */
static uintptr_t addresses_heap_begin(void)
{
    char text[2048];
    (void)procfs_read("/proc/self/stat", text, sizeof text);
    const char *at = procfs_stat_field(text, 47);
    return at ? strtoul(at, NULL, 10) : 0;
}

/* True if memory of brk is in use. Linux before 6.6 gives the name [heap] to the executable's .bss
 * as well, which ends where an empty heap begins. */
static bool addresses_is_heap(const char *name, struct addresses_span m)
{
    return strcmp(name, "[heap]") == 0 && m.end > addresses_page_up(addresses_heap_begin());
}

/* Reserves the gap between the previous mapping, which ends at *end, and this one. Mappings come by
 * ascending address, so the reservation does not change later ones. */
static int addresses_take_mapping(const struct procfs_map *map, uintptr_t *end)
{
    struct addresses_span m = { map->begin, map->end };
    if (m.end <= m.begin || m.begin >= USER_END)
        return m.end <= m.begin ? -EINVAL : 0;
    struct addresses_span gap = { *end, m.begin };
    if (strcmp(map->name, "[stack]") == 0) {
        gap.end = gap.end - gap.begin > GUARD_BYTES ? gap.end - GUARD_BYTES : gap.begin;
        below_main = gap;
    }
    if (addresses_is_heap(map->name, m))
        return -EBUSY;
    *end = m.end;
    int rc = addresses_meet_mapping(m);
    return rc ? rc : addresses_reserve_gap(gap);
}

static int addresses_reserve_gaps(struct procfs_maps *maps)
{
    struct procfs_map map;
    uintptr_t end = PAGE_SIZE;
    int rc = 0;
    while (rc == 0 && procfs_maps_next(maps, &map))
        rc = addresses_take_mapping(&map, &end);
    if (rc == 0)
        rc = maps->error;
    return rc ? rc
              : addresses_reserve_gap(
                    (struct addresses_span){ end, end < USER_END ? USER_END : end });
}

#ifdef HLRC_DEBUG
/* [addresses.reserved] */
static void addresses_assert_parted(void)
{
    void *one = addresses_map_reserved(0, PAGE_SIZE, 0);
    assert((uintptr_t)one >= slice.begin && (uintptr_t)one < slice.end);
    munmap(one, PAGE_SIZE);
    assert(!addresses_fits(slice.end - slice.begin + PAGE_SIZE));
    assert(sbrk(PAGE_SIZE) == (void *)-1);
}
#endif

int hlrc_addresses_part(int node, int nodes)
{
#ifndef __x86_64__
    return -ENOTSUP;
#endif
    if (race_watched() || __asan_init || tool_valgrind())
        return -EEXIST;
    uintptr_t bytes = (SLICES_BYTES / (uintptr_t)nodes) & ~(uintptr_t)(PAGE_SIZE - 1);
    slice.begin = ADDRESSES_SLICES + (uintptr_t)node * bytes;
    slice.end = slice.begin + bytes;
    static struct procfs_maps maps;
    if (!procfs_maps_open(&maps, 0))
        return maps.error;
    int rc = addresses_reserve_gaps(&maps);
    procfs_maps_close(&maps);
    if (rc)
        return rc;
    parts = nodes;
#ifdef HLRC_DEBUG
    addresses_assert_parted();
#endif
    return 0;
}

bool addresses_parted(uintptr_t *begin, uintptr_t *end)
{
    if (begin)
        *begin = slice.begin;
    if (end)
        *end = slice.end;
    return parts > 0;
}

int addresses_node(uintptr_t address)
{
    uintptr_t at = address - ADDRESSES_SLICES, bytes = slice.end - slice.begin;
    return parts && at < (uintptr_t)parts * bytes ? (int)(at / bytes) : -1;
}

void hlrc_addresses_release_stack(void)
{
    struct rlimit limit;
    uintptr_t bytes = STACK_MOST;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < bytes)
        bytes = limit.rlim_cur & ~(uintptr_t)(PAGE_SIZE - 1);
    if (bytes > 0 && parts && bytes <= below_main.end - below_main.begin)
        munmap((void *)(below_main.end - bytes), bytes);
}

/* ---- HLRC's own ranges ---- */

/* 0: no room. */
static uintptr_t addresses_take_room(size_t which, size_t bytes)
{
    uintptr_t at = atomic_load(&own[which].next);
    do
        if (own[which].all.end - at < bytes)
            return 0;
    while (!atomic_compare_exchange_weak(&own[which].next, &at, at + bytes));
    return at;
}

/* Makes the room that was taken last available again. */
static void addresses_return_room(uintptr_t at, size_t bytes)
{
    for (size_t i = 0; i < OWN; i++) {
        uintptr_t end = at + bytes;
        atomic_compare_exchange_strong(&own[i].next, &end, at);
    }
}

void *addresses_map(size_t bytes, int prot, int flags, int fd)
{
    size_t room = addresses_page_up(bytes);
    for (size_t i = 0; i < OWN && !race_watched(); i++) {
        uintptr_t at = addresses_take_room(i, room);
        if (!at)
            continue;
        int fixed = parts ? MAP_FIXED : MAP_FIXED_NOREPLACE;
        void *p = mmap((void *)at, bytes, prot, flags | fixed, fd, 0);
        if (p != MAP_FAILED)
            return p; /* a tool, or an old kernel, may have chosen another address */
        addresses_return_room(at, room);
        if (parts)
            return MAP_FAILED;
    }
    if (!parts)
        return mmap(NULL, bytes, prot, flags, fd, 0);
    errno = ENOMEM;
    return MAP_FAILED;
}

void *hlrc_addresses_map_at(void *at, size_t bytes, int prot, int flags, int fd)
{
    int fixed = parts ? MAP_FIXED : MAP_FIXED_NOREPLACE;
    void *p = mmap(at, bytes, prot, flags | fixed, fd, 0);
    if (p != MAP_FAILED && p != at) {
        munmap(p, bytes);
        errno = EEXIST;
        p = MAP_FAILED;
    }
    return p;
}

bool addresses_claim(void *at, size_t bytes)
{
    struct addresses_span wanted = addresses_span_of(at, bytes);
    if (parts)
        return wanted.begin >= ADDRESSES_SPACE && wanted.end <= ADDRESSES_SLICES &&
               !addresses_spans_meet(wanted, libraries);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return hlrc_addresses_map_at(at, bytes, PROT_NONE, flags, -1) != MAP_FAILED;
}

void addresses_unmap(void *at, size_t bytes)
{
    size_t room = addresses_page_up(bytes);
    if (parts)
        (void)addresses_map_reserved((uintptr_t)at, room, MAP_FIXED);
    else
        munmap(at, bytes);
    addresses_return_room((uintptr_t)at, room);
}

/* ---- remedies ---- */

static bool addresses_has_room(size_t bytes)
{
    if (!parts)
        return addresses_fits(bytes);
    for (size_t i = 0; i < OWN; i++)
        if (own[i].all.end - atomic_load(&own[i].next) >= bytes)
            return true;
    return false;
}

const char *addresses_remedy(size_t bytes)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (addresses_fits(PAGE_SIZE) && !addresses_has_room(bytes))
        return limited ? "raise the limit on address space (ulimit -v), or lower --memory"
                       : "this process has no address space left for it: lower --memory";
    return "too many mappings in this process: raise vm.max_map_count";
}
