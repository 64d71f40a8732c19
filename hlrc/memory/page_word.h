/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_word.h - prepares and completes the page of an atomic operation on shared memory;
 * sync/word.c performs the operation.
 *
 *                     the home has all        performed             copy, twin
 *     page_word_begin ---------------> BUSY ---------------> here: -----------> page_word_end
 *        |    ^                              at the home       the result       on the dirty list
 *        +----+
 *         fetch; flush
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   - (8) There is one way to change words of a page, for the home's own threads too: the fabric's
 *     atomics if the page protocol uses them; otherwise the home's handler, or a thread of the
 *     home, changes the page under its lock.
 *   [word.ordered] (1, 3) An operation is performed after all that happened before it. The page is
 *       fetched first if this copy lacks a version. The home has the diffs that this node has sent.
 *       A store of this node to that word is sent by a flush; with --check races a flush also notes
 *       a home's store.
 *   [word.copy] One thread of a node at a time operates on words of a page: it is BUSY until the
 *       result is in this node's copy. So the copy holds the last result. A STALE copy that is open
 *       gets it as well [update.pending]: the caller's next load reads it. The twin gets it too: in
 *       a diff, it would undo other nodes' later operations on the word.
 *   [word.announced] (1) After an operation that may have changed the word, the page is put on the
 *       dirty list, `worded`, unless it is EXCLUSIVE. So the next flush announces it, though this
 *       node may have stored nothing to it: with an empty diff, whose version says that a copy has
 *       the results. A home that finds its twin the same announces it as well. Until then home
 *       migration treats the page as dirty (page_move_settled).
 */
#ifndef HLRC_PAGE_WORD_H
#define HLRC_PAGE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

/* Makes the page ready for an operation on `bytes` at `at` [word.ordered], and locks it: not BUSY,
 * its home known, or EXCLUSIVE. NULL: this node has stored to the word; flush, and call again.
 * Waits. */
struct page *page_word_begin(uint32_t page, size_t at, size_t bytes);

/* Whether the page is this node's own, to be changed under the lock if the fabric's atomics are
 * not used. ASSUMPTION: locked, begun. */
bool page_word_is_here(const struct page *p);

/* After page_word_begin, for an operation at another node, or by the fabric: sets BUSY and unlocks
 * [word.copy]. */
void page_word_leave(struct page *p);
/* After the operation: `value` is the word's value; `changed`: it may differ from before. */
void page_word_end(uint32_t page, size_t at, size_t bytes, const void *value, bool changed);

/* Stores `value` to a word of a home page, and to its twin [page.retained-twin], without waiting.
 * ASSUMPTION of both: locked. */
void page_word_store(uint32_t page, const struct page *p, size_t at, size_t bytes,
                     const void *value);
void page_word_note(uint32_t page, struct page *p); /* [word.announced] */

#endif
