/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_state.h - what a checkpoint has besides pages: numbers of locks, condition variables
 * and atomic words, the words' values, this node's blocks of the heap, its part of each window,
 * and the private memory of hlrc_protect.
 *
 * All locks are free and no thread waits, so locks and condition variables have no other state. The
 * heap's tables are shared memory.
 */
#ifndef HLRC_CHECKPOINT_STATE_H
#define HLRC_CHECKPOINT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_file.h"

void checkpoint_state_end(void);

void checkpoint_state_save(struct checkpoint_file *f);

/* Begins to load: the heap has no blocks, no number is assigned. 0 or a negative errno. */
int checkpoint_state_load_begin(void);
/* The state of one of `nodes` saved nodes. Ends the job with one line if the program has protected
 * other memory, or made other windows. */
void checkpoint_state_load(struct checkpoint_file *f, uint32_t node, uint32_t nodes);
void checkpoint_state_skip(struct checkpoint_file *f);
/* Collective, after the states of all nodes: each has loaded its own at least. 0, or -ERANGE: more
 * numbers are in use than these nodes have. */
int checkpoint_state_load_end(void);
/* After the pages of all nodes: this node owns the blocks that it has taken over. May fault. */
void checkpoint_state_adopt(void);

#endif
