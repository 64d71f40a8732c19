/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/host_port.h"

#include "sim/fail.h"

#include <stdlib.h>

void host_port_init(struct host_port *port, struct event_loop *loop,
                    const struct host_port_config *cfg)
{
    *port = (struct host_port){ .loop = loop, .cfg = *cfg, .free_tags = cfg->tags };
    link_init(&port->to_host, loop, cfg->latency, cfg->rate);
    link_init(&port->to_nic, loop, cfg->latency, cfg->rate);
    port->last = &port->first;
}

static void host_port_send_more(struct host_port *port);

static void host_port_finish(void *self, uint64_t arg)
{
    struct host_port_request r = *(struct host_port_request *)self;

    (void)arg;
    free(self);
    r.port->free_tags++;
    r.done(r.self, r.arg);
    host_port_send_more(r.port);
}

static void host_port_answer(void *self, uint64_t arg)
{
    struct host_port *port = ((struct host_port_request *)self)->port;

    link_send(&port->to_nic, port->cfg.answer_bytes, host_port_finish, self, arg);
}

static void host_port_read_arrives(void *self, uint64_t arg)
{
    const struct host_port *port = ((struct host_port_request *)self)->port;

    event_after(port->loop, port->cfg.memory, host_port_answer, self, arg);
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
    struct host_port_request *r = port->first;

    port->first = r->next;
    if (port->first == NULL)
        port->last = &port->first;
    port->waiting--;
    port->free_tags--;
    if (r->write)
        link_send(&port->to_host, port->cfg.write_bytes, host_port_finish, r, 0);
    else
        link_send(&port->to_host, port->cfg.read_bytes, host_port_read_arrives, r, 0);
}

static void host_port_send_more(struct host_port *port)
{
    while (port->waiting > 0) {
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

static void host_port_ask(struct host_port *port, struct host_port_request *r)
{
    *port->last = r;
    port->last = &r->next;
    port->waiting++;
    port->no_tag += port->free_tags == 0;
    host_port_send_more(port);
}

void host_port_read(struct host_port *port, event_fn done, void *self, uint64_t arg)
{
    port->reads++;
    host_port_ask(port, FAIL_NEW(struct host_port_request, NULL, port, done, self, arg, false));
}

void host_port_write(struct host_port *port, event_fn done, void *self, uint64_t arg)
{
    port->writes++;
    host_port_ask(port, FAIL_NEW(struct host_port_request, NULL, port, done, self, arg, true));
}

sim_time host_port_command(struct host_port *port, event_fn arrives, void *self, uint64_t arg)
{
    return link_send(&port->to_nic, port->cfg.command_bytes, arrives, self, arg);
}
