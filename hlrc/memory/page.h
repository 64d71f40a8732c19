/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page.h - the state of every page at this node, and the only code that changes it.
 *
 * State of a page
 *
 *   access   what the application's view allows: NONE, READ, WRITE (page_view.h). It may be
 *            less than the state permits (after a collapse of mappings), never more. A page is
 *            closed while access is NONE, otherwise open.
 *   STALE    this copy lacks a version that the node needs; access is NONE [page.open-not-stale].
 *   DIRTY    on the dirty list: written since the last interval. Away from the home there is a
 *            twin.
 *   BUSY     one thread fetches, claims or flushes the page; other threads wait until it is done.
 *   PREFETCH with BUSY: a fetch is in flight and no thread works on it. A thread that needs the
 *            page clears PREFETCH and finishes the fetch. The thread that clears BUSY or sets
 *            PREFETCH calls progress_changed(page_at(page)).
 *   KEPT     with BUSY: a flush retains the page writable [page.retained-twin].
 *   LISTED   on the dirty list. DIRTY implies LISTED, except while a flush works on the page. A
 *            page that is no longer DIRTY stays LISTED until the next flush. A `worded` page,
 *            after an atomic operation at its home (page_word.h), is LISTED too.
 *   EXCLUSIVE  writable without being tracked (unshared): at its home, while no other node has a
 *            copy (exclusive.h); with ASYNC at the default home, while no node has requested it.
 *
 *                    first use: protocol->initial
 *        +-----------------+------------------+
 *        v                 v                  v
 *      STALE <---------- CLEAN -----------> DIRTY            EXCLUSIVE
 *      NONE   invalidate  READ  page_grant   WRITE             WRITE
 *        |                 ^   <----------    |                  |
 *        |  page_fetch     |    page_flush_*  | invalidate       | page_demote (ASYNC handler)
 *        +-----------------+                  v                  v
 *                                        DIRTY+STALE        CLEAN, home known
 *                                           NONE
 *                          page_fetch: twin = fetched, page = fetched + own changes -> DIRTY
 *
 * Invariants
 *   [page.field-lock] Every field of struct page changes only under its lock. The lock is held
 *       briefly, never across a wait; longer work sets BUSY first. Locks of several pages are taken
 *       in ascending order.
 *   [page.open-not-stale] access != NONE implies not STALE: applied versions of this copy cover
 *       needed[page]. Exception: copies that the acquire in progress updates [update.pending].
 *   [page.writable-tracked] access == WRITE implies DIRTY or EXCLUSIVE. Putting a page on the dirty
 *       list and making it writable is one step.
 *   [page.needed-versions] What a page needs (need.h) is the set of versions that notices and
 *       flushes have announced. It grows under the page's lock. It is dropped when a copy is
 *       installed whose versions, compared under the lock, cover all of it. So a page that is not
 *       STALE needs at most this node's own writes.
 *   [page.dirty-twin] DIRTY away from the home implies a twin. It equals the page as it was when
 *       this node began to write it, or as last fetched or captured.
 *   - The home of a page, once known, does not change before page_reset. Exception: home migration,
 *     a round that all nodes make while the page is held on all of them [home-migration.held].
 *   [page.busy-capture] A page that is write-protected for a flush is BUSY: it is not writable
 *       again before its diff is captured.
 *   [page.retained-twin] A page that a flush retains writable has a twin from then on, at the home
 *       too, and stays on the dirty list, unless it becomes EXCLUSIVE [unshared.announced-first].
 *       Away from the home the diff and the new twin come from one copy of the page, which reads
 *       each byte once. At the home the twin is refreshed after the comparison and before the
 *       interval is published. So a concurrent store is covered by this interval or differs from
 *       the twin in the next. A home page that no other node has read gets none: it becomes
 *       EXCLUSIVE, or the next flush announces it.
 *   [page.equal-twin] A home page that equals its twin may have differed in between, and another
 *       node may have read it then. So it is announced, unless no other node has read it at all.
 *       This node's atomic operations are in the twin as well: after them the page is announced in
 *       any case [word.announced]. Otherwise readers that saw the page untouched would keep a stale
 *       copy.
 *   [page.touched] Pages that hlrc_touch opened for a system call are closed only by acquires and
 *       releases of this node's threads. A flush that another node requested retains them writable
 *       [page.retained-twin]. A request for such a page finds that it has a home
 *       [pages-async.first-request].
 *   [page.unshared-block] A page that is EXCLUSIVE initially starts closed. The first access opens
 *       it together with all such pages around it in its block, under their locks. Not opened are
 *       pages that are not EXCLUSIVE; STALE pages, since a home may learn of a version before it
 *       arrives; and held pages (page_hold), which may be reset at this moment. So the view is not
 *       split into blocks of default homes at job start.
 */
