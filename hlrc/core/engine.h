/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * engine.h - state shared by the whole engine of one node: its identity, its windows, and their
 * layout.
 *
 * Written by hlrc_init before a second thread exists, constant until hlrc_finalize.
 *
 * Waiting, as the engine's prototypes state it. "Waits": may sleep until another node or thread
 * acts, and serves while it waits; its caller holds no spin lock and is not serving. "Spins":
 * takes a spin lock for some instructions; may be called while serving, without a spin lock held
 * unless stated. No statement: neither. Functions called init or start run before a second thread
 * exists, and where they return an int it is 0 or a negative errno; functions called end run after
 * the last.
 *
 * There are two windows. SPACE holds the pages: the heap pages, which the application has at
 * engine.app, then the pages of the program's own memory (memory/range.h); the engine has all of
 * them at engine.mem. CONTROL holds everything else that other nodes read or write, at the same
 * offsets on every node:
 *
 *   arrivals  u64, counts reader registrations with any page of this home (exclusive.h)
 *   told      a ring of words per writer, written by it: its costs of pages (page_move.h)
 *   requests  one slot per (node, token), written by the node that sends a request on behalf of
 *             that token (msg.h); with room for a vector time except on tokens of conditions
 *   replies   one slot per token of this node, written by the node that answers
 *   answers   u64 per token of this node: answers of ASYNC's homes about a page, polled by the
 *             requester (pages_async.c)
 *   bulk      a ring of slots per sender (bulk.h); credits: u64 per receiver, slots it has emptied
 *   logs      a ring of write notices per writer (notices.h), its tail written by the writer;
 *             heads: u64 per reader. With --notices read instead one ring of this node's notices,
 *             ends: u64 that give the extent of it and of the table, slots for reads of others'
 *             (notices_read.c)
 *   bounce    a page per token of an application thread and per prefetch, the target of fetched
 *             copies of dirty pages
 *   words     u64 per atomic word homed here
 *   handles   u64 each: locks, conditions and atomic words that this node has created (handles.h)
 *   mutexes   u64 per mutex of this node: the tail of its queue (rma/mutex.c)
 *   block_locks  u64 each: node + 1 that accumulates into a block of a window here
 *             (rma/accumulate.c)
 *   order     the number of this node's releases without a lock, and their vector time (order.h)
 *   meeting   with --barrier counter or tree: counters and slots of gatherings, and the release
 *             (barrier_counter.c); with pairs: slots of rounds (pairs.h)
 *   clocks    with --trace: words by which machines request the time of node 0, and its answers
 *             (timeline_job.c)
 *   pieces    with --trace, --trace-sim or --profile: a piece of another node's records, at
 *             node 0 (gather.c)
 *   staging   slots of BULK_SLOT_BYTES, at least one per node, in which messages are composed
 *   parcels   two per sender, written by it (sync/parcel.h)
 *   stream    a ring of pieces of broadcasts; told: u64 per root, written by it; taken: u64 per
 *             receiver, written by it (heap/stream.h)
 *
 * and after `tables`, registered piece by piece on first use:
 *   home      u64 per page: the home word, at the page's default home: 0 unassigned, else node + 1
 *   applied   u64 per page and writer, at the page's home: last interval of the writer whose diff
 *             is in the page
 *   has_readers  u32 per page, at the page's home: 1 if another node may have a copy
 *   placed    u32 per page, at its home: 1 if hlrc_place put it there
 *   notice pages, blocks  u64 each: the last interval of this node that wrote it (notices_read.c)
 *   moves     per node, written by it: the pages whose home it wants to migrate (homes.c)
 *   invitations, answers_of_members  to and from the members that make a group, one per node,
 *             written by it (group.c)
 *   group slots  of rounds, per group and the same at all its members (group.c, pairs.h); and data
 *             of its broadcasts and reductions (group_data.c)
 *   reports  wait states, per node, written by it at node 0, if no launcher gathers them
 *             (deadlock_watchdog.c)
 *   lock nodes  per queue of mcs.h that this node is in
 *   lock records  per lock, at its home; also cond records: with --locks mcs (locks_mcs.c,
 *             conds_mcs.c)
 */
#ifndef HLRC_ENGINE_H
#define HLRC_ENGINE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "fabric/fabric.h"
#include "hlrc/core/parts.h"
#include "hlrc/core/protocol.h"

#define PREFETCHES \
    1024 /* most prefetches in flight per node; the actual limit: engine.prefetches */
#define HOME_NEAR       (1u << 18) /* pages whose default home changes more often */
#define ATOMIC_WORDS    65536      /* most atomic words homed at one node */
#define STAGING_LEAST   128        /* slots of staging */
#define BLOCK_LOCKS     1024       /* of a node: rma/accumulate.c */
#define STREAM_SLOTS    8          /* of the ring of a broadcast */
#define STREAM_PIECE    131072     /* bytes of one */
#define VT_BYTES(nodes) ((size_t)(nodes) * sizeof(uint64_t))
/* u64 used by a fetch: the versions of a copy, and the needed versions */
#define FETCH_WORDS(nodes) (2 * (size_t)(nodes))

struct boot;

#define MOVES_BYTES (16 + 4096 * 8) /* of one node: sync/homes.c */

