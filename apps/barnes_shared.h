/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_shared.h - one octree of the bodies for all nodes, into which they insert their bodies
 * concurrently: the tree of SPLASH-2's Barnes (J. P. Singh, W.-D. Weber and A. Gupta, SPLASH:
 * Stanford parallel applications for shared-memory, Computer Architecture News 20, 1992; Woo et
 * al., ISCA 1995).
 *
 * Building. The root is a cell. A node takes the root, then the child of the octant that contains
 * the body, and so on. It ends at a leaf that has room for the body, or at an octant without a
 * child, for which it makes a leaf. A full leaf becomes an inner cell over new leaves for its
 * bodies. Cells come from a pool with a part for each node, and are identified by their index. A
 * leaf of the smallest size takes any number of bodies; those beyond the first LEAF are in cells
 * chained to it.
 *
 * Locks. A cell's bodies and children are written only under the lock of that cell. Locks are in a
 * table, indexed by a hash of the cell's index; a node holds one at a time. New cells are written
 * before they are linked, under the lock of the cell to which they are linked.
 *
 * Reads without a lock. On the way down a node first reads children without a lock. Under lazy
 * release consistency it may then see a stale child, which is none, or a part of its index, since
 * a node's changes arrive byte by byte. It may also see a child whose contents it does not see
 * yet: the maker's writes are visible only after an acquire of the lock under which the child was
 * linked. The child's own lock is another one, and perhaps was never held. So a node descends to a
 * child without a lock only if it has descended to it under the parent's lock before, in this
 * step, and the child is that of the octant. Otherwise it takes the parent's lock and reads again.
 *
 *   - From its linking to the barrier, a cell is written only under its own lock.
 *   - A node that takes the lock of a cell has held the lock of its parent since the cell was
 *     linked.
 *   - A child, once present, stays the same until the next step.
 *
 * From the rules above it follows that the holder of a cell's lock sees all of the cell.
 *
 * Moments. After a barrier each node finishes the cells that it made, level by level from the
 * deepest, with a barrier after each. An inner cell with one child is left out: its parent gets
 * the child, so that the remaining cells are those of barnes_tree.h. They do not depend on the
 * order of insertion: a leaf's bodies are summed in key order, which is the order of their
 * indices, and children in the order of octants. Forces have the same bits as with the other tree.
 *
 * How pages move. An insertion takes a lock, and its release sends the modified leaf to the page's
 * home. Zones share few leaves, but cells of all nodes share the locks. The large cells are read
 * by all after the barrier, as with the other tree; the indices of children and bodies are beside
 * the moments.
 */
#ifndef APPS_BARNES_SHARED_H
#define APPS_BARNES_SHARED_H

#include <stdatomic.h>

#include "apps/barnes.h"
#include "apps/barnes_cell.h"
#include "apps/barnes_zone.h"

#define SHARED_ROOT 0 /* node 0's first cell; as a child or a link: none */

struct shared_cell {
    struct cell cell; /* of a finished cell, except `next` and `child` */
    uint64_t cube;    /* a 1 bit, then the cube's key bits to its level; 0 for a chained cell */
    bool inner;
    uint32_t bodies, more;     /* of a leaf: number of bodies, and the cell with more of them */
    uint32_t finished;         /* cell of the finished tree: this one, or the only one below */
    _Atomic uint32_t child[8]; /* of an inner cell, by octant */
    uint32_t body[LEAF];       /* of a leaf, in any order; indices among those of all nodes */
};

struct shared_tree {
    const struct space *space;
    struct shared_cell *cell; /* shared, one part per node */
    size_t stride;            /* of a part */
    uint32_t used, depth;     /* of this node's part; its deepest level */
    uint32_t step;
    uint32_t *known;         /* private, by cell: last step in which this node reached it */
    uint32_t root;           /* of the finished tree */
    uint32_t lost;           /* bodies missing from the tree, of all steps */
    const struct body *body; /* of all nodes */
};

void shared_init(struct shared_tree *t, const struct space *s);

/* Makes the root. Called after the barrier that ends the walks of the last step, and before a
 * barrier that precedes shared_build(). */
void shared_begin(struct shared_tree *t);

/* Inserts this node's bodies, which are in array `now`. */
void shared_build(struct shared_tree *t, const struct zone *zone, int now);

/* After a barrier. Collective; the tree is complete when it returns. */
void shared_finish(struct shared_tree *t, const struct cube *cube);

void shared_force(const struct shared_tree *t, struct force *f);

#endif
