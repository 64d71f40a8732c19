/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * range.h - memory of the program's own that is shared as the heap is: hlrc_share.
 *
 * A range keeps its address and what is in it. Each node copies that into its own window and maps
 * the window there, so at first all nodes have the same without anything having been sent, as they
 * have zeros in the heap.
 *
 * Invariants
 *   RG1  All nodes have the same ranges in the same order, and the same bytes in them: they compare
 *        digests (identity.h) before the first is mapped. So each copy of a page is equal until a
 *        node writes it.
 *   RG2  The pages of ranges are numbered behind those of the heap, in the order in which they were
 *        given. What has a page's number has its address by engine.h alone. Neighbours by number
 *        need not be neighbours by address: space_protect alone has to know, since states, twins,
 *        windows and hints go by numbers.
 *   RG3  Where a protocol asks whether a copy was touched, what was in it at first is kept to
 *        compare: the node itself has written that.
 *   RG4  A range stays where it is behind hlrc_finalize, for stores and loads of this node alone.
 */
#ifndef HLRC_RANGE_H
#define HLRC_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* What nodes compare (RG1): one per range, zeros behind the last. */
struct range_identity {
    uint64_t at, bytes, digest;
};

/* Fills in RANGES_MAX of them. Reads what is in the ranges. */
void ranges_identify(struct range_identity *out);

/* Counts their pages behind those of engine.pages: RG2. 0, or -EOVERFLOW after one line to the
 * user. */
int ranges_enter(void);
/* Copies what is in them to engine.mem, and maps it in their place. 0 or a negative errno after one
 * line to the user. */
int ranges_map(void);
void ranges_unmap(void); /* RG4 */

/* Whether this node's copy is in a range and known to be as it was at first (RG3). */
bool range_as_begun(uint32_t page);

#endif
