/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * order.h - hlrc_release and hlrc_acquire: memory is ordered without a lock, and no node is
 * interrupted or waited for.
 *
 * Each node has the vector time of its last release in its window, and the number of its releases.
 * An acquire reads the numbers of all other nodes, and then the vector time of each node whose
 * number has risen since this node acquired from it.
 *
 * Invariants
 *   [order.published-first] A vector time is in the window only after all its intervals are
 *       published, and after the homes that have diffs without a wake have been woken
 *       [interval.quiet-diffs]. It covers what the node had acquired, too.
 *   [order.number-last] The number is raised after the vector time, and read before it. So the
 *       vector time is that of the number, or parts of it are later ones, as components only rise.
 *       More than the number promises is harmless, since it is published as well.
 *   [order.read-last] A release has raised the number before any later operation of its thread. An
 *       acquire reads the numbers after all earlier operations of its thread. So if any
 *       communication of the program puts a release before an acquire, also an atomic operation
 *       that orders nothing, the acquirer gets the release.
 *   [order.acquired-first] `acquired` of a node rises only after its vector time was acquired. So a
 *       thread that finds the number unchanged, and skips that node, misses nothing.
 */
#ifndef HLRC_ORDER_H
#define HLRC_ORDER_H

#include <stddef.h>
#include <stdint.h>

int order_init(void);
size_t order_bytes(int nodes); /* in the window of a node */

#endif
