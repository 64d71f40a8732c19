/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ahead.h - readahead: pages on which a thread will fault next are opened before it does.
 *
 * A thread's faults are sorted into streams, loads and stores separately. A second fault on the
 * next or previous page, or a third at equal distances, opens the pages that follow, at first
 * AHEAD_FIRST of them. When the stream faults beyond them, twice as many are opened, up to
 * --ahead. A stream that goes elsewhere starts over. Linux reads files ahead into its page cache
 * in this way (Wu, Xi, Xu: On the design of a new Linux readahead framework, 2008).
 *
 * Faults that are farther apart, columns of a matrix or planes of a cube, cannot be assigned to a
 * stream by distance: arrays that are walked through side by side are as far apart. The last
 * AHEAD_PAST faults that no stream expected are remembered. The fourth fault at equal distances
 * among them starts a stream (a table of reference predictions, which Chen and Baer, Effective
 * Hardware-Based Data Prefetching, 1995, have by instruction).
 *
 * A program with short runs, rows of two pages say, would get pages that it never accesses. So
 * each stream that ends within the first pages opened for it halves the number that the next one
 * gets, down to none; each stream that continues doubles it. A run of AHEAD_FIRST faults gets them
 * in any case.
 *
 * Invariants
 *   - Readahead is a hint: it fetches and opens what a fault would, waits for no other thread or
 *     node, and assigns homes only by [readahead.dense-claims] and
 *     [readahead.first-blocks].
 *   [readahead.twin] A page that was opened for stores ahead has a twin, at its home too: it is
 *       announced only if it was written [page.retained-twin]. A page that had no home and is zero
 *       needs no twin: it is announced if it is no longer zero. Nor does a home page that no other
 *       node has read while only this node runs the program: to announce it revokes no copy.
 *   - A thread that stores to pages whose home is its node gets no pages of other homes ahead: rows
 *     that are dealt to the nodes in turn lie between its own.
 *   - A page that is retained writable (hot, page_flush.c), and was twice stored to after a load,
 *     is opened for stores by a load. It has a twin, since this is no sign of a write. If the
 *     interval ends without a store, loads open it for loads again.
 *   [readahead.dense-claims] A stream of stores over at least AHEAD_DENSE consecutive pages, with
 *       none left out, makes its node the home of the next pages it gets, if they have none. So
 *       memory that is filled for the first time eventually faults no more often than other memory.
 *       Pages beyond the end of the stream get a home here without use: a part of the stream's
 *       length (AHEAD_SHARE), and at most --ahead pages. So parts of an array that nodes fill have
 *       their homes there.
 *   [readahead.first-blocks] While only this node runs the program (only_node.h), its first write
 *       to a page makes it the home of the pages of an aligned block that have none. The block has
 *       AHEAD_BLOCK pages, or is as large as a claimed neighbour of its size, up to
 *       AHEAD_BLOCK_MOST: 2 MiB. A program that writes few pages of each block uses at most
 *       AHEAD_BLOCK times as much memory.
 */
#ifndef HLRC_AHEAD_H
#define HLRC_AHEAD_H

#include "base/streams.h"

/* Assigns a fault of this thread to its streams, and opens the pages that follow. The page itself
 * is open. Spins. */
void ahead_fault(uint32_t page, bool write);

#endif
