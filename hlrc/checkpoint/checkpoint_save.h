/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_save.h - saves a checkpoint: it is captured while the program waits in
 * hlrc_checkpoint, and written while it runs.
 *
 *   the caller      | puts state and changed pages into a queue in memory (checkpoint_queue.h)
 *   all nodes       | barrier: each of them has captured its pages
 *   the caller      | returns
 *   a thread        | takes them from the queue, compresses and writes the file, syncs it
 *   the threads     | exchange (checkpoint_exchange.h): all files are complete
 *   with --partner  | each copies its file to the next node (checkpoint_partner.h)
 *   that of node 0  | writes the manifest, removes what is older than two checkpoints
 *   the threads     | exchange: the checkpoint is complete
 *   all callers     | wait for the threads, in the next call that needs it
 *
 * If the process can have no other thread or has no memory for it, the caller does all of this
 * before it returns.
 *
 *   [checkpoint.captured-first] No node returns from hlrc_checkpoint before all have captured their
 *       pages. Otherwise a later store would be in the checkpoint of a home that still reads.
 *   [checkpoint.one-at-a-time] A checkpoint begins after the one before has become complete, or has
 *       failed, at all nodes: its digests and its number depend on the result, and there is one
 *       exchange.
 *   [checkpoint.end-waits] A node enters the last barrier of the job after its thread has ended:
 *       the others' threads write to its control window, and the program expects its checkpoint.
 */
#ifndef HLRC_CHECKPOINT_SAVE_H
#define HLRC_CHECKPOINT_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_job.h"

void checkpoint_save_init(struct checkpoint_job *of);

/* Collective, after all writes are at their homes. Captures the checkpoint, which began at that
 * time (clock_ns). */
void checkpoint_save_begin(bool any, int64_t begun);
/* Waits until it is complete or has failed. 0, or the error that all nodes get. Without one, 0. */
int checkpoint_save_await(void);
/* One has begun, and no call has waited for it yet. */
bool checkpoint_save_is_pending(void);
/* That would not wait, at this node. */
bool checkpoint_save_is_done(void);

/* For a program that runs as one process: all of it. `leaves`: the process ends then. 0, a negative
 * errno after a line, or CHECKPOINT_IMAGE_RESUMED. */
int checkpoint_save_process(struct checkpoint_manifest *next, bool leaves,
                            struct checkpoint_result *all);
void checkpoint_save_report(uint32_t generation, const struct checkpoint_result *all,
                            int64_t stopped_ns, int64_t written_ns);

#endif
