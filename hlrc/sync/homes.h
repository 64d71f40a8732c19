/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * homes.h - homes that move: the round that all nodes make together, in a barrier.
 *
 *   arrive, release   some home has told all its list, and every node waits in this barrier
 *   each node         holds the pages of all lists (MV1)
 *   barrier           all that was written to them has reached their homes (barrier.h R4)
 *   new home          brings the page, has all versions up to now; all others drop their copies
 *   barrier           every node knows the new home
 *   each node         releases the pages
 *
 * Invariants
 *   MV1  While its home moves a page is held on every node: no thread is given access that it does
 *        not have, none is dirty, no fetch and no diff of it is under way. So who knows the old
 *        home and who knows the new one never work on it at the same time (page.h P6). The new home
 *        is complete before any node knows of it, and no other node keeps a copy.
 *   MV2  A round is made where every node waits in the same barrier, and in none that is arrived at
 *        and departed from by two calls: there a thread may do anything in between, and must not
 *        wait for other nodes' departure.
 *   MV3  A page moves at most TRIES_MOST times until it is given back.
 *   MV4  A page that its home's own threads use, and one that hlrc_place put somewhere, stays.
 */
#ifndef HLRC_HOMES_H
#define HLRC_HOMES_H

#include <stdbool.h>
#include <stdint.h>

/* Before this node arrives at the barrier of this number: if it has homes to move all nodes have
 * its list afterwards. Whether it has. Waits. */
bool homes_offer(uint64_t barrier);
/* All nodes wait in the barrier of this number, and one at least has a list. Waits; collective. */
void homes_move(uint64_t barrier);

#endif
