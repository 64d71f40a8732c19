/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rmw.h - atomic operations on words of windows, by the fabric's atomics, for the owner too (rule
 * 8, [fabric.atomics-only]). `call` is the public call, for messages. */
#ifndef HLRC_RMW_H
#define HLRC_RMW_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>

#include "hlrc/sync/change.h"

/* Returns 0 and the old value of the word, or a negative errno value. Waits for the network. */
int rmw_perform(const char *call, void *word, const struct change *c, int node, uint64_t *old);

/* True if rmw_start() takes the operation: the fabric has it for 8 bytes, and it may store the old
 * value at `old` later. */
bool rmw_queues(const struct change *c, const void *old);

/* Queues the operation (rmw_queue.h). Returns 0, or a negative errno value. ASSUMPTION: rmw_queues.
 */
int rmw_start(const char *call, void *word, const struct change *c, void *old, int node,
              hlrc_handle_t *handle);

#endif
