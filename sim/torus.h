/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus.h - the number of routers between two nodes of a three-dimensional torus. */
#ifndef SIM_TORUS_H
#define SIM_TORUS_H

struct torus {
    unsigned side[3];
};

/* torus_for - a torus of NODES nodes, 1 at least, whose sides have the least sum */
struct torus torus_for(unsigned nodes);

/* torus_routers - number on the shortest path, both ends included: 1 from a node to itself */
unsigned torus_routers(const struct torus *t, unsigned from, unsigned to);

#endif
