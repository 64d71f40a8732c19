/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collective.c - see collective.h for the invariants. */
#include "hlrc/heap/collective.h"

#include <errno.h>
#include <hlrc.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap.h"
#include "hlrc/heap/heap_look.h"
#include "hlrc/heap/sites.h"
#include "hlrc/heap/stream.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/barrier.h"
#include "hlrc/sync/parcel.h"

#define ROOT 0 /* of allocation and free */

/* Head of a root's parcel: the arguments of its call. */
struct collective_slot {
    uint64_t step;
    uint32_t call, root; /* enum meeting */
    uint64_t arg;        /* length, size or address */
    char data[];
};

void collective_reset(void)
{
    parcel_reset();
    stream_reset();
}

static size_t collective_slot_room(void)
{
    return parcel_bytes(engine.nodes) - sizeof(struct collective_slot);
}

static void collective_meet(enum meeting call)
{
    barrier_arrive(call);
    barrier_depart();
}

static const char *collective_describe(const struct collective_slot *s, char *buf, size_t len)
{
    unsigned long long arg = s->arg;
    const char *name = meeting_name((enum meeting)s->call);
    if (s->call == MEETING_FREE_ALL)
        snprintf(buf, len, "%s(%#llx)", name, arg);
    else if (s->call == MEETING_MALLOC_ALL)
        snprintf(buf, len, "%s(%llu)", name, arg);
    else
        snprintf(buf, len, "%s(%llu bytes, root %u)", name, arg, s->root);
    return buf;
}

/* Compares this node's arguments with the root's: both are in this call [collective.same-call], at
 * this step. */
static void collective_check_call(const struct collective_slot *s,
                                  const struct collective_slot *mine)
{
    char here[80], there[80];
    if (s->step == mine->step && s->call == mine->call && s->root == mine->root &&
        s->arg == mine->arg)
        return;
    if (s->step == mine->step && s->call == mine->call)
        diag_fatal(1,
                   "%s here, but %s on node %u; all nodes make the same collective calls with the "
                   "same arguments",
                   collective_describe(mine, here, sizeof here),
                   collective_describe(s, there, sizeof there), mine->root);
    diag_fatal(
        1,
        "%s here, but not on node %u; all nodes make the same collective calls in the same order",
        collective_describe(mine, here, sizeof here), mine->root);
}

/* One step: sends `len` bytes at buf from the root to all others. No engine lock is held: buf may
 * be shared memory. */
static void collective_pass_on(enum meeting call, int root, uint64_t arg, void *buf, size_t len)
{
    if (engine.alone) {
        collective_meet(call);
        return;
    }
    struct collective_slot *s = parcel_begin();
    struct collective_slot mine = {
        .step = parcel_step(), .call = call, .root = (uint32_t)root, .arg = arg
    };
    if (engine.node == root) {
        memcpy(s, &mine, sizeof mine);
        memcpy(s->data, buf, len);
        parcel_send_all(sizeof mine + len);
    }
    parcel_meet(call);
    if (engine.node != root) {
        const struct collective_slot *got = parcel_from(root);
        collective_check_call(got, &mine);
        memcpy(buf, got->data, len);
    }
}

void collective_share(enum meeting call, uint64_t arg, void *buf, size_t len)
{
    collective_pass_on(call, ROOT, arg, buf, len);
}

int hlrc_broadcast(void *buf, size_t len, int root)
{
    call_check("hlrc_broadcast");
    if (len)
        call_check_given("hlrc_broadcast", "buf", buf);
    if (root < 0 || root >= engine.nodes)
        return -EINVAL;
    struct probe_span span = PROBE_BEGIN(broadcast);
    size_t n = len < collective_slot_room() ? len : collective_slot_room();
    /* also for no bytes at all: it orders memory */
    collective_pass_on(MEETING_BROADCAST, root, len, n ? buf : &(char){ 0 }, n);
    bool rest = len > n && !engine.alone;
    if (rest && engine.node == root)
        stream_send((char *)buf + n, len - n);
    else if (rest)
        stream_receive((char *)buf + n, len - n, root);
    PROBE_END(broadcast, span, len);
    return 0;
}

/* The pages, as sent by the root to the others. */
struct collective_pages {
    uint32_t first, count; /* count 0: there are none */
    uint32_t dirty;        /* they were used before and must be reset */
};

