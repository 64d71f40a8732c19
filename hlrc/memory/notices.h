/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * notices.h - write notices: which pages a node wrote in which interval, in a log for each
 * other node.
 *
 * Every node holds a log per writer, a ring of words in its control window. The writer fills it by
 * remote writes when it ends an interval. So a grant or a barrier carries a vector time and no
 * list; a node that needs the notices has them already, or waits until they land.
 *
 * A record: { interval, count | LAST << 31 }, then `count` runs { first page, pages }. An interval
 * of many runs is cut into several records; the last one carries LAST.
 *
 * Invariants
 *   - The tail of a log is written after the records before it [fabric.write-order]. The reader
 *     reads no record beyond the tail.
 *   - tail - head <= NOTICE_LOG_WORDS. The reader writes its head into the writer's window, where
 *     the writer reads it. If there is no room, the writer requests the reader's handler to drain
 *     the log.
 *   - Draining loses nothing: for each page of the drained records the latest interval is kept
 *     (doc/design.md, rule 9). The handler drains without waiting for another node.
 *   [notices-log.never-late] Notices of an interval may be applied before an acquire covers it
 *       (pages are then invalidated earlier), never later.
 */
#ifndef HLRC_NOTICES_H
#define HLRC_NOTICES_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/memory/page.h"
#include "hlrc/policy/policy_notices.h"
#include "hlrc/probe/probe.h"

#define NOTICE_LOG_WORDS 16384u /* a power of two */
#define NOTICE_LOG_BYTES (NOTICE_LOG_WORDS * sizeof(uint32_t))

/* notices_read.c has one ring of NOTICE_RING u64, a table with an entry per page and one per block
 * of pages, and slots in which its reads land. */
#define NOTICE_RING       POLICY_NOTICES_RING
#define NOTICE_BLOCK      POLICY_NOTICES_BLOCK
#define NOTICE_CHUNK      POLICY_NOTICES_CHUNK
#define NOTICE_SLOTS      64
#define NOTICE_SLOT_BYTES ((NOTICE_CHUNK + 8) * sizeof(uint64_t))

/* Applies the notice of a run of pages. */
static inline void notices_apply(uint32_t first, uint32_t count, int writer, uint64_t interval)
{
    page_invalidate(first, count, writer, interval);
    PROBE(notice_applied, first, count, writer, interval);
}

#endif
