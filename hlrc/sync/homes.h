/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * homes.h - home migration: the round that all nodes make together, in a barrier.
 *
 *   arrive, release   some home has sent its list to all, and every node waits in this barrier
 *   each node         holds the pages of all lists [home-migration.held]
 *   barrier           all writes to them have reached their homes [barrier.diffs-served]
 *   new home          fetches the page, has all versions up to now; all others drop their copies
 *   barrier           every node knows the new home
 *   each node         releases the pages
 *
 * Invariants
 *   [home-migration.held] While its home migrates, a page is held on every node. No thread gets
 *       access that it does not have, the page is not dirty, and no fetch or diff of it is in
 *       flight. So a node that knows the old home and one that knows the new home never work on it
 *       at the same time (rule 7). The new home is complete before any node knows of it, and no
 *       other node keeps a copy.
 *   [home-migration.full-barrier] A round is made only where every node waits in the same barrier,
 *       and never in one that is entered by separate arrive and depart calls. Between those a
 *       thread may do anything, and must not wait for other nodes' departure.
 *   - A page migrates at most POLICY_MIGRATE_TRIES times until it is freed.
 *   - A page that its home's own threads use, or that hlrc_place placed, does not migrate.
 */
#ifndef HLRC_HOMES_H
#define HLRC_HOMES_H

#include <stdbool.h>
#include <stdint.h>

/* Before this node arrives at this barrier: sends its list to all nodes if it has homes to
 * migrate, and returns whether it has. Waits. */
bool homes_offer(uint64_t barrier);
/* All nodes wait in this barrier, and at least one has a list. Waits; collective. */
void homes_move(uint64_t barrier);

#endif
