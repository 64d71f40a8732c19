/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * slots.h - which entries of an array that grows are free. Those that were given back last are
 * taken first, those that never were in their order.
 */
#ifndef SIM_SLOTS_H
#define SIM_SLOTS_H

#include "sim/fail.h"

struct slots {
    unsigned *next; /* of each free entry, the one that is taken behind it: 1 more; 0: none */
    unsigned room, first;
};

/* slots_grow - when none is free: twice as many, of which the array is to have room for; returns
 * how many these are */
static inline unsigned slots_grow(struct slots *s)
{
    unsigned before = s->room;

    s->room = before == 0 ? 64 : before * 2;
    s->next = sim_again(s->next, s->room, sizeof *s->next);
    for (unsigned i = before; i < s->room; i++)
        s->next[i] = i + 1 < s->room ? i + 2 : 0;
    s->first = before + 1;
    return s->room;
}

/* ASSUMPTION: one is free, s->first != 0. */
static inline unsigned slots_take(struct slots *s)
{
    unsigned number = s->first - 1;

    s->first = s->next[number];
    return number;
}

static inline void slots_give(struct slots *s, unsigned number)
{
    s->next[number] = s->first;
    s->first = number + 1;
}

#endif
