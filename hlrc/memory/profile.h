/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.h - what shared memory costs this node, page by page, lock by lock: --profile.
 *
 * Off, nothing is mapped, and what would be counted costs a look at one word that never changes.
 * On, all of it is in private memory until the job finalizes (hlrc/profile_job.h).
 *
 * Invariants
 *   PF1  `written` has the bytes of a page in which this node's diffs had changes since it was told
 *        that another node writes the page, none but these: what was written before, to fill it,
 *        is not shared for that. It has no byte that another node alone has written: at the home,
 *        pages of which others' diffs came have a twin, and both get a diff under the page's lock.
 *   PF2  `touched` counts the accesses that faulted since then, by their first byte, for the first
 *        bytes that were met. An acquire closes some of those pages that stay open, home pages
 *        among them, in turn: so these are samples of the first accesses behind acquires. An access
 *        that in every phase comes behind another one to the same page is not in them.
 *   PF3  A fault that only a sample has caused (PF2) is not counted, and its time is not lost time.
 */
#ifndef HLRC_PROFILE_H
#define HLRC_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/limits.h"
#include "hlrc/memory/heat.h"

#define PROFILE_WORDS   (PAGE_SIZE / 64) /* of a bit for each byte of a page */
#define PROFILE_LOCKS   4096u            /* that are told apart */
#define PROFILE_TOUCHED 24               /* bytes of a page */

/* Counters of one page; they only grow. Written by any thread, so by additions. */
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
    _Atomic uint64_t ticks;  /* of threads: in faults, for closings, renewals, invalidations */
    _Atomic uint64_t shared; /* of these, since it was told of another writer */
    _Atomic uint32_t turns;  /* was told of another node's writing since it wrote itself */
    _Atomic uint32_t looks; /* barriers between which it read the page, by PF2, and wrote nothing */
    _Atomic uint32_t reading; /* barriers + 1 when it read, and has written nothing since; 0: not */
    _Atomic bool told, wrote, sampled; /* of another writer; since then; closed by PF2 */
    bool home;                         /* this node is; by closings */
};

struct profile_mask {
    uint64_t written[PROFILE_WORDS];           /* PF1; by closings, which are serialised */
    _Atomic uint32_t touched[PROFILE_TOUCHED]; /* PF2: byte << 16 | how often; 0: none yet */
};

struct profile_lock {
    uint32_t lock; /* + 1; 0: none */
    uint32_t unused;
    uint64_t waits; /* acquires that took more than a look */
    uint64_t hands; /* of those, by a grant of another node */
    uint64_t ticks;
};

/* Of all; barrier_most: the longest wait, both in ticks. */
struct profile_sums {
    uint64_t barriers, barrier_ticks, barrier_most;
    uint64_t fetched[NODES_MAX], sent[NODES_MAX]; /* pages from, bytes of diffs to, by home */
    uint64_t got[NODES_MAX], put[NODES_MAX];      /* bytes of parts, by home */
};

extern bool profile_on; /* constant from the start of a job to its end */

int profile_init(void);   /* 0 or -ENOMEM */
void profile_start(void); /* when the clock has been chosen */
void profile_stop(void);  /* nothing is noted any more, and the time that is measured ends */
void profile_end(void);

/* 0: off; nothing is noted then of what began so. */
static inline int64_t profile_begin(void)
{
    return profile_on ? clock_ticks() : 0;
}

/* An access to this byte of the page faulted, and has been served. */
void profile_fault(uint32_t page, uint32_t byte, bool write, int64_t begin);
void profile_count(uint32_t page, enum profile_count what, uint64_t by);
void profile_fetched(uint32_t page, int home);
/* Another node has written these. */
void profile_told(uint32_t first, uint32_t count);
/* Some bytes of the page were read from its home, or written to it, past the copy here
 * (page_part.h); a word was operated on there (page_word.h). */
void profile_part(uint32_t page, bool put, size_t bytes, int home, int64_t begin);
void profile_word(uint32_t page, int64_t begin);
/* A diff of so many changed bytes was sent. By closings, as what follows. */
void profile_diff(uint32_t page, size_t bytes, int home);
/* What this node has changed of a page that it was told of; NULL: nothing, or it is not known.
 * `home`: it is here. */
void profile_written(uint32_t page, const uint64_t *mask, bool home);
/* The time of an acquire is for the pages that it was told of, equally; of one within another one
 * it is the outer's. */
int64_t profile_acquire_begin(void);
void profile_acquire_end(int64_t begin);
/* The time of a closing is for the pages that it announces, equally; but not what it has spent for
 * this profile, since profile_aside. By closings. */
void profile_close(const uint32_t *announced, uint32_t count, int64_t begin);
void profile_aside(int64_t begin);
/* A lock that was not there at a look; `granter`: the node that has granted it, -1 unknown */
void profile_lock(uint32_t lock, int64_t begin, int granter);
void profile_barrier(int64_t begin);

/* Whether this node was told of another writer of the page. */
bool profile_is_told(uint32_t page);
/* The next of the pages that it was told of, in turn, and whether it is to be closed; false: there
 * is none. By one thread at a time. */
bool profile_next(uint32_t *page, bool *due);
void profile_sampled(uint32_t page); /* closed by PF2 */

/* For who reads it at the end, after profile_stop. The first page from there on that has something;
 * UINT32_MAX: none. */
uint32_t profile_page_next(uint32_t page);
const struct profile_page *profile_page(uint32_t page);
const struct profile_mask *profile_mask(uint32_t page);
const struct profile_lock *profile_locks(void); /* PROFILE_LOCKS */
const struct profile_sums *profile_sums(void);
const struct heat *profile_heat(void); /* times in ticks since the start */
/* The length of a tick; from start to stop. */
void profile_time(double *tick_s, double *wall_s);

#endif
