/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_shared.h - the octree of the bodies, one for all nodes, into which they insert their
 * bodies at the same time: the tree of SPLASH-2's Barnes (J. P. Singh, W.-D. Weber and A. Gupta,
 * SPLASH: Stanford parallel applications for shared-memory, Computer Architecture News 20, 1992;
 * Woo et al., ISCA 1995).
 *
 * Building. The root is a cell; a node takes it, then the child in whose octant the body lies, and
 * so on down to a leaf that has room for the body, or an octant without a child, for which it makes
 * a leaf. A full leaf becomes an inner cell over new leaves for its bodies. Cells come from a pool
 * of which each node has its own part, and are known by their index. A leaf of the smallest size
 * takes any number of bodies, of which those beyond the first LEAF lie in cells chained to it.
 *
 * Locks. What a cell says of its bodies and children is written under the lock of that cell alone,
 * one of a table, chosen by a hash of the cell's index; a node holds one at a time. New cells are
 * written before they are linked, under the lock of the cell to which they are linked.
 *
 * Looking without a lock. On the way down a node looks at children without a lock first. Under lazy
 * release consistency it may then see an older child than others have written, that is none, or
 * part of its index, since a node's changes arrive byte by byte. And it may see a child of which it
 * does not yet see the contents: what the maker wrote is visible only after an acquire of the lock
 * under which it was linked, and the child's own lock, which was perhaps never held, is another. So
 * a node goes down to a child without a lock if it has gone down to it under the parent's lock
 * before, in this step, and the child is that of the octant; otherwise it takes the parent's lock
 * and looks again.
 *
 *   BS1  From its linking to the barrier, a cell is written under its own lock alone.
 *   BS2  Who takes the lock of a cell has held that of its parent since the cell was linked.
 *   BS3  A child, once there, stays the same until the next step.
 *
 * From BS1 and BS2 follows that the holder of a cell's lock sees all of the cell.
 *
 * Moments. After a barrier each node finishes the cells that it made, level by level from the
 * deepest, with a barrier after each. An inner cell with one child is left out then: its parent
 * gets the child, so that the cells that remain are those of barnes_tree.h. Nothing about them
 * depends on the order of insertion: a leaf's bodies are summed in the order of keys, which is that
 * of their indices, and children in that of octants. Forces have the same bits as with the other
 * tree.
 *
 * How pages move. An insertion is a lock, and its release sends what was written, a leaf, to the
 * page's home. Zones meet in few leaves, but cells of all nodes share the locks. The large cells
 * are read by all after the barrier, as with the other tree; the indices of children and bodies lie
 * beside the moments.
 */
#ifndef APPS_BARNES_SHARED_H
#define APPS_BARNES_SHARED_H

#include <stdatomic.h>

#include "apps/barnes.h"
#include "apps/barnes_cell.h"
#include "apps/barnes_zone.h"

#define SHARED_ROOT 0 /* node 0's first cell; as a child or a link: none */

struct shared_cell {
    struct cell cell; /* of a finished cell, but for `next` and `child` */
    uint64_t cube;    /* a bit, and the key of the cube to its level; 0 for one chained to a leaf */
    bool inner;
    uint32_t bodies, more;     /* of a leaf: how many it has, and the cell with more of them */
    uint32_t finished;         /* instead of this cell: itself, or the only cell below */
    _Atomic uint32_t child[8]; /* of an inner cell, by octant */
    uint32_t body[LEAF];       /* of a leaf, in any order; indices among those of all nodes */
};

struct shared_tree {
    const struct space *space;
    struct shared_cell *cell; /* shared; a part for each node */
    size_t stride;            /* of a part */
    uint32_t used, depth;     /* of this node's part; its deepest level */
    uint32_t step;
    uint32_t *known; /* private, by cell: the last step in which this node reached it (BS2) */
    uint32_t root;   /* of the finished tree */
    uint32_t lost;   /* bodies that were not in the tree, of all steps */
    const struct body *body; /* of all nodes */
};

void shared_init(struct shared_tree *t, const struct space *s);
void shared_free(struct shared_tree *t);

/* Makes the root. Between a barrier that ends the walks of the last step and one before
 * shared_build(). */
void shared_begin(struct shared_tree *t);

/* Inserts this node's bodies, which are in array `now`. */
void shared_build(struct shared_tree *t, const struct zone *zone, int now);

/* After a barrier. Collective; the tree is complete when it returns. */
void shared_finish(struct shared_tree *t, const struct cube *cube);

void shared_force(const struct shared_tree *t, struct force *f);

#endif
