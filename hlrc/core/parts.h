/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parts.h - a protocol in five parts, a table each, so that each idea can be measured separately.
 *
 *   pages     how a home is assigned and a page fetched: protocol.h (--pages)
 *   diffs     how changes reach the home (--diffs)
 *   notices   how other nodes learn which pages were written (--notices)
 *   locks     how a lock is passed from node to node (--locks)
 *   barrier   how all nodes synchronise (--barrier)
 *
 * `caps` are the fabric capabilities that a part requires. A part that requires FABRIC_WRITE_IMM
 * sends messages that a handler serves. If no part does, no node has a handler
 * [progress.no-handler]. This file states what all implementations of a part guarantee; the head of
 * each implementation says how. Unless stated otherwise, all functions may wait and are called with
 * no lock held. The page functions are in protocol.h.
 */
#ifndef HLRC_PARTS_H
#define HLRC_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/meeting.h"

struct protocol_pages;
struct reads_set;

/* Called by the flushing thread, one at a time [interval.covers-dirty]. A sealed page is captured
 * once `room` has returned and the diff was encoded there. */
struct parts_diff {
    unsigned caps;
    int (*init)(void);

    /* Where to encode the diff of one page for this home: room for DIFF_MAX bytes. */
    void *(*room)(int home, uint64_t interval, bool urgent);
    /* The diff is encoded, `bytes` long, and belongs to the interval passed to `room`. Diffs of one
     * page arrive in the order of their intervals [interval.applied-last]. Does not wait. */
    void (*add)(int home, uint32_t page, size_t bytes);
    /* When it returns, all added diffs are on their way and need no further action of this node
     * [interval.diff-first]. */
    void (*send)(bool urgent);
    /* With --check races: puts the set of reads among the diffs for that home. reads_wait waits
     * until all homes have compared the sets sent to them [races.reads-first]. */
    void (*reads)(int home, uint64_t interval, bool urgent, const struct reads_set *set);
    void (*reads_wait)(void);

    /* [interval.quiet-diffs]. Neither waits; both may be called while serving. */
    void (*hand_on)(void); /* wakes homes that have diffs without a wake */
    void (*met)(void);     /* a barrier is complete: no wake is needed */
};

/* The notices of this writer's intervals, up to this one. */
struct parts_notices_wanted {
    int writer;
    uint64_t interval;
};

struct parts_notice {
    unsigned caps;
    bool read; /* the acquirer reads them from the writer; they are not sent */
    int (*init)(void);
    void (*end)(void);

    /* Publishes to all other nodes that this node wrote these pages (ascending) in its interval.
     * By the flushing thread. */
    void (*publish)(uint64_t interval, const uint32_t *pages, uint32_t count);
    /* Invalidates the pages of all wanted notices, of `count` writers (page_invalidate). Waits for
     * notices under way. One thread at a time. */
    void (*take)(const struct parts_notices_wanted *want, int count);
};

/* Invariants: lock.h. */
struct parts_lock {
    unsigned caps;
    int (*init)(uint32_t locks); /* numbered from 0; all are free */
    void (*end)(void);

    /* Takes a lock that is on this node and free, if it can without waiting or holding anything,
     * even for an instant. False: call acquire. `thread` is the caller's index. */
    bool (*take)(uint32_t lock, uint32_t thread);
    void (*acquire)(uint32_t lock);
    int (*try)(uint32_t lock); /* 0, or -EBUSY: another thread has it, here or elsewhere */
    /* Releases a lock that has no waiters if nothing needs to be published now, under the same
     * conditions. False: call release. */
    bool (*drop)(uint32_t lock, uint32_t thread);
    void (*release)(uint32_t lock);

    /* May be NULL. Perform acquire and release if that takes only a few loads and stores, so that
     * reading the clock would cost as much. False: nothing was done. */
    bool (*acquire_soon)(uint32_t lock);
    bool (*release_soon)(uint32_t lock);

    /* For reports of a job that stands still, at any time and without a lock (dump.h). `holder`:
     * index + 1 of the thread that holds it here; 0: none. `entry`: this node's entry of the lock,
     * in a table of reserve() in the order of the locks. */
    uint32_t (*holder)(uint32_t lock);
    const void *(*entry)(uint32_t lock);
};

/* Condition variables of the same lock protocol. Invariants: cond.h. */
struct parts_cond {
    int (*init)(uint32_t conds); /* numbered from 0 */
    void (*end)(void);

    /* Registers this thread [cond.registered-first] and returns its position in the queue. */
    uint32_t (*enter)(uint32_t cond);
    /* True if the signal is here, and await would not wait. Neither waits nor serves. */
    bool (*signalled)(uint32_t place);
    /* Waits there for a signal; *vt is the signaller's vector time. Returns the signal's name. */
    uint64_t (*await)(uint32_t cond, uint32_t place, uint64_t *vt);
    /* Wakes the first registered waiter, or all, with this vector time. `name`: node + 1 << 48 and
     * a number of 31 bits; 0: not needed. */
    void (*signal)(uint32_t cond, bool all, const uint64_t *vt, uint64_t name);
};

/* The largest value of all nodes counts. */
enum parts_arrival {
    ARRIVAL_WAITS, /* the node waits until it departs */
    ARRIVAL_MOVES, /* as above, and has homes to migrate (sync/homes.h) */
    ARRIVAL_PLAIN, /* it may do other things before it departs */
};

/* Invariants: barrier.h. */
struct parts_barrier {
    unsigned caps;
    int (*init)(void);

    /* This node has arrived at barrier number `epoch` (0, 1, ...) with this vector time, in this
     * call [collective.same-call]. Does not wait. */
    void (*arrive)(uint64_t epoch, const uint64_t *vt, enum parts_arrival kind, enum meeting call);
    /* Waits until all nodes have arrived; *vt becomes the maximum of each component. True if all
     * nodes waited and at least one wants to migrate homes. */
    bool (*await)(uint64_t *vt);
    /* True if await would not wait. Advances what the arrivals so far allow. Does not wait. */
    bool (*over)(void);
};

struct protocol {
    const struct protocol_pages *pages;
    const struct parts_diff *diffs;
    const struct parts_notice *notices;
    const struct parts_lock *locks;
    const struct parts_cond *conds;
    const struct parts_barrier *barrier;
};

/* With handlers: async/diffs_message.c, async/notices_log.c, async/locks_manager.c, sync/cond.c,
 * async/barrier_master.c. One-sided: onesided/diffs_write.c, onesided/notices_read.c,
 * onesided/locks_mcs.c, onesided/conds_mcs.c, onesided/barrier_counter.c,
 * onesided/barrier_pairs.c. */
extern const struct parts_diff diffs_by_message, diffs_by_write;
extern const struct parts_notice notices_by_log, notices_by_read;
extern const struct parts_lock locks_by_manager, locks_by_mcs;
extern const struct parts_cond conds_by_manager, conds_by_mcs;
extern const struct parts_barrier barrier_by_master, barrier_by_counter, barrier_by_pairs;

#endif
