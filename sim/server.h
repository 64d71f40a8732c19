/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* server.h - what does one thing after the other: a CPU, the processor of an adapter. */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "sim/event.h"

struct server {
    sim_time free_at;
    sim_time busy; /* in all */
};

/* server_take - the time when work of that length will be done which is there now; it begins when
 * all that came before is done */
static inline sim_time server_take(struct server *s, sim_time now, sim_time length)
{
    s->free_at = (s->free_at > now ? s->free_at : now) + length;
    s->busy += length;
    return s->free_at;
}

#endif