#ifndef HLRC_PAGE_H
#define HLRC_PAGE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spin.h"
#include "hlrc/core/protocol.h"
#include "hlrc/policy/policy_migrate.h"
#include "hlrc/policy/policy_retain.h"
#include "hlrc/policy/policy_update.h"

enum page_flags {
    PAGE_KNOWN = 1, /* the initial state was filled in */
    PAGE_STALE = 2,
    PAGE_DIRTY = 4,
    PAGE_BUSY = 8,
    PAGE_PREFETCH = 16,
    PAGE_EXCLUSIVE = 32,
    PAGE_KEPT = 64,
    PAGE_LISTED = 128,
};

/* One per page of the space; bit-fields keep it at 32 bytes. */
struct page {
    spin_lock_word lock;
    _Atomic uint8_t flags;         /* written under the lock; waiters read BUSY without it */
    uint16_t home;                 /* node + 1; 0 unknown */
    uint32_t twin;                 /* frame; 0 none */
    uint64_t need;                 /* need.h, [page.needed-versions] */
    struct policy_update renewal;  /* renew.h */
    struct policy_migrate migrate; /* page_move.h */
    uint16_t others;             /* at its home, with --diffs write: others_here of page_flush.c */
    struct policy_retain retain; /* [page.retained-twin] */
    _Atomic bool held;           /* no access is granted: its home migrates [home-migration.held] */
    /* its home knows that this node has a copy [unshared.reader-mark] */
    bool introduced : 1;
    bool exclusive_listed : 1; /* on the list of exclusive.c */
    bool unsure : 1;           /* page_view.h */
    /* opened for stores by hlrc_touch, not write-protected since [page.touched] */
    bool touched : 1;
    /* target of an atomic operation since its last flush [word.announced] */
    bool worded : 1;
    bool looked : 1; /* closed to detect loads (recorder.h) */
    bool listed : 1; /* on the list of page_look.c */
    /* claimed while no node had written it: zero then, no twin [readahead.twin] */
    bool blank : 1;
    uint16_t prefetch : 10; /* with PREFETCH: index of the fetch */
    enum protocol_access access : 2;
    uint16_t stores : 2; /* policy_retain.h */
    uint16_t copy : 2;   /* queue of copies.c; 0 none */
};

static_assert(sizeof(struct page) == 32, "half a cache line, less than a hundredth of a page");

int page_init(void);
void page_end(void);

/* One more than the highest page ever locked. Pages beyond are in their initial state, or closed
 * by a collapse of the whole space, which locks pages by page_lock_unmet. */
uint32_t page_met(void);

/* Spin locks of single pages. A run is locked in ascending order. While a page lock is held, the
 * thread does not wait and takes no other spin locks than the ones of the lists, the twins and the
 * view. */
struct page *page_lock(uint32_t page);
struct page *page_lock_unmet(uint32_t page);
void page_unlock(struct page *p);
struct page *page_at(uint32_t page); /* without locking */
static inline bool page_is_home(const struct page *p, int node)
{
    return p->home == node + 1;
}

/* Makes the page readable or writable for the application. Waits. True if there was anything to
 * do. */
bool page_access(uint32_t page, bool write);
/* After page_access: whether the block was opened with the page [page.unshared-block], so that the
 * fault starts no stream. A guess. */
static inline bool page_was_alone(const struct page *p)
{
    return (p->flags & PAGE_EXCLUSIVE) && p->home == 0;
}

/* The same for a run of pages, with as few system calls as possible. Waits. */
void page_touch(uint32_t first, uint32_t count, bool write);

/* Readahead of a run: opens complete pages and starts fetches of stale ones, without waiting
 * (ahead.h). `here`: only opens pages whose home is this node, for stores. Spins. */
void page_ahead(uint32_t first, uint32_t count, bool write, bool here);
/* Opens the complete pages of a run for stores. Spins. */
void page_ahead_here(uint32_t first, uint32_t count);

/* Suspends readahead (ahead.h) and prefetch for this range: its pages are fetched or opened only
 * when a thread asks for them, and no flush retains them writable. Replaces the range before; (0,
 * 0) is none. Then waits for BUSY pages of the range. One thread at a time. */
void page_hold(uint32_t first, uint32_t count);
bool page_held(uint32_t page); /* ASSUMPTION: locked */
/* Until the reset, new readers make no page of the range dirty [unshared.reset]. ASSUMPTION: no
 * thread of this node writes the range any more, and a flush has begun since it was held, and
 * ended. */
void page_hold_looks(void);
bool page_looks_held(uint32_t page);

/* Notes that `writer` wrote the run in its interval: raises needed and revokes copies that lack it
 * (rules 3, 4). Does not wait for BUSY pages. */
