/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page.h - the state of every page at this node, and the only code that changes it.
 *
 * State of a page
 *
 *   access   what the application's view allows: NONE, READ, WRITE (page_view.h G1). It may be less
 *            than the state would permit (after a collapse of mappings), never more.
 *   STALE    this copy lacks a version that the node needs; access is NONE (P2).
 *   DIRTY    on the dirty list: written since the last interval; away from the home there is a
 *            twin.
 *   BUSY     one thread fetches, claims or flushes it; others wait until it is done.
 *   PREFETCH with BUSY: no thread works on it, a fetch is under way, and the thread that needs the
 *            page takes PREFETCH away and finishes it. The thread that clears BUSY or sets PREFETCH
 *            calls progress_changed(page_at(page)).
 *   KEPT     with BUSY: a flush has left the page writable (P8).
 *   LISTED   on the dirty list. DIRTY implies it but while a flush works on the page; a page that
 *            is no longer DIRTY stays LISTED until the next flush. So is one that was operated on
 *            at its home, `worded` (page_word.h).
 *   EXCLUSIVE  writable without being tracked: at its home, while no other node has a copy
 *            (exclusive.h); with ASYNC at the default home, while no node has asked for it.
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
 *   P1  Every field of struct page changes under its lock; the lock is held for short, never across
 *       a wait. What takes longer sets BUSY first. Locks of several pages are taken in ascending
 *       order.
 *   P2  access != NONE implies not STALE: applied versions of this copy cover needed[page]. But for
 *       copies that the acquire under way renews (renew.h RN1).
 *   P3  access == WRITE implies DIRTY or EXCLUSIVE. Putting a page on the dirty list and making it
 *       writable is one step.
 *   P4  What a page needs (need.h), versions that notices and closings have told of, grows under
 *       the page's lock, and is dropped where a copy is installed whose versions, compared there,
 *       cover all of it. So a page that is not STALE needs what this node has written at most.
 *   P5  DIRTY away from the home implies a twin, which equals the page as it was when this node
 *       began to write it, or as it was last fetched or captured.
 *   P6  The home of a page, once known, does not change before page_reset; but in a round that all
 *       nodes make, while it is held on all of them (sync/homes.h MV1).
 *   P7  A page that is write-protected for a flush is not writable again before its diff is
 *       captured: BUSY.
 *   P8  A page that a flush keeps writable has a twin from then on, at the home too, and stays on
 *       the dirty list, unless it is EXCLUSIVE from then on (exclusive.h EP2). Away from the home
 *       the diff and the new twin are one copy of the page, each byte read once; at the home the
 *       twin is renewed after the comparison and before the interval is published. So what a thread
 *       writes meanwhile is covered by this interval or differs from the twin in the next.
 *   P9  A home page that is as its twin was may have been otherwise in between, and another node
 *       may have read it then. So it is announced, unless no other node has read it at all. What
 *       this node's operations on words did is in the twin: then it is announced in any case
 *       (page_word.h WD4), lest those keep what they had who have read the page as untouched.
 *   P10  What hlrc_touch has opened for a system call only this node's threads close, by their
 *       acquires and releases: a closing that another node has asked for keeps it writable (P8), a
 *       request for it finds that it has a home (async.c H1).
 *   P11  What is EXCLUSIVE from the beginning is closed, and an access opens it with all that is so
 *        around it in its block: under their locks, and nothing that is not EXCLUSIVE, or that is
 *        STALE, since a home may be told of a version before that has come, or that is held
 *        (page_hold), since it may be reset at this moment. So the view is not cut into the blocks
 *        of default homes when a job starts.
 */
#ifndef HLRC_PAGE_H
#define HLRC_PAGE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spin.h"
#include "hlrc/protocol/protocol.h"

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

/* Of a copy: renew.h. */
struct renewal {
    uint8_t budget;     /* renewals in a row that it is worth */
    uint8_t left;       /* of those */
    uint8_t acquire;    /* that revoked it last, by its number modulo 2^8 */
    bool pending : 1;   /* STALE and open: RN1 */
    bool probing : 1;   /* was closed to see whether it is used; */
    uint8_t missed : 3; /* and has been revoked so often since */
    uint8_t used : 2;   /* probes in a row that have shown that it is */
};

