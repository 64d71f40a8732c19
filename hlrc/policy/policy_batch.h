/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_batch.h - how much one step handles at once: pages whose protection one call changes,
 * prefetches that are started before arrived ones are opened, diffs that share a message. Sizes
 * are in bytes, runs in pages.
 */
#ifndef HLRC_POLICY_BATCH_H
#define HLRC_POLICY_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_BATCH_RUN      256u /* most pages whose locks are held together */
#define POLICY_BATCH_PREFETCH 32u
#define POLICY_BATCH_MESSAGE  (8192u - 16u)       /* payload */
#define POLICY_BATCH_DIFF     (4u + 512u + 4096u) /* the longest */
#define POLICY_BATCH_HEAD     8u                  /* before a diff */
#define POLICY_BATCH_TAIL     16u                 /* after a diff: its first write (hlrc/memory) */

/* What a diff of this length takes in a message. */
static inline uint32_t policy_batch_size(uint32_t length)
{
    return POLICY_BATCH_HEAD + ((length + 7) & ~7u);
}

/* Whether any diff fits into a message after `bytes` bytes. */
static inline bool policy_batch_fits(uint32_t bytes)
{
    return bytes + POLICY_BATCH_HEAD + POLICY_BATCH_DIFF + 8 + POLICY_BATCH_TAIL <=
           POLICY_BATCH_MESSAGE;
}

#endif
