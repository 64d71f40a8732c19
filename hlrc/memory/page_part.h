/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_part.h - some bytes of a page read from its home, or written to it, without a local copy:
 * hlrc_get and hlrc_put on shared memory where loads and stores would fetch the page.
 *
 *             STALE, closed, no store        needed versions are     put: on the dirty
 *             exists only here               at the home             list, `worded`
 *   page_part -------------------------> BUSY -------------------> bytes ------------> true
 *      |                                  |
 *      +--> false: load and store         +--> a version is missing: fetch; false
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [part.stale-only] (1, 5) Bytes bypass this node's copy only while it is STALE and closed, and
 *       no store of this node exists only there. All other pages are loaded and stored to: a
 *       readable copy has all needed versions and all stores.
 *       - (4) A get from a page that is complete here, but closed, copies it under its lock, which
 *         excludes a revocation, and leaves it closed. So where homes send whole pages, a get
 *         fetches one and changes no protection.
 *   - (3, 4) Bytes are read or written only after the home has the versions that this node needs of
 *     the page, its own included. So no older diff overwrites a put, and a get is no older than the
 *     acquired interval. [word.ordered]
 *   - (1) A put has arrived at the home before the page is put on the dirty list, `worded`, and
 *     before the call returns. The next flush announces it with an empty diff; a copy with this
 *     version has the put [word.announced].
 *   - (4) A node that has never read the page registers at its home first [unshared.reader-mark].
 */
#ifndef HLRC_PAGE_PART_H
#define HLRC_PAGE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads `len` bytes at `at` of the page into `mem`, or writes them. False: nothing was done, and
 * the caller loads or stores. ASSUMPTION: `mem` does not fault. Waits. */
bool page_part(bool put, uint32_t page, size_t at, void *mem, size_t len);

/* Announces gets from these pages: starts fetches of pages that are sent whole [part.stale-only],
 * as far as there are slots. Spins. */
void page_part_expect(uint32_t first, uint32_t count);

#endif
