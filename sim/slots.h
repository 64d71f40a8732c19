/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * slots.h - the free entries of a growing array. The entry freed last is taken first; entries that
 * were never used are taken in order.
 */
#ifndef SIM_SLOTS_H
#define SIM_SLOTS_H

#include "sim/fail.h"

struct slots {
    unsigned *next; /* for each free entry, the next one to be taken, plus 1; 0: none */
    unsigned room, first;
};

/* slots_grow - call if none is free: doubles the number of slots and returns it; the array must
 * grow as well */
static inline unsigned slots_grow(struct slots *s)
{
    unsigned before = s->room;

    s->room = before == 0 ? 64 : before * 2;
    s->next = fail_realloc(s->next, s->room, sizeof *s->next);
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
