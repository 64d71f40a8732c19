/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* window.c - see window.h for the invariants. */
#include "hlrc/rma/window.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/addresses.h"
#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/memory/space.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/rma/handle.h"
#include "hlrc/sync/barrier.h"
#include "hlrc/sync/parcel.h"

#define ROOT 0        /* its arguments are the reference */
#define FREE SIZE_MAX /* `begin` of an entry that is free */

struct window_arena arena;

bool window_ranges_touch(const void *at, size_t len)
{
    for (const struct engine_range *r = engine.ranges; r < engine.ranges + engine.range_count; r++)
        if ((uintptr_t)at - (uintptr_t)r->app < (size_t)r->pages << PAGE_SHIFT ||
            (uintptr_t)r->app - (uintptr_t)at < len)
            return true;
    return false;
}

void window_refuse(const char *call, const void *at, size_t len, int node)
{
    if (node < 0 || node >= engine.nodes)
        diag_fatal(1, "%s: there is no node %d; this job has nodes 0 to %d", call, node,
                   engine.nodes - 1);
    diag_fatal(1,
               "%s: %zu bytes at %p, node %d, are not within one window; use memory of "
               "hlrc_window_create before hlrc_window_free",
               call, len, at, node);
}

/* ---- the arena ---- */

/* Collective: 0 if all nodes pass 0, else the status of one that failed. */
static int window_agree(int mine)
{
    int32_t status = mine, every[NODES_MAX];
    int rc = boot_exchange(engine.boot, &status, sizeof status, every);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        rc = every[n];
    return rc;
}

static void *window_map_nothing(char *at, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap(at, size, PROT_NONE, flags, -1, 0);
}

static int window_arena_make(void)
{
    static struct fabric_window made; /* by an earlier call that then found no address */
    size_t size = (size_t)engine.pages << PAGE_SHIFT;
    if ((engine.fabric->caps & (FABRIC_READ | FABRIC_ATOMICS)) != (FABRIC_READ | FABRIC_ATOMICS))
        return -ENOTSUP;
    int rc = made.size ? 0 : fabric_window_create(engine.fabric, size, &made);
    if (rc == 0)
        rc = space_agree(size, &arena.app);
    if (rc)
        return rc == -ENOTSUP ? rc : -ENOMEM;
    arena.base = made.base;
    arena.id = made.id;
    arena.fd = made.fd;
    arena.heap = engine.app;
    arena.heap_bytes = (size_t)engine_heap_pages() << PAGE_SHIFT;
    arena.size = size;
    made = (struct fabric_window){ 0 };
    return 0;
}

void window_end(void)
{
    if (arena.size)
        addresses_unmap(arena.app, arena.size);
    memset(&arena, 0, sizeof arena);
}

/* ---- offsets ---- */

static size_t window_whole_pages(size_t bytes)
{
    return (bytes + PAGE_SIZE - 1) & ~(size_t)(PAGE_SIZE - 1);
}

static bool window_overlaps(size_t begin, size_t end)
{
    for (unsigned i = 0; i < arena.top; i++)
        if (arena.window[i].begin < end && begin < arena.window[i].end)
            return true;
    return false;
}

/* The lowest free offset: the beginning, or after a window; FREE: there is none. */
static size_t window_find_place(size_t size)
{
    size_t best = window_overlaps(0, size) ? FREE : 0;
    for (unsigned i = 0; i < arena.top; i++) {
        size_t at = window_whole_pages(arena.window[i].end);
        if (arena.window[i].begin != FREE && at < best && size <= arena.size - at &&
            !window_overlaps(at, at + size))
            best = at;
    }
    return best;
}

static struct window *window_free_entry(void)
{
    for (unsigned i = 0; i < arena.top; i++)
        if (arena.window[i].begin == FREE)
            return &arena.window[i];
    return arena.top < HLRC_MAX_WINDOWS ? &arena.window[arena.top] : NULL;
}

