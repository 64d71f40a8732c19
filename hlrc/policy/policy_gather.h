/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_gather.h - barriers by counters: the tree of gatherings that a node's arrival climbs.
 *
 * The members of a level are consecutive groups of up to `fan`; each group is a gathering, and a
 * member of the next level. The counter of a gathering is at the first node that it represents.
 * Mechanism and rules: [barrier-counter.epochs].
 *
 * Source: the combining tree of Yew, Tzeng and Lawrie (Distributing Hot-Spot Addressing in
 * Large-Scale Multiprocessors, 1987).
 */
#ifndef HLRC_POLICY_GATHER_H
#define HLRC_POLICY_GATHER_H

#include <stdbool.h>
#include <stdint.h>

struct policy_gather {
    uint32_t number;  /* over all levels */
    uint32_t members; /* 1: it needs no counter */
    uint32_t member;  /* the arriving one, from 0 */
    int home;         /* node */
};

/* How far an arrival has come. */
struct policy_gather_climb {
    uint32_t fan;
    uint32_t member, members; /* at this level */
    uint32_t first;           /* number of the level's first gathering */
    uint32_t leaves;          /* nodes that a member represents, at most */
};

static inline struct policy_gather_climb policy_gather_begin(uint32_t node, uint32_t nodes,
                                                             uint32_t fan)
{
    return (struct policy_gather_climb){ fan < 2 ? 2 : fan, node, nodes, 0, 1 };
}

/* The next gathering up; false at the top. */
static inline bool policy_gather_next(struct policy_gather_climb *c, struct policy_gather *g)
{
    if (c->members <= 1)
        return false;
    uint32_t index = c->member / c->fan, left = c->members - index * c->fan,
             gatherings = (c->members + c->fan - 1) / c->fan;
    *g = (struct policy_gather){ .number = c->first + index,
                                 .members = left < c->fan ? left : c->fan,
                                 .member = c->member % c->fan,
                                 .home = (int)(index * c->fan * c->leaves) };
    c->first += gatherings;
    c->leaves *= c->fan;
    c->member = index;
    c->members = gatherings;
    return true;
}

#endif