struct engine_layout {
    size_t home, applied, has_readers, placed, arrivals, moves, told, requests, replies, answers,
        bulk, credits, logs, lock_records, lock_nodes, cond_records, meeting_counters,
        meeting_slots, meeting_release, log_tails, log_heads, notice_ring, notice_ends,
        notice_slots, notice_pages, notice_blocks, bounce, words, handles, mutexes, block_locks,
        order, staging, stream, stream_told, stream_taken, parcels, clocks, pieces, invitations,
        answers_of_members, group_slots, group_data, reports, checkpoint, checkpoint_pieces, tables;
    size_t end;
    /* bytes of one, a multiple of 64 */
    size_t request_size, reply_size, lock_record_size, lock_node_size, meeting_slot_size,
        bulk_slot_size, report_size;
    uint32_t bulk_slots; /* of the ring of one sender */
    size_t request_row;  /* bytes of the slots of one sender; threads that have some there: */
    uint32_t request_threads;
};

/* Pages [first, first + pages) lie at `app` on every node. */
struct engine_range {
    char *app;
    uint32_t first, pages;
    bool executable;
};

struct engine {
    int node, nodes;
    int neighbours;  /* nodes that run under this kernel, this one included */
    bool alone;      /* a job of one node: every page is writable, nothing is tracked */
    bool judges;     /* node 0 gathers wait states; else hlrcrun does, or there is one node */
    bool size_given; /* --memory, and not auto */
    bool unaware;    /* hlrc_program_unaware */
    struct config config;
    struct boot *boot;
    struct fabric *fabric;
    struct fabric_window space, control;
    char *app;      /* the application's view of the heap's pages, same address on every node */
    char *mem;      /* the engine's view of SPACE, always writable */
    uint32_t pages; /* of SPACE */
    struct engine_range ranges[RANGES_MAX]; /* after the heap's pages */
    uint32_t range_count;
    uint32_t home_shift;  /* default home of page p: (p >> home_shift) mod nodes for HOME_NEAR */
    uint32_t home_near;   /* pages from this one on, which are used first, */
    uint32_t far_shift;   /* (p >> far_shift) mod nodes for all others of the heap, */
    uint32_t range_shift; /* and (p >> range_shift) mod nodes for those of ranges */
    uint32_t prefetches;  /* in flight per node at most */
    uint32_t tokens;      /* most requests outstanding per node */
    struct engine_layout at;
    struct protocol protocol; /* parts: pages, diffs, notices, locks, barriers */
};

extern struct engine engine;

static inline void *engine_control_at(size_t off)
{
    return engine.control.base + off;
}

static inline size_t engine_home_at(uint32_t page)
{
    return engine.at.home + (size_t)page * 8;
}

static inline size_t engine_applied_at(uint32_t page, int writer)
{
    return engine.at.applied + ((size_t)page * (size_t)engine.nodes + (size_t)writer) * 8;
}

static inline _Atomic uint64_t *engine_applied_here(uint32_t page, int writer)
{
    return engine_control_at(engine_applied_at(page, writer));
}

static inline size_t engine_has_readers_at(uint32_t page)
{
    return engine.at.has_readers + (size_t)page * 4;
}

static inline _Atomic uint32_t *engine_has_readers_here(uint32_t page)
{
    return engine_control_at(engine_has_readers_at(page));
}

static inline size_t engine_placed_at(uint32_t page)
{
    return engine.at.placed + (size_t)page * 4;
}

static inline _Atomic uint32_t *engine_placed_here(uint32_t page)
{
    return engine_control_at(engine_placed_at(page));
}

static inline _Atomic uint64_t *engine_arrivals_here(void)
{
    return engine_control_at(engine.at.arrivals);
}

static inline uint32_t engine_heap_pages(void)
{
    return engine.range_count ? engine.ranges[0].first : engine.pages;
}

/* of the page, in window SPACE */
static inline size_t engine_page_at(uint32_t page)
{
    return (size_t)page << PAGE_SHIFT;
}

static inline char *engine_page_mem(uint32_t page)
{
    return engine.mem + engine_page_at(page);
}

/* The range of an address or a page; NULL: none. */
const struct engine_range *engine_range_of(const void *addr);
const struct engine_range *engine_range_of_page(uint32_t page);

static inline bool engine_in_heap(const void *addr)
{
    return (uintptr_t)addr - (uintptr_t)engine.app < (size_t)engine_heap_pages() << PAGE_SHIFT;
}

static inline bool engine_in_space(const void *addr)
{
    return engine_in_heap(addr) || engine_range_of(addr) != NULL;
}

/* ASSUMPTION: in space. */
static inline uint32_t engine_page_of(const void *addr)
{
    const struct engine_range *r = engine_in_heap(addr) ? NULL : engine_range_of(addr);
    const char *app = r ? r->app : engine.app;
    return (r ? r->first : 0) + (uint32_t)(((uintptr_t)addr - (uintptr_t)app) >> PAGE_SHIFT);
}

/* The application's address of `page`, and the number of pages from there on that are consecutive
 * by number and by address. */
static inline char *engine_app_run(uint32_t page, uint32_t *in_a_row)
{
    const struct engine_range *r = page < engine_heap_pages() ? NULL : engine_range_of_page(page);
    uint32_t first = r ? r->first : 0;
    *in_a_row = first + (r ? r->pages : engine_heap_pages()) - page;
    return (r ? r->app : engine.app) + ((size_t)(page - first) << PAGE_SHIFT);
}

#ifdef HLRC_DEBUG
#    define debug_assert(e) assert(e)
#else
#    define debug_assert(e) ((void)0)
#endif

#endif
