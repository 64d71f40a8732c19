/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diffs: which bytes of a page its writer changed since the twin was taken.
 *
 * Invariants
 *
 *   [diff.exact-bytes] Granularity is one byte. A byte is in the diff if and only if it differs
 *       from the twin; gaps are never merged. C lets two threads write neighbouring bytes without a
 *       race, so two nodes may.
 *       - Applying writes every byte of the diff and no other byte, not even with its old value:
 *         threads of the home write there at the same time.
 *   - A malformed diff is refused before its first byte is written. Diffs come from the network.
 *   - An encoding never exceeds DIFF_MAX, and the empty diff has length 0.
 *   - A comparison of memory that other threads write concurrently detects every byte that differs
 *     throughout. memcmp does not promise that: it may read a differing byte again, find it equal
 *     by then, and return 0 for all that follow.
 *
 * Encoding (all numbers little-endian, no alignment):
 *
 *      u16 form, u16 count, then one of
 *      DIFF_RUNS     count runs {u16 offset, u16 length}, ascending, a gap of at least one byte
 *                    between two of them, at most 128; then the bytes of all runs in sequence
 *      DIFF_BITMAP   512 bytes, bit b of byte i set when byte 8 * i + b of the page changed; then
 *                    the count changed bytes in ascending order
 *
 * Encoding takes the shorter form: a run costs four bytes, so more than 128 of them are shorter as
 * a bitmap. Hence DIFF_MAX.
 *
 * Scanning dominates the cost of a release, and most scanned bytes did not change. The inner loops
 * exist several times (portable, AVX2, AVX-512); the best that the CPU has is chosen when the
 * library is loaded.
 */
#ifndef HLRC_DIFF_H
#define HLRC_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define DIFF_PAGE         4096
#define DIFF_HEADER       4
#define DIFF_BITMAP_BYTES (DIFF_PAGE / 8)

#define DIFF_RUNS_MOST (DIFF_PAGE / 2) /* most runs of a page */

/* Upper bound of any encoding, for buffers and slots. */
#define DIFF_MAX (DIFF_HEADER + DIFF_BITMAP_BYTES + DIFF_PAGE)

/*
 * Write to OUT the bytes of PAGE that differ from TWIN. Returns the length of the encoding, 0 when
 * nothing changed.
 *
 * ASSUMPTIONS: no thread writes PAGE or TWIN during the call (the application's view is
 * write-protected). OUT has room for DIFF_MAX bytes, overlaps neither, and all of it may be used
 * as scratch. No alignment is needed.
 */
size_t diff_encode(const void *page, const void *twin, void *out);

/* Whether the page is all zeros. */
bool diff_is_zero(const void *page);

/*
 * Whether PAGE differs from TWIN. Other threads may write both during the call; a byte that differs
 * for a part of the time may count or not. No alignment is needed.
 */
bool diff_differs(const void *page, const void *twin);

/*
 * Apply the diff of LEN bytes at DIFF to PAGE. Returns 0, or -EINVAL with PAGE untouched when it is
 * malformed. LEN 0 is the empty diff.
 *
 * ASSUMPTIONS: no other thread writes the bytes of the diff during the call (two such writers would
 * be a race in the program); other threads may write all other bytes of PAGE at any time
 * [diff.exact-bytes]. DIFF does not change during the call: a diff in memory that a remote node can
 * write is copied first.
 */
int diff_apply(void *page, const void *diff, size_t len);

/*
 * The runs of the diff of LEN bytes at DIFF, ascending, for fabric_write_runs. RUN has room for
 * DIFF_RUNS_MOST; *BYTES is set to the bytes of all runs, within DIFF. Returns the number of runs;
 * 0 for the empty diff and for a malformed one.
 */
uint32_t diff_list(const void *diff, size_t len, struct fabric_run *run, const void **bytes);

/*
 * Give a dirty page a newer base: PAGE becomes FETCHED plus the changes of PAGE against TWIN, TWIN
 * becomes FETCHED. A changed byte stays in the next diff, unless FETCHED already holds its value.
 *
 * ASSUMPTIONS: as for diff_encode; the three do not overlap.
 */
void diff_merge(void *page, void *twin, const void *fetched);

/*
 * The same for a page that threads of this node write during the call: where FETCHED differs from
 * TWIN the byte of PAGE becomes that of FETCHED, and no other byte is written [diff.exact-bytes].
 *
 * ASSUMPTIONS: no other thread writes those bytes (that would be a race in the program), nor TWIN;
 * the three do not overlap.
 */
void diff_renew(void *page, void *twin, const void *fetched);

/*
 * Set MASK, of DIFF_MASK_WORDS words, to the changed bytes, bit b of word i for byte 64 * i + b:
 * of PAGE against TWIN, or of a diff. diff_scan returns whether there are any, and may see
 * concurrent stores of other threads. diff_track also makes TWIN what it has seen, so that later
 * stores differ. diff_mask is false for a malformed diff.
 */
#define DIFF_MASK_WORDS (DIFF_PAGE / 64)
bool diff_scan(const void *page, const void *twin, uint64_t *mask);
bool diff_track(const void *page, void *twin, uint64_t *mask);
bool diff_mask(const void *diff, size_t len, uint64_t *mask);

/* The number of page bytes that a diff carries; 0 when it is empty or malformed. */
size_t diff_changed_bytes(const void *diff, size_t len);

/*
 * For tests and measurements: use the inner loops called NAME ("portable", "avx2", "avx512"), NULL
 * for the best. Returns 0, -ENOENT for an unknown name, -ENOTSUP when this CPU does not have them.
 *
 * ASSUMPTIONS: no other thread uses a diff function during the call.
 */
int diff_use(const char *name);
const char *diff_in_use(void);

#endif
