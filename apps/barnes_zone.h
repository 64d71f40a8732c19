/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_zone.h - assigns bodies to nodes: zones of equal cost in key order (costzones: J. P.
 * Singh et al., Load balancing and data locality in adaptive hierarchical N-body methods, JPDC 27,
 * 1995).
 *
 * zone_sort() sorts the bodies of a node, at their new positions, by their keys, and records cuts
 * that divide their cost evenly. After a barrier zone_gather() adds up the cuts of all nodes,
 * finds the begin and end of this node's share of the total cost, and fetches the bodies in it.
 * Few bodies change their node in a step: the others' bodies are read only where the keys indicate
 * that some belong to this zone.
 *
 * A cut is the border of a cube whose parent holds more than LEAF bodies. So no leaf has bodies of
 * two nodes, which the tree building relies on. Zones determine only which node computes.
 */
#ifndef APPS_BARNES_ZONE_H
#define APPS_BARNES_ZONE_H

#include "apps/barnes.h"

struct zone {
    struct cube cube;    /* contains all bodies */
    uint64_t begin, end; /* key range of this node */
    uint32_t count;      /* bodies of this node */
    struct entry *list;  /* private: their entries, sorted */
};

/* An empty box; box_add() extends a box to contain a point. */
struct box box_empty(void);
void box_add(struct box *box, double x, double y, double z);

void zone_init(struct zone *zone, const struct space *s);

/* The key of a body's position. */
uint64_t body_key(const struct cube *cube, const struct body *b);

/* After a barrier. Uses the bodies of arrays `old`, moved by `drift`, and zone->count from the
 * last step. */
void zone_sort(struct zone *zone, const struct space *s, int old, double drift);

/* After the next barrier: fills in bodies and positions in the other arrays. */
void zone_gather(struct zone *zone, const struct space *s, int old, double drift);

#endif
