/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.h - what shared memory costs this node, page by page, lock by lock: --profile,
 * --advise.
 *
 * When off, nothing is mapped, and each count costs a test of one word that never changes. When
 * on, all of it is in private memory until the job finalizes (hlrc/report/profile_job.h).
 *
 * Invariants
 *   - `written` has only the bytes of a page that this node's diffs changed after a notice named
 *     another writer: earlier writes, to fill the page, do not share it. It has no byte that only
 *     another node has written: at the home, pages with diffs of others have a twin, and both get a
 *     diff under the page's lock.
 *   - `touched` counts the accesses that faulted since then, by their first byte, for the first
 *     distinct bytes. An acquire closes some of those pages that stay open, home pages included, in
 *     turn. So these are samples of the first accesses after acquires. An access that in every
 *     phase follows another one to the same page is not in them.
 *   - A fault that only a sample has caused is not counted, and its time is not lost time.
 */
#ifndef HLRC_PROFILE_H
#define HLRC_PROFILE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/limits.h"
#include "hlrc/probe/heat.h"
#include "hlrc/probe/stats.h"

#define PROFILE_WORDS   (PAGE_SIZE / 64) /* one bit for each byte of a page */
#define PROFILE_LOCKS   4096u            /* counted separately */
#define PROFILE_TOUCHED 24               /* bytes of a page */

/* Counters of one page; they only grow. Any thread writes them, so by additions. */
#define PROFILE_COUNTS(X) \
    X(read_faults)        \
    X(write_faults)       \
    X(fetches)            \
    X(invalidations)      \
    X(diffs)              \
    X(diff_bytes)         \
    X(parts)              \
    X(part_bytes)         \
    X(words)

enum profile_count {
#define X(name) PROFILE_##name,
    PROFILE_COUNTS(X)
#undef X
        PROFILE_COUNTERS
};

struct profile_page {
    _Atomic uint64_t count[PROFILE_COUNTERS];
    _Atomic uint64_t ticks;   /* of threads: in faults, flushes, updates, invalidations */
    _Atomic uint64_t shared;  /* of these, since another writer was known */
    _Atomic uint32_t turns;   /* notices of another writer after writes of this node */
    _Atomic uint32_t looks;   /* barriers between which it read the page and wrote nothing */
    _Atomic uint32_t reading; /* barriers + 1 at a read without a write since; 0: none */
    /* another writer known; written since; closed for a sample */
    _Atomic bool told, wrote, sampled;
    bool home; /* this node is its home; by flushes */
    /* of faults, by reads and by writes: the line that causes most of them, as a return address in
     * the low 48 bits; above, its lead (profile_vote) */
    _Atomic uint64_t code[2];
};
#define PROFILE_CODE(vote) ((vote) & ((UINT64_C(1) << 48) - 1))

struct profile_mask {
    uint64_t written[PROFILE_WORDS];           /* by flushes, which are serialised */
    _Atomic uint32_t touched[PROFILE_TOUCHED]; /* byte << 16 | count; 0: none yet */
};

struct profile_lock {
    uint32_t lock; /* number + 1; 0: none */
    uint32_t unused;
    uint64_t code;  /* return address of the first of them */
    uint64_t waits; /* acquires whose first try failed */
    uint64_t hands; /* of these, granted by another node */
    uint64_t ticks;
};

/* Totals; barrier_most: the longest wait, both in ticks. */
struct profile_sums {
    uint64_t barriers, barrier_ticks, barrier_most;
    uint64_t fetched[NODES_MAX], sent[NODES_MAX]; /* pages fetched, bytes of diffs sent, by home */
    uint64_t got[NODES_MAX], put[NODES_MAX];      /* bytes of parts, by home */
};

/* The host of this node, and what its threads did: for the advice. */
struct profile_host {
    char id[40];          /* of the system's start; empty: unknown */
    cpu_set_t processors; /* that this node may use */
};
struct profile_time {
    double spent[STATS_CATEGORIES], most; /* seconds of all threads; computing of one thread */
    uint64_t threads;
};

int profile_init(void);   /* 0 or -ENOMEM */
void profile_start(void); /* after the clock was chosen */
void profile_stop(void);  /* ends the recording and the measured time */
void profile_end(void);

/* Events that the engine names (hlrc/probe/events.h). `begin`: ticks; 0: it began while the profile
 * was off, and is not recorded. */

/* An access to this byte of the page, by the instruction at `code`, faulted and was served. */
void profile_fault(uint32_t page, uint32_t byte, bool write, uintptr_t code, int64_t begin);
void profile_count(uint32_t page, enum profile_count what, uint64_t by);
void profile_fetched(uint32_t page, int home);
/* Another node has written these pages. */
void profile_told(uint32_t first, uint32_t count);
/* Some bytes of the page were read from its home, or written to it, bypassing the copy here
 * (page_part.h); an atomic operation was performed there (page_word.h). */
void profile_part(uint32_t page, bool put, size_t bytes, int home, int64_t begin);
void profile_word(uint32_t page, int64_t begin);
/* A diff with `bytes` changed bytes was sent. By flushes, as the next function. */
void profile_diff(uint32_t page, size_t bytes, int home);
/* The bytes that this node changed in a page with another known writer; NULL: none, or unknown.
 * `home`: it is here. */
void profile_written(uint32_t page, const uint64_t *mask, bool home);
/* The time of an acquire is divided equally among the pages that its notices named; a nested
 * acquire counts for the outer one. */
int64_t profile_acquire_begin(void);
void profile_acquire_end(int64_t begin);
/* The time of a flush is divided equally among the pages that it announces, without the time spent
 * for this profile, since profile_aside. By flushes. */
void profile_close(const uint32_t *announced, uint32_t count, int64_t begin);
void profile_aside(int64_t begin);
/* An acquire whose first try failed; `granter`: the node that granted the lock, -1 unknown */
void profile_lock(uint32_t lock, int64_t begin, int granter);
void profile_barrier(int64_t begin);

/* Whether this node knows of another writer of the page. */
bool profile_is_told(uint32_t page);
/* The next page with another known writer, in turn, and whether it is to be closed; false: there
 * is none. One thread at a time. */
bool profile_next(uint32_t *page, bool *due);
void profile_sampled(uint32_t page); /* closed for a sample */

/* For the report, after profile_stop. The first page from `page` on with a count; UINT32_MAX:
 * none. */
uint32_t profile_page_next(uint32_t page);
const struct profile_page *profile_page(uint32_t page);
const struct profile_mask *profile_mask(uint32_t page);
const struct profile_lock *profile_locks(void); /* PROFILE_LOCKS */
const struct profile_sums *profile_sums(void);
const struct heat *profile_heat(void); /* times in ticks since the start */
const struct profile_host *profile_host(void);
/* The length of a tick; the time from start to stop. */
void profile_times(double *tick_s, double *wall_s);
struct profile_time profile_time(double tick_s);

#endif