/* There is one for each page of the space: what is counted in bits is counted for that. */
struct page {
    spin_lock_word lock;
    _Atomic uint8_t flags; /* written under the lock; waiters look at BUSY without it */
    uint16_t home;         /* node + 1; 0 unknown */
    uint32_t twin;         /* frame, 0 none */
    uint64_t need;         /* need.h (P4) */
    struct renewal renewal;
    uint16_t spent;      /* page_move.h */
    uint16_t others;     /* at its home, with --diffs write: page_flush.c */
    uint8_t budget;      /* closings in a row that may find it unchanged while it is kept (P8) */
    uint8_t idle;        /* that have, since it was last written */
    _Atomic bool held;   /* no thread is given access: its home moves (sync/homes.h MV1) */
    bool introduced : 1; /* its home knows that this node has a copy (EP1) */
    bool loaded : 1;     /* open for stores since it was loaded */
    bool exclusive_listed : 1; /* on the list of exclusive.c */
    bool noted : 1;            /* page_move.h, with these of a page whose home is here: */
    bool watched : 1;
    bool unsure : 1; /* page_view.h G1 */
    uint8_t tries : 2;
    unsigned writer : 10;   /* whose diffs came last */
    unsigned prefetch : 10; /* with PREFETCH: index of the fetch */
    enum page_access_right access : 2;
    unsigned stores : 2;  /* in a row that followed a load, up to STORES_FOLLOW (ahead.h AH4) */
    unsigned touched : 1; /* opened for stores by hlrc_touch, and not sealed since (P10) */
    unsigned copy : 2;    /* the queue of copies.c that it is in, 0 none */
    unsigned worded : 1;  /* operated on by word since its last closing (page_word.h WD4) */
    unsigned looked : 1;  /* closed to see whether it is loaded (recorder.h TS4) */
    unsigned listed : 1;  /* on the list of page_look.c */
    unsigned blank : 1;   /* its home since no node had written it: zero then, and no twin (AH2) */
};

static_assert(sizeof(struct page) == 32, "half a line of a cache, less than a hundredth of a page");

int pages_init(void);
void pages_end(void);

/* One more than the highest page that was ever locked. What is beyond is as it was at start, or
 * closed by a collapse of the whole space, which locks pages by page_lock_unmet. */
uint32_t pages_met(void);

/* Spin locks of single pages. A run is locked in ascending order; while one is held nothing waits,
 * and no other kind of spin lock but the lists', the twins' and the view's is taken. */
struct page *page_lock(uint32_t page);
struct page *page_lock_unmet(uint32_t page);
void page_unlock(struct page *p);
struct page *page_at(uint32_t page); /* without locking */
static inline bool page_is_home(const struct page *p, int node)
{
    return p->home == node + 1;
}

/* Makes the page readable or writable for the application. Waits. True when it had to do
 * something. */
bool page_access(uint32_t page, bool write);
/* Behind that: its block was opened with it (P11), so the fault begins no stream. A guess. */
static inline bool page_was_alone(const struct page *p)
{
    return (p->flags & PAGE_EXCLUSIVE) && p->home == 0;
}

/* The same for a run of pages, with as few calls of the system as they allow. Waits. */
void page_touch(uint32_t first, uint32_t count, bool write);

/* Opens what can be opened of a run without waiting, and sends for what is stale (ahead.h AH1);
 * `here`: for stores, and of those pages alone whose home is this node. Spins. */
void page_ahead(uint32_t first, uint32_t count, bool write, bool here);
/* For stores, what is complete here of a run. Spins. */
void page_ahead_here(uint32_t first, uint32_t count);

/* From now on none of this run is sent for or opened before a thread asks for it (ahead.h, nor by a
 * prefetch), and none stays writable in a closing; the run before may be again. One thread at a
 * time; (0, 0) is no page. Then waits for what is BUSY there. */
void page_hold(uint32_t first, uint32_t count);
bool page_held(uint32_t page); /* ASSUMPTION: locked */
/* Until they are reset readers of the run make no page of it dirty (exclusive.h EP5).
 * ASSUMPTION: no thread of this node writes it any more, and a closing has begun since it was held,
 * and ended. */
void page_hold_looks(void);
bool page_looks_held(uint32_t page);

/* Notes that `writer` wrote the run in its interval: raises needed and revokes copies that lack it
 * (rules 3, 4). Waits for what is BUSY there. */
void page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval);

/* Waits for the thread that works on a BUSY page, or finishes its prefetch. */
void page_wait(uint32_t page);

