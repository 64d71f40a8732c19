/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parts.h - a protocol in five parts, a table each, so that every idea can be measured alone.
 *
 *   pages     how a home is assigned and a page fetched: protocol.h (--pages)
 *   diffs     how what was written reaches the home (--diffs)
 *   notices   how other nodes learn which pages were written (--notices)
 *   locks     how a lock goes from node to node (--locks)
 *   barrier   how all nodes meet (--barrier)
 *
 * `caps` are the fabric capabilities that a part cannot do without; `served`: messages take part in
 * it, which a handler serves. Where none of the five are, no node has a handler (progress.h NH1).
 * What all implementations of a part keep to stands here; how one of them does it, at its head. All
 * functions may wait, and are called with no lock held, where nothing else is said; those of pages
 * are in protocol.h.
 */
#ifndef HLRC_PARTS_H
#define HLRC_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/protocol/meeting.h"

struct page_protocol;
struct read_set;

/* By the thread that closes an interval, one at a time (interval.h I1); what a page was sealed for
 * is captured when `room` has returned and the diff was encoded there. */
struct diff_protocol {
    const char *name;
    unsigned caps;
    bool served;
    int (*init)(void);

    /* Where the diff of one page for this home is to be encoded: room for DIFF_MAX bytes. */
    void *(*room)(int home, uint64_t interval, bool urgent);
    /* It is there, `bytes` long, and belongs to the interval that `room` was asked for. Diffs of
     * one page arrive in the order of their intervals (I3). Does not wait. */
    void (*add)(int home, uint32_t page, size_t bytes);
    /* All that was added is on its way, and needs nothing more of this node (I4). */
    void (*send)(bool urgent);
    /* With --check races: puts what was read among the diffs for that home, and waits until all
     * homes have compared what was sent of that (reads.h RR3). */
    void (*reads)(int home, uint64_t interval, bool urgent, const struct read_set *set);
    void (*reads_wait)(void);

    /* I7. Neither waits; both may be called while serving. */
    void (*hand_on)(void); /* homes that have diffs of which they were not told are told */
    void (*met)(void);     /* a barrier is over: they need not be */
};

/* The notices of this writer's intervals, up to this one. */
struct notices_wanted {
    int writer;
    uint64_t interval;
};

struct notice_protocol {
    const char *name;
    unsigned caps;
    bool served;
    bool read; /* by who takes them, from who wrote them, and not sent */
    int (*init)(void);
    void (*end)(void);

    /* Tells all other nodes that this node wrote these pages (ascending) in its interval. By the
     * thread that closes it. */
    void (*publish)(uint64_t interval, const uint32_t *pages, uint32_t count);
    /* Revokes the pages of all notices that are wanted, of `count` writers (page_invalidate);
     * waits for those under way. One thread at a time. */
    void (*take)(const struct notices_wanted *want, int count);
};

/* lock.h says what holds. */
struct lock_protocol {
    const char *name;
    unsigned caps;
    bool served;
    int (*init)(uint32_t locks); /* numbered from 0; all are free */
    void (*end)(void);

    /* Takes a lock that is here and that no thread has, if it can without waiting or holding
     * anything, even for an instant; false: acquire it. `thread` is the caller's index. */
    bool (*take)(uint32_t lock, uint32_t thread);
    void (*acquire)(uint32_t lock);
    int (*try)(uint32_t lock); /* 0, or -EBUSY: another thread has it, here or elsewhere */
    /* Lets go of a lock that nobody waits for, where nothing is to be published now, likewise;
     * false: release it. */
    bool (*drop)(uint32_t lock, uint32_t thread);
    void (*release)(uint32_t lock);

    /* Both may be NULL. Do what acquire and release do if that is a matter of a few loads and
     * stores, so that looking at the clock would cost as much; false: nothing was done. */
    bool (*acquire_soon)(uint32_t lock);
    bool (*release_soon)(uint32_t lock);

    /* For who asks why the job stands still, at any time and without a lock (dump.h DU1): the index
     * of the thread that holds it here, + 1; 0: none does. And where this node's entry of the lock
     * lies, in a table of reserve() in their order. */
    uint32_t (*holder)(uint32_t lock);
    const void *(*entry)(uint32_t lock);
};

/* Condition variables, as the locks go; cond.h says what holds. */
struct cond_protocol {
    int (*init)(uint32_t conds); /* numbered from 0 */
    void (*end)(void);

    /* This thread is registered when it returns (C1): its place in the queue. */
    uint32_t (*enter)(uint32_t cond);
    /* Waits there for a signal; *vt is the signaller's vector time. Returns the signal's name. */
    uint64_t (*await)(uint32_t cond, uint32_t place, uint64_t *vt);
    /* Wakes the first that is registered, or all, with this vector time. `name`: node + 1 << 48 and
     * a number of 31 bits; 0: nobody will ask. */
    void (*signal)(uint32_t cond, bool all, const uint64_t *vt, uint64_t name);
};

/* Of several nodes' the largest counts. */
enum arrival {
    ARRIVAL_WAITS, /* the node waits until it departs */
    ARRIVAL_MOVES, /* and has homes to move (sync/homes.h) */
    ARRIVAL_PLAIN, /* it may do other things before it departs */
};

/* barrier.h says what holds. */
struct barrier_protocol {
    const char *name;
    unsigned caps;
    bool served;
    int (*init)(void);

    /* This node has arrived at the barrier of this number (0, 1, ...) with this vector time, in
     * this call (ME1). Does not wait. */
    void (*arrive)(uint64_t epoch, const uint64_t *vt, enum arrival kind, enum meeting call);
    /* Waits until all nodes have; *vt becomes the largest of each component. Whether all waited at
     * once, and one at least wanted to move homes. */
    bool (*await)(uint64_t *vt);
};

struct protocol {
    const struct page_protocol *pages;
    const struct diff_protocol *diffs;
    const struct notice_protocol *notices;
    const struct lock_protocol *locks;
    const struct cond_protocol *conds;
    const struct barrier_protocol *barrier;
};

/* By handlers: coherence/diff_message.c, coherence/notice_log.c, sync/lock_queue.c, sync/cond.c,
 * sync/barrier_master.c. One-sided: coherence/diff_write.c, coherence/notice_read.c,
 * sync/lock_mcs.c, sync/cond_mcs.c, sync/barrier_counter.c, sync/barrier_pairs.c. */
extern const struct diff_protocol diffs_by_message, diffs_by_write;
extern const struct notice_protocol notices_by_log, notices_by_read;
extern const struct lock_protocol locks_by_queue, locks_by_mcs;
extern const struct cond_protocol conds_by_manager, conds_by_mcs;
extern const struct barrier_protocol barrier_by_master, barrier_by_counter, barrier_by_pairs;

#endif
