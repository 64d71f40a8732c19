/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.h - the shared heap.
 *
 * Its tables are shared memory like any other, at the beginning of the shared space, and are
 * guarded by one lock of the runtime's own, LOCK_HEAP. So they are coherent as everything else is:
 * taking the lock is an acquire, dropping it a release. All zero is their initial state; the node
 * that comes first makes the list of free runs.
 *
 *   header     first page: initialised?, for each node the superblocks in which others freed
 *              blocks; the free runs
 *   directory  an entry per page: what begins here, or of which superblock the page is a part
 *   marks      a bit per 16 bytes: blocks that another node than the owner freed
 *   pages      what is allocated
 *
 * Small blocks come from superblocks, each owned by one node. The owner keeps book in private
 * memory (heap_arena.h): to allocate a small block and free it on the same node sends nothing.
 * Another node that frees blocks gathers some of them in private, and then marks them under the
 * lock; the owner collects marks, under the lock, when a class has run dry. All else is runs of
 * pages.
 *
 *             hlrc_malloc             hlrc_free on the owner
 *      FREE ---------------> LIVE ------------------------------------> FREE
 *                              |                                         ^
 *                              | hlrc_free on       heap_flush           | collect: the owner,
 *                              | another node       under LOCK_HEAP      | under LOCK_HEAP
 *                              +--------> IN OUTBOX ---------> MARKED ---+
 *
 * Invariants
 *   HP1  Directory, marks and runs are read and written under LOCK_HEAP; what a live block's entry
 *        says of it may be read without. The node that gives the lock up has sent what it wrote
 *        anywhere (lock.h L3), the one that takes it sees that.
 *   HP2  A block changes hands between nodes only through LOCK_HEAP: by a mark that its owner
 *        collects, or with its pages through the free runs. So before its next owner writes a zero,
 *        that node has seen all that was written to the block: stale bytes cannot come back by a
 *        late diff or an old copy, since the pages that hold them are fetched again before that
 *        first write.
 *   HP3  Zeros are ordinary writes, made after HP2's acquire and before the pointer is returned.
 *        They reach others as all writes do, before the pointer can.
 *   HP4  Pages that no node has touched since the start or a reset are not touched by the heap: who
 *        touches them first decides where their home is.
 *   HP5  Order of locks: the arena's mutex, then LOCK_HEAP. Serving needs neither, so a wait under
 *        them ends.
 */
#ifndef HLRC_HEAP_H
#define HLRC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"

/* The first page that can be given out, of a space of so many. */
uint32_t heap_first(uint32_t pages);

/* after heap_pages() is known; 0 or a negative errno after one line to the user */
int heap_init(void);
void heap_end(void);

/* Marks the blocks of other nodes that this node has freed; costs nothing when there are none. Not
 * all are marked at once otherwise: some kilobytes per node can wait for its next frees,
 * allocations or collectives. */
void heap_flush(void);

/* Bytes of the live allocation of hlrc_malloc or hlrc_aligned_alloc that begins at ptr; 0: none
 * does. May fault. */
size_t heap_size_of(const void *ptr);

/* For collective.c. Memory of hlrc_malloc_all is taken and given back by one node. take, give and
 * trim wait for LOCK_HEAP. */
bool heap_take_all(size_t size, struct run_taken *out, uint32_t *count); /* false: no room */
/* the pages have been reset */
void heap_give_all(uint32_t first, uint32_t count);
/* pages of the memory of hlrc_malloc_all that begins at ptr; 0: none does */
uint32_t heap_count_all(const void *ptr);
void heap_trim(void);                           /* this node gives back what it keeps in reserve */
void heap_zero(uint32_t first, uint32_t count); /* by ordinary writes, which fault: HP3 */
void heap_report_exhausted(const char *call, size_t size); /* one line per process */

#endif
