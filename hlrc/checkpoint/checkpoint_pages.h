/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_pages.h - the pages of a checkpoint: each is saved by its home, if its contents differ
 * from the ones that this node has saved last.
 *
 * A file has the changed pages, and then the list of all pages that the node was home of. So each
 * page is in one list at most. Its contents are in the newest file of that node which has the page.
 * A page of the heap that is in no list is zero.
 *
 * Changes are found by digests of the pages that are not known to be unchanged (unchanged.h). A job
 * of one node tracks no stores, and reads all pages.
 *
 *   [checkpoint.lost-page] A node forgets the digest of a page that it is not home of, or that is
 *       zero. Otherwise a page that comes back with its former contents would not be saved, and the
 *       file of another node, or none, would have it.
 *
 * Saving and loading run while no thread of the job touches shared memory, after a barrier that all
 * nodes have left.
 */
#ifndef HLRC_CHECKPOINT_PAGES_H
#define HLRC_CHECKPOINT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_file.h"

int checkpoint_pages_init(void);
void checkpoint_pages_end(void);

/* Returns the number of saved pages. `full`: all. Waits. */
uint64_t checkpoint_pages_save(struct checkpoint_file *f, bool full);

/* The pages of one saved node that this node stores. */
struct checkpoint_pages_load {
    uint32_t share, rank; /* those of every share-th group */
    uint64_t *wanted;     /* a bit per page: in the list, and not stored yet; NULL: no file yet */
    uint64_t left;        /* number of such pages */
};

/* Stores the pages of a file by ordinary writes. The newest file of the node comes first. Wait. */
void checkpoint_pages_load_newest(struct checkpoint_pages_load *l, struct checkpoint_file *f);
void checkpoint_pages_load_older(struct checkpoint_pages_load *l, struct checkpoint_file *f);
void checkpoint_pages_load_end(struct checkpoint_pages_load *l);

#endif
