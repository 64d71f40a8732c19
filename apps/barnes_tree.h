/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_tree.h - the octree of the bodies, built by all nodes without a lock, and forces from it.
 * The same tree is built with locks by barnes_shared.h.
 *
 * A cell is the smallest cube (barnes.h) around the bodies of a branch of the octree: cubes with
 * one occupied octant are left out, so that every inner cell has two to eight children. A cell of
 * at most LEAF bodies, or of one key, is a leaf. The cells thus follow from the bodies' positions,
 * and from nothing else.
 *
 * Building. The keys of a cell are a range, and so are those of a zone. A node builds, of its own
 * bodies alone, all cells that lie in its zone: the largest of them, the roots, and the branches
 * below. What remains are the cells that reach across the border of a zone, at most KEY_LEVELS per
 * border; their children are roots, or cells of this kind. After a barrier every node makes these
 * top cells for itself of the roots of all nodes, in private memory: were one node to make them,
 * all others had to wait for it at one more barrier, and then to fetch them, while the roots are
 * fetched anyway. So no cell has two writers, and no lock is needed.
 *
 * A node lays out its cells level by level, the roots first and the children of a cell in a row.
 * What nodes far away look at, the large cells, is thus in few pages: sixteen nodes need a sixth
 * less of them than in the order of keys. A walk goes from a cell that is opened to its first
 * child, from any other to `next`: the cells come in the order of keys all the same.
 *
 * Every cell's moments are summed over its children in the order of keys, and the forces on a body
 * over the cells in the order of the walk. The number of nodes changes neither, and the results
 * have the same bits.
 *
 * Forces are those of the cells' masses and second moments, of the softened potential -m / sqrt(r^2
 * + eps^2). A cell is opened unless it is farther away than side / theta + offset (J. E. Barnes,
 * 1995: the criterion of Barnes and Hut, and the distance of the centre of mass from the centre of
 * the cube). For theta up to 1 a body is so outside the sphere about the centre of mass that holds
 * the cell, and the error has a bound: barnes_check.h.
 */
#ifndef APPS_BARNES_TREE_H
#define APPS_BARNES_TREE_H

#include "apps/barnes.h"
#include "apps/barnes_cell.h"
#include "apps/barnes_shared.h"
#include "apps/barnes_zone.h"

/* In place of a child, among the top cells: the walk goes on at cell `first` of node `count`. */
#define CELL_ROOT CELL_END

struct tree {
    const struct space *space;
    const struct body *body; /* array of all nodes */
    struct cell *top;        /* private */
    uint32_t top_used;
    size_t top_size;
    struct shared_tree *shared; /* instead of the branches and the top, or NULL */
};

void tree_init(struct tree *tree, const struct space *s);
void tree_free(struct tree *tree);

/* The branches of this node's zone, of bodies that are in array `now`. */
void tree_build(const struct space *s, const struct zone *zone, int now);

/* After a barrier: all the rest. */
void tree_join(struct tree *tree, const struct zone *zone, int now);

void tree_force(const struct tree *tree, struct force *force);

/* The bodies of a node's part. */
static inline const struct body *tree_bodies(const struct tree *tree, int node)
{
    return &tree->body[(size_t)node * tree->space->stride];
}

#endif
