/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An adapter's path to its host's memory, modelled after HyperTransport: a link in each direction,
 * one queue of requests, and tags for outstanding requests.
 *
 *   - A request holds a tag from the start of its transmission until it is done: a read until the
 *     answer is back, a write until it has arrived at the memory. So at most `tags` are in
 *     progress.
 *   - Requests are sent in the order in which they were made.
 */
#ifndef SIM_HOST_PORT_H
#define SIM_HOST_PORT_H

#include "sim/link.h"

#include <stdbool.h>

struct host_port_config {
    unsigned tags;
    sim_time latency; /* one way */
    sim_time memory;  /* from a read's arrival to its answer */
    uint64_t rate;    /* bytes per second in each direction */
    unsigned read_bytes, write_bytes, answer_bytes, command_bytes;
};

struct host_port_request {
    struct host_port_request *next; /* in the queue */
    struct host_port *port;
    event_fn done;
    void *self;
    uint64_t arg;
    bool write;
};

struct host_port {
    struct event_loop *loop;
    struct host_port_config cfg;
    struct link to_host, to_nic;
    struct host_port_request *first, **last; /* not sent yet */
    uint64_t waiting;                        /* their number */
    unsigned free_tags;
    bool sends; /* an event is scheduled for when the link is free */
    uint64_t reads, writes, no_tag;
};

void host_port_init(struct host_port *port, struct event_loop *loop,
                    const struct host_port_config *cfg);

/* Reads or writes the host's memory; DONE is called at the end. */
void host_port_read(struct host_port *port, event_fn done, void *self, uint64_t arg);
void host_port_write(struct host_port *port, event_fn done, void *self, uint64_t arg);

/* host_port_command - a command from a CPU to its adapter; returns when the next one can follow */
sim_time host_port_command(struct host_port *port, event_fn arrives, void *self, uint64_t arg);

#endif
