/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * atomic.h - 64-bit words at a home node, node a mod N, changed atomically by any node. They order
 * no memory.
 *
 *   - (rule 8) All accesses to a word go one way, its owner's included: the fabric's atomics where
 *     the page protocol uses them, else requests to the home's handler.
 */
#ifndef HLRC_ATOMIC_H
#define HLRC_ATOMIC_H

#include <stdatomic.h>
#include <stdint.h>

struct request;

int atomic_words_init(void);
_Atomic uint64_t *atomic_word_here(uint32_t word); /* ASSUMPTION: this node is its home */
void atomic_serve(struct request *req);            /* at the word's home; does not wait */

#endif
