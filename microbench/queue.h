/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The queue lock of Buntinas, Panda and Gropp (NIC-Based Atomic Remote Memory Operations in
 * Myrinet/GM, section IV), after MCS. Its word is an hlrc_atomic_t at its home, so an atomic is
 * performed by the fabric, or by the home's handler (--protocol async). Each node has its
 * successor and a flag in a window, where other nodes put them. Orders no shared memory.
 */
#ifndef MICROBENCH_QUEUE_H
#define MICROBENCH_QUEUE_H

#include <stdint.h>

/* Collective; once. Makes the lock, at node HOME. */
void queue_make(int home);

/* Collective: nodes 0 to COUNT-1 add to a counter under the lock. Returns the number of lost
 * additions, on every node. */
uint64_t queue_check(int count);

void queue_lock(void);
void queue_unlock(void);

#endif
