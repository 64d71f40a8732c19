/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint.h - hlrc_checkpoint: all nodes save the job together, or restore it.
 *
 *   all nodes arrive  | node 0 decides whether a checkpoint is due
 *   each node         | takes back blocks of the heap that others have freed
 *   barrier           | all writes are at their homes [barrier.diffs-served]
 *   each node         | saves its state and its changed pages (checkpoint_save.h)
 *
 * A restart runs the program from its beginning. Its first hlrc_checkpoint zeroes the heap and
 * resets all homes, as hlrc_free_all does. Then the nodes store the saved pages by ordinary writes,
 * so that the number of nodes, the protocol and the homes may be other ones.
 *
 *   [checkpoint.manifest-last] The manifest of a checkpoint is written after all its files are on
 *       the disk, and no file that an earlier kept manifest needs is changed or removed before. So
 *       a death at any moment leaves a complete checkpoint.
 *   [checkpoint.all-or-none] A checkpoint that one node cannot write is none: no node counts its
 *       pages as saved. The next one is full.
 */
#ifndef HLRC_CHECKPOINT_H
#define HLRC_CHECKPOINT_H

/* Without --checkpoint and --restart none does anything. 0, or a negative errno after one line to
 * the user. */

/* Before the size of the space is chosen. `finalize` ends the job after a checkpoint that a batch
 * system has requested. */
int checkpoint_read(void (*finalize)(void));
int checkpoint_start(void);
/* Collective: waits until a checkpoint that has begun is complete, or has failed. */
void checkpoint_complete(void);
void checkpoint_end(void);

#endif
