/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.h - the shared heap.
 *
 * Its tables are shared memory, at the beginning of the shared space, guarded by the runtime's
 * lock LOCK_HEAP. So they are coherent like all shared memory: taking the lock is an acquire,
 * dropping it a release. All zero is their initial state; the first node to use them makes the
 * list of free runs.
 *
 *   header     first page: initialised?, for each node the superblocks in which others freed
 *              blocks; the free runs
 *   directory  an entry per page: what begins here, or of which superblock the page is a part
 *   marks      a bit per 16 bytes: blocks freed by a node that is not the owner
 *   pages      the allocated memory
 *
 * Small blocks come from superblocks, each owned by one node. The owner keeps its state in private
 * memory (heap_arena.h): allocating and freeing a small block on one node sends nothing. Another
 * node that frees blocks collects them in a private outbox, and then marks them under the lock.
 * The owner collects marks, under the lock, when a class has run dry. All larger blocks are runs
 * of pages.
 *
 *             hlrc_malloc             hlrc_free on the owner
 *      FREE ---------------> LIVE ------------------------------------> FREE
 *                              |                                         ^
 *                              | hlrc_free on       heap_flush           | collect: the owner,
 *                              | another node       under LOCK_HEAP      | under LOCK_HEAP
 *                              +--------> IN OUTBOX ---------> MARKED ---+
 *
 * Invariants
 *   - Directory, marks and runs are read and written under LOCK_HEAP; a live block's entry may be
 *     read without. The node that releases the lock has sent all it wrote anywhere
 *     [lock.flush-first], and the node that takes it sees that.
 *   - A block changes hands between nodes only through LOCK_HEAP: by a mark that its owner
 *     collects, or with its pages through the free runs. So before its next owner writes a zero,
 *     that node has seen all that was written to the block. A late diff or an old copy cannot bring
 *     stale bytes back, since the pages that hold them are fetched again before that first write.
 *   - Memory of hlrc_alloc_uninitialized keeps what its last owner wrote, or older bytes.
 *   - Zeros are ordinary writes, made after the acquire of LOCK_HEAP and before the pointer is
 *     returned. They reach others as all writes do, before the pointer can.
 *   - The heap does not touch pages that no node has touched since the start or a reset: their
 *     first toucher decides their home.
 *   - Order of locks: the arena's mutex, then LOCK_HEAP. Serving needs neither, so a wait under
 *     them ends.
 */
#ifndef HLRC_HEAP_H
#define HLRC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"

/* The first page available for allocation, of a space of this size. */
uint32_t heap_first(uint32_t pages);

/* after engine_heap_pages() is known; 0 or a negative errno after one line to the user */
int heap_init(void);
void heap_end(void);

/* Memory for this call of the public interface, undefined or `zeroed`; NULL with errno after one
 * line to the user. ASSUMPTION: align is a power of two. */
void *heap_allocate(const char *call, size_t align, size_t size, bool zeroed);

/* Marks the blocks of other nodes that this node has freed; costs nothing if there are none.
 * Without it some kilobytes per node may stay unmarked until its next frees, allocations or
 * collectives. */
void heap_flush(void);

/* Bytes of the live allocation of hlrc_malloc or hlrc_aligned_alloc that begins at ptr; 0: there
 * is none. May fault. */
size_t heap_size_of(const void *ptr);

/* For collective.c. One node takes and frees the memory of hlrc_malloc_all. take, give and trim
 * wait for LOCK_HEAP. */
bool heap_take_all(size_t size, struct heap_runs_taken *out, uint32_t *count); /* false: no room */
/* the pages have been reset */
void heap_give_all(uint32_t first, uint32_t count);
/* pages of the memory of hlrc_malloc_all that begins at ptr; 0: there is none */
uint32_t heap_count_all(const void *ptr);
void heap_trim(void);                                      /* frees this node's reserve */
void heap_zero(uint32_t first, uint32_t count);            /* by ordinary writes, which fault */
void heap_report_exhausted(const char *call, size_t size); /* one line per process */

#endif