static struct collective_pages collective_take_pages(size_t size)
{
    struct collective_pages pages = { 0 };
    struct heap_runs_taken run;
    uint32_t count;
    if (engine.node == ROOT && heap_take_all(size, &run, &count))
        pages = (struct collective_pages){ .first = run.start,
                                           .count = count,
                                           .dirty = run.dirty_count != 0 };
    collective_pass_on(MEETING_MALLOC_ALL, ROOT, size, &pages, sizeof pages);
    return pages;
}

/* [heap.reset], at this node: completes all operations on these pages, since a copy that arrives
 * after the reset would bring old bytes. Until they are reset none is fetched or opened ahead, and
 * no flush leaves one writable [page.retained-twin]. This node's writes to them are published here:
 * other nodes that are less advanced may still read them [unshared.reset]. */
static void collective_settle(uint32_t first, uint32_t count)
{
    if (engine.alone)
        return;
    struct thread *t = thread_enter();
    page_hold(first, count);
    interval_close(false);
    PROBE(pages_settled);
    page_hold_looks();
    thread_leave(t);
}

/* Zeroes pages and unassigns their homes. All nodes have settled them, and a barrier has followed:
 * [heap.reset]. */
static void collective_reset_pages(const struct collective_pages *pages, enum meeting call)
{
    struct thread *t = thread_enter();
    PROBE(pages_reset, pages->first, pages->count);
    if (!engine.alone)
        page_reset(pages->first, pages->count);
    thread_leave(t);
    if (engine.alone)
        heap_zero(pages->first, pages->count);
    collective_meet(call);
    PROBE(pages_given);
    page_hold(0, 0);
}

void collective_clear(uint32_t first, uint32_t count, enum meeting call)
{
    const struct collective_pages pages = { .first = first, .count = count };
    collective_settle(first, count);
    collective_meet(call);
    collective_reset_pages(&pages, call);
}

static struct collective_pages collective_malloc_all(size_t size)
{
    heap_flush();
    struct collective_pages pages = collective_take_pages(size);
    if (pages.count == 0) { /* nodes may hold free pages in reserve */
        heap_trim();
        collective_meet(MEETING_MALLOC_ALL);
        pages = collective_take_pages(size);
    }
    if (pages.dirty)
        collective_clear(pages.first, pages.count, MEETING_MALLOC_ALL);
    return pages;
}

void *hlrc_malloc_all(size_t size)
{
    call_check("hlrc_malloc_all");
    struct probe_span span = PROBE_BEGIN(malloc_all);
    struct collective_pages pages = collective_malloc_all(size);
    PROBE_END(malloc_all, span, size);
    if (pages.count) {
        void *ptr = engine.app + ((size_t)pages.first << PAGE_SHIFT);
        heap_note_all(ptr, size ? size : 1);
        sites_note(ptr, size, __builtin_return_address(0));
        return ptr;
    }
    if (engine.node == ROOT)
        heap_report_exhausted("hlrc_malloc_all", size);
    errno = ENOMEM;
    return NULL;
}

static void collective_free_all(void *ptr)
{
    struct collective_pages pages = { .first = engine_page_of(ptr), .count = heap_count_all(ptr) };
    if (engine.node == ROOT && pages.count == 0)
        diag_fatal(1,
                   "hlrc_free_all(%p): not live memory of hlrc_malloc_all; free each pointer it "
                   "returned once",
                   ptr);
    collective_settle(pages.first, pages.count);
    collective_pass_on(MEETING_FREE_ALL, ROOT, (uintptr_t)ptr, &pages, sizeof pages);
    collective_reset_pages(&pages, MEETING_FREE_ALL);
    /* [heap.reset]: all nodes have reset them; before any node can rely on them */
    if (engine.node == ROOT)
        heap_give_all(pages.first, pages.count);
    collective_meet(MEETING_FREE_ALL);
}

void hlrc_free_all(void *ptr)
{
    call_check("hlrc_free_all");
    if (!ptr)
        return;
    struct probe_span span = PROBE_BEGIN(free_all);
    collective_free_all(ptr);
    heap_note_all(ptr, 0);
    PROBE_END(free_all, span);
}
