/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* server.h - a resource that does one thing after the other: a CPU, the processor of
 * an adapter. */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "sim/event.h"

struct server {
    sim_time free_at;
    sim_time busy; /* in total */
};

/* server_take - queues work of that length, available now, after all earlier work; returns the
 * time when it will be done */
static inline sim_time server_take(struct server *s, sim_time now, sim_time length)
{
    s->free_at = (s->free_at > now ? s->free_at : now) + length;
    s->busy += length;
    return s->free_at;
}

#endif
