/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/host_port.h"

#include "sim/fail.h"

#include <assert.h>
#include <stdlib.h>

void host_port_init(struct host_port *port, struct event_loop *loop,
                    const struct host_port_config *cfg)
{
    *port = (struct host_port){ .loop = loop, .cfg = *cfg, .free_tags = cfg->tags };
    link_init(&port->to_host, loop, cfg->latency, 0, cfg->rate);
    link_init(&port->to_nic, loop, cfg->latency, 0, cfg->rate);
    port->tag = sim_new(cfg->tags, sizeof *port->tag);
    port->free_tag = sim_new(cfg->tags, sizeof *port->free_tag);
    for (unsigned i = 0; i < cfg->tags; i++)
        port->free_tag[i] = cfg->tags - 1 - i;
}

void host_port_free(struct host_port *port)
{
    link_free(&port->to_host);
    link_free(&port->to_nic);
    free(port->queue);
    free(port->tag);
    free(port->free_tag);
}

static void send_more(struct host_port *port);

static void finish(void *self, uint64_t tag)
{
    struct host_port *port = self;
    struct host_request r = port->tag[tag];

    assert(r.done != NULL);
    port->tag[tag].done = NULL;
    port->free_tag[port->free_tags++] = (unsigned)tag;
    r.done(r.self, r.arg);
    send_more(port);
}

static void answer(void *self, uint64_t tag)
{
    struct host_port *port = self;

    link_send(&port->to_nic, port->cfg.answer_bytes, finish, port, tag);
}

static void read_arrives(void *self, uint64_t tag)
{
    struct host_port *port = self;

    event_after(port->loop, port->cfg.memory, answer, port, tag);
}

static void link_is_free(void *self, uint64_t arg)
{
    struct host_port *port = self;

    (void)arg;
    port->sends = false;
    send_more(port);
}

static void send_first(struct host_port *port)
{
    struct host_request r = port->queue[port->sent++ & (port->room - 1)];
    unsigned tag = port->free_tag[--port->free_tags];

    port->tag[tag] = r;
    if (r.write)
        link_send(&port->to_host, port->cfg.write_bytes, finish, port, tag);
    else
        link_send(&port->to_host, port->cfg.read_bytes, read_arrives, port, tag);
}

static void send_more(struct host_port *port)
{
    while (host_port_waiting(port) > 0) {
        if (port->free_tags == 0)
            return; /* finish() continues */
        if (port->to_host.free_at > port->loop->now) {
            if (!port->sends)
                event_at(port->loop, port->to_host.free_at, link_is_free, port, 0);
            port->sends = true;
            return;
        }
        send_first(port);
    }
}

static void grow(struct host_port *port)
{
    size_t room = port->room == 0 ? 16 : port->room * 2;
    struct host_request *queue = sim_new(room, sizeof *queue);

    for (uint64_t r = port->sent; r < port->asked; r++)
        queue[r & (room - 1)] = port->queue[r & (port->room - 1)];
    free(port->queue);
    port->queue = queue;
    port->room = room;
}

static void ask(struct host_port *port, struct host_request r)
{
    if (host_port_waiting(port) == port->room)
        grow(port);
    port->no_tag += port->free_tags == 0;
    port->queue[port->asked++ & (port->room - 1)] = r;
    send_more(port);
}

void host_port_read(struct host_port *port, event_fn done, void *self, uint64_t arg)
{
    port->reads++;
    ask(port, (struct host_request){ done, self, arg, false });
}

void host_port_write(struct host_port *port, event_fn done, void *self, uint64_t arg)
{
    port->writes++;
    ask(port, (struct host_request){ done, self, arg, true });
}

sim_time host_port_command(struct host_port *port, event_fn arrives, void *self, uint64_t arg)
{
    return link_send(&port->to_nic, port->cfg.command_bytes, arrives, self, arg);
}
