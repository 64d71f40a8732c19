/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/link.h"

#include <assert.h>

#define PS_PER_S UINT64_C(1000000000000)

void link_init(struct link *link, struct event_loop *loop, sim_time latency, uint64_t rate)
{
    assert(rate > 0 && rate <= PS_PER_S);
    *link = (struct link){ .loop = loop, .latency = latency, .rate = rate };
}

sim_time link_send(struct link *link, uint64_t bytes, event_fn fn, void *self, uint64_t arg)
{
    sim_time begin = link->free_at;

    assert(bytes < UINT64_C(1) << 24);
    if (begin < link->loop->now) {
        begin = link->loop->now;
        link->rest = 0;
    }
    uint64_t parts = bytes * PS_PER_S + link->rest; /* in 1 / rate ps */
    link->free_at = begin + parts / link->rate;
    link->rest = parts % link->rate;
    link->busy += link->free_at - begin;
    link->bytes += bytes;
    event_at(link->loop, link->free_at + link->latency, fn, self, arg);
    return link->free_at;
}
