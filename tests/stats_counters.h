/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats_counters.h - the counters of struct hlrc_stats in their order, by hand, as the manual names
 * them: not from the list that is printed. */
#ifndef TESTS_STATS_COUNTERS_H
#define TESTS_STATS_COUNTERS_H

#include <hlrc.h>
#include <stddef.h>
#include <stdint.h>

struct counter_named {
    const char *name;
    size_t at;
    /* by blackbox/reset.c: 2 under both protocols, 1 under ARDMAR, 0 perhaps; KERNELS: the kernel
     * counts, at any moment */
    int moved;
};

#define KERNELS (-1)

#define STATS_COUNTER(name, moved)                      \
    {                                                   \
#        name, offsetof(struct hlrc_stats, name), moved \
    }
static const struct counter_named counters[] = {
    STATS_COUNTER(read_faults, 2),
    STATS_COUNTER(write_faults, 2),
    STATS_COUNTER(first_write_faults, 2),
    STATS_COUNTER(page_fetches, 2),
    STATS_COUNTER(fetch_retries, 0),
    STATS_COUNTER(homes_assigned, 2),
    STATS_COUNTER(twins, 2),
    STATS_COUNTER(diffs, 2),
    STATS_COUNTER(diff_bytes, 2),
    STATS_COUNTER(write_notices, 2),
    STATS_COUNTER(invalidations, 2),
    STATS_COUNTER(lock_acquires, 2),
    STATS_COUNTER(barriers, 2),
    STATS_COUNTER(messages, 2),
    STATS_COUNTER(wakes, 2),
    STATS_COUNTER(rdma_reads, 1),
    STATS_COUNTER(rdma_writes, 2),
    STATS_COUNTER(atomics, 1),
    STATS_COUNTER(bytes_in, 2),
    STATS_COUNTER(bytes_out, 2),
    STATS_COUNTER(fetch_round_trips, 2),
    STATS_COUNTER(hot_pages, 0),
    STATS_COUNTER(hot_unchanged, 0),
    STATS_COUNTER(ahead_pages, 0),
    STATS_COUNTER(exclusive_pages, 0),
    STATS_COUNTER(homes_moved, 0),
    STATS_COUNTER(lazy_releases, 0),
    STATS_COUNTER(evictions, 0),
    STATS_COUNTER(renewed_pages, 0),
    STATS_COUNTER(log_overflows, 0),
    STATS_COUNTER(word_ops, 0),
    STATS_COUNTER(checkpoints, 0),
    STATS_COUNTER(checkpoint_pages, 0),
    STATS_COUNTER(checkpoint_bytes, 0),
    STATS_COUNTER(checkpoint_us, 0),
    STATS_COUNTER(checkpoint_write_us, 0),
    STATS_COUNTER(minor_faults, KERNELS),
};
enum { COUNTERS = sizeof counters / sizeof counters[0] };

static inline uint64_t counter(const struct hlrc_stats *s, size_t i)
{
    return *(const uint64_t *)(const void *)((const char *)s + counters[i].at);
}

#endif
