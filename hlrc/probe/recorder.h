/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * recorder.h - records what the program does on this node, for the simulator: --trace-sim. The
 * format is that of base/record.h.
 *
 * If it is off, nothing is mapped, and an item costs a test of one word that never changes. If it
 * is on, an item takes some bytes of the buffer of its thread. Nothing is written to a file while
 * the job runs.
 *
 * Invariants
 *   - Only its thread writes a stream, in program order. Computing is the time between the thread's
 *     calls and faults, whatever the protocol did in them. For long spans the thread's CPU time
 *     counts, which excludes other threads on its core. Remote operations of the program do not
 *     count as computing.
 *   - The flushing thread notes flushes, one at a time [interval.covers-dirty]. A stream records
 *     how many flushes had ended before an item, so a store that was noted after it belongs to a
 *     later flush.
 *   - A stream that has no room for an item ends there, and the file says so. No item is left out
 *     in its middle.
 *   - Reads of this node from pages whose home it is would not show. So with --trace-sim an acquire
 *     removes the access to such a page if another node has written it. That costs one more fault,
 *     a `look`, which is not among the counted faults.
 *   - With --trace-sim-detail all each home page that this node writes has a twin, and the flush
 *     that seals it notes the difference. A page that was stored to but is unchanged does not count
 *     as changed.
 *   - With --trace-sim-detail all each acquire removes the access to all pages that are not dirty.
 *     The next use of a page then costs a `look`. So each interval that loads a page shows it, even
 *     if the page was not invalidated.
 */
#ifndef HLRC_RECORDER_H
#define HLRC_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

extern bool record_all; /* also changes at homes: --trace-sim-detail all; constant during a job */

/* Ticks (clock.h) at which the thread stops or resumes computing; called by stats_enter. */
void recorder_record_leaves(uint32_t thread, int64_t now);
void recorder_record_returns(uint32_t thread, int64_t now);

/* By the thread that does it, with the arguments of the kind (record.h). The engine names events
 * (hlrc/probe/events.h). */
struct probe_thread;
void recorder_record_add(struct probe_thread *t, enum record_kind kind, uint64_t a, uint64_t b,
                         uint64_t c, uint64_t d);

/* Until it resumes the thread does not compute, though stats.h has no category for it. */
void recorder_record_suspend(struct probe_thread *t);
void recorder_record_resume(struct probe_thread *t);

/* A flush, noted by the flushing thread: its pages in ascending order, then its end. `length`: of
 * the diff; `changed`: bytes. At the home both are 0 if unknown. */
void recorder_record_closing_page(uint32_t page, bool home, size_t length, size_t changed);
void recorder_record_closing_end(bool asked);

/* recorder_record_open - called before a second thread notes anything. Returns 0 or -ENOMEM.
 * `size`: of the buffer of each of `threads` threads. */
int recorder_record_open(uint64_t size, uint32_t threads);
/* Nothing is noted after this; streams end. */
void recorder_record_stop(void);
void recorder_record_close(void); /* after recorder_record_stop, when no thread is left */

/* Ticks that a fault takes outside of its handler: the minimum of many. */
int64_t recorder_record_fault_ticks(void);
/* Units of time per second, and the shift that turns ticks into units. */
uint64_t recorder_record_units(void);
int recorder_record_shift(void);
uint64_t recorder_record_looks(void);

/* A recorded stream, after recorder_record_stop. `thread` -1: the flushes; *count is their number.
 * False: it was cut off. */
bool recorder_record_stream(int thread, const unsigned char **at, size_t *bytes, uint64_t *count);

#endif
