/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * range.h - the program's own memory, shared as the heap is: hlrc_share.
 *
 * A range keeps its address and its contents. Each node copies them into its own window and maps
 * the window there. So at first all nodes have equal contents without a transfer, as with the
 * heap's zeros.
 *
 * Invariants
 *   - All nodes have the same ranges in the same order, with the same bytes in them: they compare
 *     digests (identity.h) before the first is mapped. So each copy of a page is equal until a node
 *     writes it.
 *   - The pages of ranges are numbered after the heap's, in the order in which the ranges were
 *     given. Only engine.h maps a page number to an address. Neighbours by number need not be
 *     neighbours by address. Only space_protect has to know that, since states, twins, windows and
 *     hints use numbers.
 *   - Where a protocol asks whether a copy was touched, the initial contents are kept for
 *     comparison, since the node itself has written them.
 *   - Guards are pages of a range that no node may access, such as those between stacks:
 *     space_protect keeps them closed, and a fault there is the program's.
 *   - A range stays mapped after hlrc_finalize, for stores and loads of this node only.
 */
#ifndef HLRC_RANGE_H
#define HLRC_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What nodes compare: one per range, zeros after the last. */
struct range_identity {
    uint64_t at, bytes, digest;
};

/* Fills in RANGES_MAX entries. Reads the contents of the ranges. */
void range_identify(struct range_identity *out);

/* Adds their pages to engine.pages. Returns 0, or -EOVERFLOW after one line to the user. */
int range_enter(void);
/* Copies their contents to engine.mem, and maps that in their place. Returns 0, or a negative
 * errno after one line to the user. */
int range_map(void);
void range_unmap(void);

/* The first `bytes` of each `stride` bytes of the range that hlrc_share got last are guards, whole
 * pages. Before hlrc_init, on every node. Exported for libhlrc_compat. */
void hlrc_share_guards(size_t stride, size_t bytes);
/* Whether the page is a guard. *in_a_row: at most as many pages from there on, for which the same
 * holds. */
bool range_is_guard(uint32_t page, uint32_t *in_a_row);

/* Whether the page is in a range and this node's copy is known to be in its initial state. */
bool range_as_begun(uint32_t page);

#endif
