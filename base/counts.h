/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counts.h - the counters of struct hlrc_stats (include/hlrc.h), in the order in which they are
 * printed and stored in a trace: a new counter goes at the end. */
#ifndef HLRC_COUNTS_H
#define HLRC_COUNTS_H

/* clang-format off */
#define HLRC_COUNTS(X)                                                                           \
    X(read_faults) X(write_faults) X(first_write_faults) X(page_fetches) X(fetch_retries)        \
    X(homes_assigned) X(twins) X(diffs) X(diff_bytes) X(write_notices) X(invalidations)          \
    X(lock_acquires) X(barriers) X(messages) X(wakes) X(rdma_reads) X(rdma_writes) X(atomics)    \
    X(bytes_in) X(bytes_out) X(fetch_round_trips) X(hot_pages) X(hot_unchanged) X(ahead_pages)   \
    X(exclusive_pages) X(homes_moved) X(lazy_releases) X(evictions) X(renewed_pages)             \
    X(log_overflows) X(word_ops)                                                                 \
    X(checkpoints) X(checkpoint_pages) X(checkpoint_bytes) X(checkpoint_us) X(checkpoint_write_us)
/* clang-format on */

#endif
