/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus.h - how many routers lie between two nodes of a torus of three dimensions. */
#ifndef SIM_TORUS_H
#define SIM_TORUS_H

struct torus {
    unsigned side[3];
};

/* torus_for - that of NODES nodes, 1 at least, whose sides add up to the least */
struct torus torus_for(unsigned nodes);

/* torus_routers - on the shortest way, those of both ends included: 1 from a node to itself */
unsigned torus_routers(const struct torus *t, unsigned from, unsigned to);

#endif
