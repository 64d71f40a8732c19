/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_word.h - what an atomic operation on a word of shared memory needs of the word's page, and
 * leaves there; sync/word.c performs it.
 *
 *                     the home has all        performed             copy, twin
 *     page_word_begin ---------------> BUSY ---------------> here: -----------> page_word_end
 *        |    ^                              at the home       the result       on the dirty list
 *        +----+
 *         fetch; close an interval
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   WD1  (8) There is one way to change words of a page, for the home's own threads too: the
 *        fabric's atomics where the page protocol uses them; else the home's handler, or a thread
 *        of the home's, changes the page under its lock.
 *   WD2  (1, 3) An operation is performed behind all that happened before it: the page is fetched
 *        first if this copy lacks a version, the home has the diffs that this node has sent, and a
 *        store of this node's to that word is sent, by a closing; with --check races a home's
 *        store is noted by one.
 *   WD3  Of a node one thread at a time operates on words of a page: it is BUSY until the result is
 *        in this node's copy. So the copy holds the last of them. A copy that is STALE gets it as
 *        well while it is open (renew.h RN1): the caller's next load reads it. The twin gets it
 *        too: it is in no diff, which would undo what others have done to the word meanwhile.
 *   WD4  (1) An operation that may have changed the word puts the page on the dirty list behind it,
 *        `worded`, unless it is EXCLUSIVE, so that the next closing announces it, though this node
 *        may have stored nothing to it: with an empty diff, whose version says that a copy has what
 *        the operations did; a home that finds its twin the same announces it as well. Until then
 *        the page is as a dirty one for a home that moves (page_move_settled).
 */
#ifndef HLRC_PAGE_WORD_H
#define HLRC_PAGE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

/* Makes the page ready for an operation on `bytes` at `at` (WD2), and locks it: not BUSY, its home
 * known, or EXCLUSIVE. NULL: this node has stored to the word; close an interval, and call again.
 * Waits. */
struct page *page_word_begin(uint32_t page, size_t at, size_t bytes);

/* Whether the page is this node's own, to be changed under the lock where the fabric's atomics are
 * not the way. ASSUMPTION: locked, begun. */
bool page_word_is_here(const struct page *p);

/* Behind page_word_begin, for an operation at another node, or by the fabric: sets BUSY and unlocks
 * (WD3). */
void page_word_leave(struct page *p);
/* And when it is done: the word's value is known; `changed`: it may be another than before. */
void page_word_end(uint32_t page, size_t at, size_t bytes, const void *value, bool changed);

/* Changes a page of this home's under its lock, without waiting: `value` to the word, in the twin
 * too (page.h P8). ASSUMPTION of both: locked. */
void page_word_store(uint32_t page, const struct page *p, size_t at, size_t bytes,
                     const void *value);
void page_word_note(uint32_t page, struct page *p); /* WD4 */

#endif
