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
    port->tag = fail_alloc(cfg->tags, sizeof *port->tag);
    port->free_tag = fail_alloc(cfg->tags, sizeof *port->free_tag);
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

static void host_port_send_more(struct host_port *port);

static void host_port_finish(void *self, uint64_t tag)
{
    struct host_port *port = self;
    struct host_port_request r = port->tag[tag];

    assert(r.done != NULL);
    port->tag[tag].done = NULL;
    port->free_tag[port->free_tags++] = (unsigned)tag;
    r.done(r.self, r.arg);
    host_port_send_more(port);
}

static void host_port_answer(void *self, uint64_t tag)
{
    struct host_port *port = self;

    link_send(&port->to_nic, port->cfg.answer_bytes, host_port_finish, port, tag);
}

static void host_port_read_arrives(void *self, uint64_t tag)
{
    struct host_port *port = self;

    event_after(port->loop, port->cfg.memory, host_port_answer, port, tag);
}

static void host_port_link_is_free(void *self, uint64_t arg)
{
    struct host_port *port = self;

    (void)arg;
    port->sends = false;
    host_port_send_more(port);
}

static void host_port_send_first(struct host_port *port)
{
    struct host_port_request r = port->queue[port->sent++ & (port->room - 1)];
    unsigned tag = port->free_tag[--port->free_tags];

    port->tag[tag] = r;
    if (r.write)
        link_send(&port->to_host, port->cfg.write_bytes, host_port_finish, port, tag);
    else
        link_send(&port->to_host, port->cfg.read_bytes, host_port_read_arrives, port, tag);
}

static void host_port_send_more(struct host_port *port)
{
    while (host_port_waiting(port) > 0) {
        if (port->free_tags == 0)
            return; /* host_port_finish() continues */
        if (port->to_host.free_at > port->loop->now) {
            if (!port->sends)
                event_at(port->loop, port->to_host.free_at, host_port_link_is_free, port, 0);
            port->sends = true;
            return;
        }
        host_port_send_first(port);
    }
}

static void host_port_grow(struct host_port *port)
{
    size_t room = port->room == 0 ? 16 : port->room * 2;
    struct host_port_request *queue = fail_alloc(room, sizeof *queue);

    for (uint64_t r = port->sent; r < port->asked; r++)
        queue[r & (room - 1)] = port->queue[r & (port->room - 1)];
    free(port->queue);
    port->queue = queue;
    port->room = room;
}

static void host_port_ask(struct host_port *port, struct host_port_request r)
{
    if (host_port_waiting(port) == port->room)
        host_port_grow(port);
    port->no_tag += port->free_tags == 0;
    port->queue[port->asked++ & (port->room - 1)] = r;
    host_port_send_more(port);
}

void host_port_read(struct host_port *port, event_fn done, void *self, uint64_t arg)
{
    port->reads++;
    host_port_ask(port, (struct host_port_request){ done, self, arg, false });
}

void host_port_write(struct host_port *port, event_fn done, void *self, uint64_t arg)
{
    port->writes++;
    host_port_ask(port, (struct host_port_request){ done, self, arg, true });
}

sim_time host_port_command(struct host_port *port, event_fn arrives, void *self, uint64_t arg)
{
    return link_send(&port->to_nic, port->cfg.command_bytes, arrives, self, arg);
}