/*
 * Flushing, for interval.c: page_flush.c.
 *
 * begin takes the longest run of consecutive pages at the head of list[n] that can be flushed
 * together, waits where the first is BUSY, and marks them BUSY; each is write-protected, or kept
 * writable if it has been written often enough (P8), or if another node has asked for the closing
 * (P10). Returns the run's length, 0 if the first has
 * become clean. Of each page of the run then either `home` or `diff`, by where its home is, then
 * end.
 *   home   whether to announce a home page (P9), and whether it differs; a kept one's twin is
 *          renewed
 *   diff   encodes what this node has written into `out`, room for DIFF_MAX bytes; the length, 0
 *          for nothing
 *   prefetch  may come for any page of the run, before that: it is looked at soon
 *   end    `interval` is that in which the page is announced, 0 for none
 */
uint32_t page_flush_begin(const uint32_t *list, uint32_t n, bool asked);
/* How many at the head of the list have become clean meanwhile; they are off it. Spins. */
uint32_t page_flush_skip(const uint32_t *list, uint32_t n);
void page_flush_prefetch(uint32_t page);
bool page_flush_home(uint32_t page, bool *changed);
bool page_flush_same(uint32_t page); /* whether to announce one that is as its twin was (P9) */
size_t page_flush_diff(uint32_t page, void *out);
void page_flush_end(uint32_t page, uint64_t interval, bool changed);

/* A home page of which this node is told that another one has written it, by remote writes that are
 * there: what differs from its twin from now on is this node's own again, as far as it can be known
 * (P9). Spins. ASSUMPTION: locked. */
void page_flush_told(uint32_t page, struct page *p);

/* A twin of the page as it is. ASSUMPTION: locked. */
uint32_t page_flush_twin(uint32_t page, struct page *p);

/* With --check races, at the home: the bytes that this node has stored since its last interval
 * (diff.h diff_scan), for a closing and for a look before; false: none. With --profile, a look:
 * none as well where they cannot be told from what others have (DW3). Both spin. */
bool page_flush_tracked(uint32_t page, uint64_t *mask);
bool page_tracked(uint32_t page, uint64_t *mask);
/* At the home: what a diff of the same would take, and how many bytes these are; 0 without a twin.
 * Spins. */
size_t page_flush_size(uint32_t page, size_t *bytes);

/* A kept page that is revoked, and as its twin is, is clean. ASSUMPTION: locked. */
void page_clean(struct page *p, uint32_t page);

/* A page that was opened for stores when it was loaded has been written since, or not (AH4).
 * ASSUMPTION: locked. */
void page_judge_load(struct page *p, bool written);

/* Applies a diff of another node to a page whose home is here; 0, or -EINVAL for a malformed one.
 * A twin gets it too, after the page: it is not this node's writing (P8). Spins. */
int page_apply(uint32_t page, int writer, const void *diff, size_t len);

/* ASYNC's handler: takes exclusive access away; true when the page was exclusive here. Its copy is
 * complete and readable afterwards. Spins; ASSUMPTION: the page's lock is not held. */
bool page_demote(uint32_t page);
/* All three spin. */
void page_set_home(uint32_t page, int home); /* learnt from a message; P6 */
int page_known_home(uint32_t page);          /* -1 unknown */
void page_restore_exclusive(uint32_t page);  /* undoes page_demote while no home is assigned */

/* Opens the longest run of complete, closed pages at `first` in one call of the system; returns its
 * length, 0 when the first is none. Pages that no thread has written here, or, for writing, those
 * whose home is known. Spins. */
uint32_t page_open_run(uint32_t first, uint32_t count, bool write);

/* Prefetch: starts fetching what is stale of the run and finishes what has arrived. Does not wait
 * for what has not, but spins. */
void page_prefetch(uint32_t first, uint32_t count);

/* Collective, between barriers: everything known about these pages is dropped, their contents are
 * zero, and from the second barrier on they are memory like any other. Spins. ASSUMPTION: none of
 * them is BUSY or DIRTY; prefetches of them were finished before the first barrier. */
void page_reset(uint32_t first, uint32_t count);

#ifdef HLRC_DEBUG
void page_assert_state(uint32_t page, const struct page *p);
/* A closing has put the page into this interval, and not published it yet. Spins. */
void page_assert_announced(uint32_t page, uint64_t interval);
#else
#    define page_assert_state(page, p) ((void)0)
#endif

#endif
