/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_part.h - some bytes of a page read from its home, or written to it, without a copy of the
 * page here: what hlrc_get and hlrc_put do on shared memory where loads and stores would fetch it.
 *
 *             STALE, closed, nothing of      behind the versions     put: on the dirty
 *             this node's in a copy          that are needed         list, `worded`
 *   page_part -------------------------> BUSY -------------------> bytes ------------> true
 *      |                                  |
 *      +--> false: load and store         +--> a version is missing: fetch; false
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   PP1  (1, 5) Bytes go from or to the home past this node's copy only while that is STALE and
 *        closed, and nothing that this node has stored is in it alone. All other pages are loaded
 *        and stored to: a copy that may be read holds what is needed, and what was stored.
 *   PP2  (3, 4) They are read, or written, behind the versions that this node needs of the page,
 *        its own included: an older diff does not come after what is put, and what is got is no
 *        older than what was acquired.
 *   PP3  (1) What is put is at the home before the page is put on the dirty list, `worded`, and it
 *        is there when the call returns: the next closing announces it with an empty diff, behind
 *        which a copy has what was put (page_word.h WD4).
 *   PP4  (4) A node that has never read the page makes itself known at its home first (exclusive.h
 *        EP1).
 *   PP5  (4) A get from a page that is complete here, but closed, copies it under its lock, where
 *        nothing is revoked, and leaves it closed. So a get where homes send whole pages fetches
 *        one, and no access changes.
 */
#ifndef HLRC_PAGE_PART_H
#define HLRC_PAGE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads `len` bytes at `at` of the page into `mem`, or writes them. False: nothing was done, and
 * the caller loads or stores. ASSUMPTION: `mem` does not fault. Waits. */
bool page_part(bool put, uint32_t page, size_t at, void *mem, size_t len);

/* Gets from these pages follow: sends for those that come whole (PP5), as far as there are slots.
 * Spins. */
void page_part_expect(uint32_t first, uint32_t count);

#endif