/* NULL: no such window begins there. */
static struct window *window_at(const void *at)
{
    for (unsigned i = 0; i < arena.top; i++)
        if (arena.window[i].begin != FREE && arena.app + arena.window[i].begin == at)
            return &arena.window[i];
    return NULL;
}

/* Maps it for the application. */
static int window_open_view(size_t begin, size_t size)
{
    void *p = mmap(arena.app + begin, size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED | MAP_NORESERVE, arena.fd, (off_t)begin);
    if (p == MAP_FAILED)
        return -ENOMEM;
    (void)madvise(p, size, MADV_DONTFORK);
    (void)madvise(p, size, MADV_DONTDUMP);
    return 0;
}

/* ---- the calls ---- */

/* Parcel of the root. */
struct window_argument {
    uint64_t step, value; /* a size, or an address */
};

/* All nodes enter the call, with the same argument. */
static void window_meet(enum meeting call, uint64_t value)
{
    if (engine.alone) {
        barrier_meet(call);
        return;
    }
    struct window_argument *mine = parcel_begin();
    *mine = (struct window_argument){ parcel_step(), value };
    if (engine.node == ROOT)
        parcel_send_all(sizeof *mine);
    parcel_meet(call);
    const struct window_argument *roots = parcel_from(ROOT);
    if (roots->step != parcel_step() || roots->value != value)
        diag_fatal(1,
                   "%s(%#llx) here, but %#llx on node %d; all nodes make the same collective calls "
                   "with the same arguments",
                   meeting_name(call), (unsigned long long)value, (unsigned long long)roots->value,
                   ROOT);
}

/* Returns the address, or NULL and errno; the same on all nodes. */
static void *rma_window_create(size_t size)
{
    size_t whole = window_whole_pages(size);
    int rc = arena.size ? 0 : window_arena_make();
    struct window *w = rc ? NULL : window_free_entry();
    size_t begin = w && whole && whole <= arena.size ? window_find_place(whole) : FREE;
    if (rc == 0 && begin == FREE)
        rc = -ENOMEM;
    if (rc == 0) {
        rc = window_open_view(begin, whole);
        if (rc == 0)
            rc = fabric_window_prepare(engine.fabric, arena.id, begin, whole);
        rc = window_agree(rc);
        if (rc)
            (void)window_map_nothing(arena.app + begin, whole);
    }
    if (rc) {
        errno = -rc;
        return NULL;
    }
    atomic_store(&w->begin, begin);
    atomic_store(&w->end, begin + size);
    if (w == &arena.window[arena.top])
        arena.top++;
    return arena.app + begin;
}

void *hlrc_window_create(size_t size)
{
    call_check("hlrc_window_create");
    struct probe_span span = PROBE_BEGIN(barrier_call);
    window_meet(MEETING_WINDOW_CREATE, size);
    void *window = rma_window_create(size ? size : 1);
    int err = errno;
    barrier_meet(MEETING_WINDOW_CREATE);
    PROBE_END(barrier_call, span);
    errno = err;
    return window;
}

static void rma_window_discard(struct window *w)
{
    size_t begin = w->begin, size = window_whole_pages(w->end) - begin;
    atomic_store(&w->end, 0);
    atomic_store(&w->begin, FREE);
    (void)window_map_nothing(arena.app + begin, size);
    int rc = fabric_window_discard(engine.fabric, arena.id, begin, size);
    if (rc)
        diag_fatal(1, "cannot free %zu bytes of a window: %s", size, strerror(-rc));
}

void hlrc_window_free(void *window)
{
    call_check("hlrc_window_free");
    if (!window)
        return;
    struct window *w = window_at(window);
    if (!w)
        diag_fatal(1,
                   "hlrc_window_free(%p): no window begins there; free each pointer from "
                   "hlrc_window_create once",
                   window);
    struct probe_span span = PROBE_BEGIN(barrier_call);
    handle_fence_all();
    window_meet(MEETING_WINDOW_FREE, (uintptr_t)window);
    rma_window_discard(w);
    PROBE_END(barrier_call, span);
}
