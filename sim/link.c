/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/link.h"

#include "sim/fail.h"

#include <assert.h>
#include <stdlib.h>

#define PS_PER_S UINT64_C(1000000000000)

void link_init(struct link *link, struct event_loop *loop, sim_time latency, sim_time gap,
               uint64_t rate)
{
    assert(rate > 0 && rate <= PS_PER_S);
    *link = (struct link){ .loop = loop, .latency = latency, .gap = gap, .rate = rate };
}

void link_free(struct link *link)
{
    free(link->way);
    link->way = NULL;
    link->room = 0;
}

static void link_grow(struct link *link)
{
    size_t room = link->room == 0 ? 16 : link->room * 2;
    struct link_message *way = fail_alloc(room, sizeof *way);

    for (uint64_t m = link->messages_out; m < link->messages_in; m++)
        way[m & (room - 1)] = link->way[m & (link->room - 1)];
    free(link->way);
    link->way = way;
    link->room = room;
}

/* All messages have the same latency, so the first to leave is the first to arrive. */
static void link_arrive(void *self, uint64_t number)
{
    struct link *link = self;
    struct link_message m = link->way[number & (link->room - 1)];

    assert(number == link->messages_out);
    link->messages_out++;
    link->bytes_out += m.bytes;
    m.fn(m.self, m.arg);
}

/* When the message may begin: after the previous one, and after its gap. */
static sim_time link_begin(struct link *link)
{
    sim_time now = link->loop->now, at = link->free_at;

    if (link->messages_in > 0 && at < link->began_at + link->gap)
        at = link->began_at + link->gap;
    if (at < now)
        at = now;
    if (at != link->free_at)
        link->rest = 0;
    return at;
}

sim_time link_send(struct link *link, uint64_t bytes, event_fn fn, void *self, uint64_t arg)
{
    assert(bytes < UINT64_C(1) << 24);
    if (link->messages_in - link->messages_out == link->room)
        link_grow(link);
    link->began_at = link_begin(link);
    uint64_t parts = bytes * PS_PER_S + link->rest; /* in 1 / rate ps */
    link->free_at = link->began_at + parts / link->rate;
    link->rest = parts % link->rate;
    link->busy += link->free_at - link->began_at;
    link->way[link->messages_in & (link->room - 1)] = (struct link_message){ fn, self, arg, bytes };
    link->bytes_in += bytes;
    event_at(link->loop, link->free_at + link->latency, link_arrive, link, link->messages_in++);
    return link->free_at;
}
