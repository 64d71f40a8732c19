/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tally.h - statistics of integers, such as times in ps. They are exact, so that the order of the
 * values does not matter. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include <stdint.h>

struct tally {
    uint64_t count, sum, least, most;
};

static inline void tally_add(struct tally *t, uint64_t value)
{
    if (t->count == 0 || value < t->least)
        t->least = value;
    if (value > t->most)
        t->most = value;
    t->sum += value;
    t->count++;
}

static inline double tally_mean(const struct tally *t)
{
    return t->count == 0 ? 0 : (double)t->sum / (double)t->count;
}

#endif
