/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/torus.h"

struct torus torus_for(unsigned nodes)
{
    struct torus best = { { nodes, 1, 1 } };

    for (unsigned a = 1; a * a * a <= nodes; a++)
        for (unsigned b = a; nodes % a == 0 && a * b * b <= nodes; b++) {
            unsigned c = nodes / a / b;

            if (nodes % (a * b) == 0 && a + b + c <= best.side[0] + best.side[1] + best.side[2])
                best = (struct torus){ { c, b, a } };
        }
    return best;
}

unsigned torus_routers(const struct torus *t, unsigned from, unsigned to)
{
    unsigned routers = 1;

    for (int d = 0; d < 3; d++) {
        unsigned side = t->side[d], a = from % side, b = to % side;
        unsigned way = a > b ? a - b : b - a;

        routers += way < side - way ? way : side - way;
        from /= side;
        to /= side;
    }
    return routers;
}
