/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_tree.h - the octree of the bodies, built by all nodes without a lock, and forces from it.
 * barnes_shared.h builds the same tree with locks.
 *
 * A cell is the smallest cube (barnes.h) around the bodies of a branch of the octree: cubes with
 * one occupied octant are left out, so every inner cell has two to eight children. A cell of at
 * most LEAF bodies, or of one key, is a leaf. The cells thus depend only on the bodies' positions.
 *
 * Building. The keys of a cell are a range, and so are the keys of a zone. A node builds, from its
 * own bodies only, all cells inside its zone: the largest of them, the roots, and the branches
 * below. The remaining cells are those that cross the border of a zone, at most KEY_LEVELS per
 * border; their children are roots, or cells of this kind. After a barrier every node makes these
 * top cells for itself from the roots of all nodes, in private memory. If one node made them, all
 * others would have to wait for it at one more barrier and then fetch them, while the roots are
 * fetched anyway. So no cell has two writers, and no lock is needed.
 *
 * A node stores its cells level by level, the roots first and the children of a cell
 * consecutively. The large cells, which distant nodes read, are thus in few pages: sixteen nodes
 * need a sixth fewer of them than in key order. A walk goes from an opened cell to its first
 * child, from any other to `next`: the cells are still visited in key order.
 *
 * Every cell's moments are summed over its children in key order, and the forces on a body over
 * the cells in the order of the walk. Neither depends on the number of nodes, so the results have
 * the same bits.
 *
 * Forces are computed from the cells' masses and second moments, with the softened potential -m /
 * sqrt(r^2 + eps^2). A cell is opened unless it is farther away than side / theta + offset (J. E.
 * Barnes, 1995: the criterion of Barnes and Hut, and the distance of the centre of mass from the
 * centre of the cube). For theta up to 1 a body is then outside the sphere about the centre of
 * mass that holds the cell, and the error has a bound: barnes_check.h.
 */
#ifndef APPS_BARNES_TREE_H
#define APPS_BARNES_TREE_H

#include "apps/barnes.h"
#include "apps/barnes_cell.h"
#include "apps/barnes_shared.h"
#include "apps/barnes_zone.h"

/* In place of a child, among the top cells: the walk continues at cell `first` of node `count`. */
#define CELL_ROOT CELL_END

struct tree {
    const struct space *space;
    const struct body *body; /* array of all nodes */
    struct cell *top;        /* private */
    uint32_t top_used;
    size_t top_size;
    struct shared_tree *shared; /* used instead of the branches and the top, or NULL */
};

void tree_init(struct tree *tree, const struct space *s);

/* Builds the branches of this node's zone from the bodies in array `now`. */
void tree_build(const struct space *s, const struct zone *zone, int now);

/* After a barrier: builds the rest. */
void tree_join(struct tree *tree, const struct zone *zone, int now);

void tree_force(const struct tree *tree, struct force *force);

/* The bodies of a node's part. */
static inline const struct body *tree_bodies(const struct tree *tree, int node)
{
    return &tree->body[(size_t)node * tree->space->stride];
}

#endif
