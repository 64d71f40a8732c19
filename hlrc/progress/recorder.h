/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * recorder.h - what the program does on this node, for the simulator: --trace-sim. The format is
 * that of base/record.h.
 *
 * Off, nothing is mapped, and what would be noted costs a look at one word that never changes. On,
 * an item takes some bytes of the buffer of its thread. Nothing is written while the job runs.
 *
 * Invariants
 *   TS1  A stream is written by its thread alone, in the order of what it did. Computing is what
 *        lies between the calls and faults of the thread, whatever the protocol did in them. Where
 *        it takes long, the CPU time of the thread counts: what others did on its core meanwhile is
 *        not in it. Nor are remote operations of the program.
 *   TS2  Closings are noted by whoever closes, one at a time (interval.h I1). A stream says how
 *        many had ended before an item, so a store that was noted behind that belongs to a later
 *        one.
 *   TS3  A stream that has no room for an item is at its end, and the file says so: nothing is left
 *        out in its midst.
 *   TS4  What this node reads of pages whose home it is, it would not show: with --trace-sim an
 *        acquire takes the access to such a page away when another node has written it. That takes
 *        a fault more, a `look`, which is not among the faults that are counted.
 *   TS5  With --trace-sim-detail all a home page that this node writes has a twin, and the closing
 *        that seals it notes what differs from that: a page that was stored to and is as it was is
 *        not among those that have changed.
 *   TS6  And each acquire takes all access away but to pages that are dirty: what was opened since
 *        the one before takes a look again when it is used next. So a page that nobody has closed
 *        shows in each interval that loads it.
 */
#ifndef HLRC_RECORDER_H
#define HLRC_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "hlrc/progress/thread.h"

/* Constant from the start of a job to its end. */
extern bool record_on;
extern bool record_all; /* also what changes at homes: --trace-sim-detail all */

/* Ticks (clock.h) of the thread's change between computing and something else; by stats_enter. */
void record_leaves(uint32_t thread, int64_t now);
void record_returns(uint32_t thread, int64_t now);

void record_add(struct thread *t, enum record_kind kind, uint64_t a, uint64_t b, uint64_t c,
                uint64_t d);

/* What the thread does until it resumes is no computing, though stats.h has no category for it. */
void record_suspend(struct thread *t);
void record_resume(struct thread *t);

static inline void record_away(void)
{
    if (record_on)
        record_suspend(thread_self());
}

static inline void record_back(void)
{
    if (record_on)
        record_resume(thread_self());
}

/* By the thread that does it, with the arguments that the kind has (record.h). */
static inline void record_note(enum record_kind kind, uint64_t a, uint64_t b)
{
    if (record_on)
        record_add(thread_self(), kind, a, b, 0, 0);
}

static inline void record_pages(enum record_kind kind, uint32_t first, uint64_t b, uint64_t c,
                                uint64_t d)
{
    if (record_on)
        record_add(thread_self(), kind, first, b, c, d);
}

/* A closing, by who closes: its pages in ascending order, then its end. `length`: of the diff;
 * `changed`: bytes; at the home both are 0 where that is not known. */
void record_closing_page(uint32_t page, bool home, size_t length, size_t changed);
void record_closing_end(bool asked);

/* record_open - before a second thread notes anything: 0 or -ENOMEM. `size`: of the buffer of a
 * thread, of which there are so many. */
int record_open(uint64_t size, uint32_t threads);
/* Nothing is noted any more; streams end. */
void record_stop(void);
void record_close(void); /* behind that, when no thread is left */

/* Ticks: what a fault takes outside of its handler, the least of many. */
int64_t record_fault_ticks(void);
/* Units of time in a second, and how many ticks are shifted away to get them. */
uint64_t record_units(void);
int record_shift(void);
uint64_t record_looks(void);

/* What was noted, when it has stopped. `thread` -1: the closings, of which *count is the number.
 * False: it was cut off (TS3). */
bool record_stream(int thread, const unsigned char **at, size_t *bytes, uint64_t *count);

#endif
