/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ahead.h - faults in runs: pages that a thread will fault on next are opened before it does.
 *
 * A thread's faults are sorted into streams, loads and stores apart. A second fault on the next or
 * the page before, or a third at equal distances, opens the pages that follow, first AHEAD_FIRST of
 * them; when the stream faults behind those, twice as many, up to --ahead. A stream that goes
 * elsewhere begins anew. So does the page cache of Linux read ahead of a file (Wu, Xi, Xu: On the
 * design of a new Linux readahead framework, 2008).
 *
 * Faults that are farther apart, columns of a matrix or planes of a cube, belong to no stream that
 * can be told by its neighbourhood: arrays that are walked through side by side lie as far apart.
 * Of faults that no stream has expected the last AHEAD_PAST are remembered, and one that is the
 * fourth at equal distances among them begins a stream (a table of reference predictions, as Chen
 * and Baer, Effective Hardware-Based Data Prefetching, 1995, have it by instruction).
 *
 * A program whose runs are short, rows of two pages say, would be brought what it never asks for.
 * So each stream that ends within the first pages opened for it halves how many the next one is
 * given, down to none; each that goes on doubles them. A run of AHEAD_FIRST faults is given them in
 * any case.
 *
 * Invariants
 *   AH1  Opening ahead is a hint: it fetches and opens what a fault would have, waits for no other
 *        thread or node, and assigns no home but by AH5.
 *   AH2  A page that was opened for stores ahead has a twin, at its home too: it is announced only
 *        if it was written (page.h P8). One of which nobody was home, and that is zero, needs none:
 *        it is announced if it is not zero any more.
 *   AH3  A thread that stores to pages of its node's home is brought none of other nodes: rows that
 *        are dealt to the nodes in turn lie between its own.
 *   AH4  A page that is hot (page_flush.c), and was twice stored to after it had been loaded, is
 *        opened for stores when it is loaded; with a twin, since that is no sign of its being
 *        written. When the interval ends without a store, loads open it for loads again.
 *   AH5  A stream of stores that has come by AHEAD_DENSE pages or more, one after the other with
 *        none left out, makes its node the home of what it is given next, where nobody is: memory
 *        that is filled for the first time faults no more often than any other, in the end. What
 *        lies behind its end gets a home here in vain, a part of what it has come by (AHEAD_SHARE),
 *        and --ahead pages at most: so parts of an array that nodes fill have their homes there.
 */
#ifndef HLRC_AHEAD_H
#define HLRC_AHEAD_H

#include "base/streams.h"

/* Sorts a fault of this thread into its streams, and opens what follows. The page itself is open.
 * Spins. */
void ahead_fault(uint32_t page, bool write);

#endif