void page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval);

/* Waits for the thread that works on a BUSY page, or finishes its prefetch. */
void page_wait(uint32_t page);

/*
 * Flushing, for interval.c: page_flush.c.
 *
 * begin takes the longest run of consecutive pages at the head of list[n] that can be flushed
 * together, waits if the first is BUSY, and marks them BUSY. Each page is write-protected, or
 * retained writable if it was written often enough [page.retained-twin] or if another node
 * requested the flush [page.touched]. Returns the run's length, 0 if the first has become clean.
 * Then comes `home` or `diff` for each page of the run, depending on its home, then end.
 *   home     whether to announce a home page [page.equal-twin], and whether it differs; refreshes
 *            the twin of a
 *            retained one
 *   diff     encodes this node's writes into `out`, with room for DIFF_MAX bytes; returns the
 *            length, 0 for none
 *   prefetch optional, before that, for any page of the run: it will be compared soon
 *   end      `interval` is the one that announces the page, 0 for none
 */
uint32_t page_flush_begin(const uint32_t *list, uint32_t n, bool asked);
/* Number of pages at the head of the list that have become clean; they are taken off it. Spins. */
uint32_t page_flush_skip(const uint32_t *list, uint32_t n);
void page_flush_prefetch(uint32_t page);
bool page_flush_home(uint32_t page, bool *changed);
bool page_flush_same(uint32_t page); /* whether to announce an unchanged page [page.equal-twin] */
size_t page_flush_diff(uint32_t page, void *out);
void page_flush_end(uint32_t page, uint64_t interval, bool changed);

/* A notice names a home page that another node has written, by remote writes that have arrived.
 * From now on differences from the twin are this node's own again, as far as can be known
 * [page.equal-twin]. Spins. ASSUMPTION: locked. */
void page_flush_told(uint32_t page, struct page *p);

/* Makes a twin of the page's current contents. ASSUMPTION: locked. */
uint32_t page_flush_twin(uint32_t page, struct page *p);

/* With --check races, at the home: the bytes that this node has stored since its last interval
 * (diff.h diff_scan), for a flush and for a check before it; false: none. With --profile, the check
 * returns none also if other nodes' bytes cannot be distinguished [diffs-write.home-twin]. Both
 * spin. */
bool page_flush_tracked(uint32_t page, uint64_t *mask);
bool page_tracked(uint32_t page, uint64_t *mask);
/* At the home: the length of a diff of these bytes, and their number; 0 without a twin. Spins. */
size_t page_flush_size(uint32_t page, size_t *bytes);

/* A retained page that is revoked becomes clean if it equals its twin. ASSUMPTION: locked. */
void page_clean(struct page *p, uint32_t page);

/* Notes whether a page that a load opened for stores was written since. ASSUMPTION: locked. */
void page_judge_load(struct page *p, bool written);

/* Applies another node's diff to a home page. Returns 0, or -EINVAL if it is malformed. A twin gets
 * the diff too, after the page: it is no write of this node [page.retained-twin]. Spins. */
int page_apply(uint32_t page, int writer, const void *diff, size_t len);

/* ASYNC's handler: ends exclusive access; true if the page was EXCLUSIVE here. Its copy is
 * complete and readable afterwards. Spins; ASSUMPTION: the page's lock is not held. */
bool page_demote(uint32_t page);
/* All three spin. */
void page_set_home(uint32_t page, int home); /* learnt from a message; rule 7 */
int page_known_home(uint32_t page);          /* -1 unknown */
void page_restore_exclusive(uint32_t page);  /* undoes page_demote while no home is assigned */

/* Opens the longest run of complete, closed pages at `first` by one system call. Returns its
 * length, 0 if the first does not qualify. For reading, pages that no thread has written here; for
 * writing, pages with a known home. Spins. */
uint32_t page_open_run(uint32_t first, uint32_t count, bool write);

/* Prefetch: starts fetches of the run's stale pages and finishes those fetches which have arrived.
 * Does not wait for the others, but spins. */
void page_prefetch(uint32_t first, uint32_t count);

/* Collective, between barriers: drops everything known about these pages and zeroes them. From the
 * second barrier on they are ordinary memory. Spins. ASSUMPTION: none of them is BUSY or DIRTY;
 * prefetches of them were finished before the first barrier. */
void page_reset(uint32_t first, uint32_t count);

#ifdef HLRC_DEBUG
void page_assert_state(uint32_t page, const struct page *p);
/* A flush has put the page into this interval and not published it yet. Spins. */
void page_assert_announced(uint32_t page, uint64_t interval);
#else
#    define page_assert_state(page, p) ((void)0)
#endif

#endif
