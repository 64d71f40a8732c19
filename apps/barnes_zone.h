/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_zone.h - which node computes which bodies: zones of equal cost in the order of keys
 * (costzones: J. P. Singh et al., Load balancing and data locality in adaptive hierarchical N-body
 * methods, JPDC 27, 1995).
 *
 * zone_sort() puts the bodies of a node, at their new positions, in the order of their keys, and
 * notes some places, cuts, that divide their cost evenly. After a barrier zone_gather() adds up the
 * cuts of all nodes, finds where this node's part of the whole cost begins and ends, and fetches
 * the bodies in it. Few change their node in a step: the others' bodies are looked at only where
 * the keys say that there are some of this zone.
 *
 * A cut is the border of a cube whose parent holds more than LEAF bodies. So no leaf has bodies of
 * two nodes, which the building of the tree relies on. Zones decide who computes and nothing else.
 */
#ifndef APPS_BARNES_ZONE_H
#define APPS_BARNES_ZONE_H

#include "apps/barnes.h"

struct zone {
    struct cube cube;    /* all bodies are in it */
    uint64_t begin, end; /* keys of this node */
    uint32_t count;      /* bodies of this node */
    struct entry *list;  /* private: they in order */
};

/* A box without bodies, and a box that takes a point in. */
struct box box_empty(void);
void box_add(struct box *box, double x, double y, double z);

void zone_init(struct zone *zone, const struct space *s);
void zone_free(struct zone *zone);

/* The key of a body's place. */
uint64_t body_key(const struct cube *cube, const struct body *b);

/* After a barrier. Bodies are those of arrays `old`, moved on by `drift`; zone->count is as the
 * last step left it. */
void zone_sort(struct zone *zone, const struct space *s, int old, double drift);

/* After the next barrier: bodies and positions of the other arrays. */
void zone_gather(struct zone *zone, const struct space *s, int old, double drift);

#endif
