/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/nic_barrier.h"

#include "sim/fail.h"
#include "sim/link.h"
#include "sim/random.h"
#include "sim/server.h"

#include <assert.h>
#include <stdlib.h>

/* The steps of a process in a barrier, in order. */
enum nic_barrier_verb { SEND, RECEIVE, LEAVE };

struct nic_barrier_step {
    enum nic_barrier_verb verb;
    unsigned node; /* of the partner, in the same group */
};

struct nic_barrier_process {
    struct nic_barrier *b;
    unsigned node, group;
    struct server cpu;
    struct nic_barrier_step *steps;
    unsigned count, next;
    bool *noted; /* by node of the sender: a message has arrived */
    bool inside; /* the script is running */
    unsigned entered, left;
};

struct nic_barrier_adapter {
    struct server processor;
    struct link out;
};

struct nic_barrier_epoch {
    unsigned entered, left;
    sim_time last_in;
};

/* A packet, which is the argument of its events. */
union nic_barrier_packet {
    struct {
        uint16_t from, to, group, answer; /* nodes; answer: to a packet of the host */
    };
    uint64_t arg;
};

struct nic_barrier {
    struct event_loop loop;
    const struct nic_barrier_config *cfg;
    struct sim_random random;
    struct nic_barrier_adapter *adapter;
    struct nic_barrier_process *process; /* by node and group */
    struct nic_barrier_epoch *epoch;     /* by group and number */
    struct tally last_in;
    uint64_t early;
};

static struct nic_barrier_process *nic_barrier_process_of(struct nic_barrier *b, unsigned node,
                                                          unsigned group)
{
    return &b->process[node * b->cfg->groups + group];
}

/* ---- scripts ---- */

static void nic_barrier_add_step(struct nic_barrier_process *p, enum nic_barrier_verb verb,
                                 unsigned node)
{
    p->steps[p->count++] = (struct nic_barrier_step){ verb, node };
}

static void nic_barrier_exchange(struct nic_barrier_process *p, unsigned node)
{
    nic_barrier_add_step(p, SEND, node);
    nic_barrier_add_step(p, RECEIVE, node);
}

/* As in MPICH if N is not a power of two: a node beyond the largest power reports its arrival to a
 * partner, which notifies it when all have arrived. */
static void nic_barrier_script_pairs(struct nic_barrier_process *p, unsigned nodes)
{
    unsigned whole = 1;

    while (whole * 2 <= nodes)
        whole *= 2;
    if (p->node >= whole) {
        nic_barrier_exchange(p, p->node - whole);
        nic_barrier_add_step(p, LEAVE, 0);
        return;
    }
    if (p->node + whole < nodes)
        nic_barrier_add_step(p, RECEIVE, p->node + whole);
    for (unsigned far = 1; far < whole; far *= 2)
        nic_barrier_exchange(p, p->node ^ far);
    if (p->node + whole < nodes)
        nic_barrier_add_step(p, SEND, p->node + whole);
    nic_barrier_add_step(p, LEAVE, 0);
}

static void nic_barrier_for_children(struct nic_barrier_process *p, enum nic_barrier_verb verb,
                                     unsigned nodes, unsigned dimension)
{
    for (unsigned i = 1; i <= dimension; i++)
        if (p->node * dimension + i < nodes)
            nic_barrier_add_step(p, verb, p->node * dimension + i);
}

/* An adapter notifies its host before it sends to the children; a host leaves after it
 * has sent. */
static void nic_barrier_script_tree(struct nic_barrier_process *p,
                                    const struct nic_barrier_config *cfg)
{
    nic_barrier_for_children(p, RECEIVE, cfg->nodes, cfg->dimension);
    if (p->node > 0)
        nic_barrier_exchange(p, (p->node - 1) / cfg->dimension);
    if (cfg->at_nic)
        nic_barrier_add_step(p, LEAVE, 0);
    nic_barrier_for_children(p, SEND, cfg->nodes, cfg->dimension);
    if (!cfg->at_nic)
        nic_barrier_add_step(p, LEAVE, 0);
}

static void nic_barrier_script(struct nic_barrier_process *p, const struct nic_barrier_config *cfg)
{
    p->steps =
        fail_alloc(2 * cfg->dimension + 70, sizeof *p->steps); /* two of 32 rounds, and six */
    if (cfg->algorithm == BARRIER_PE)
        nic_barrier_script_pairs(p, cfg->nodes);
    else
        nic_barrier_script_tree(p, cfg);
}

/* ---- packets ---- */

static uint64_t nic_barrier_packet_new(unsigned from, unsigned to, unsigned group, bool answer)
{
    return (union nic_barrier_packet){
        { (uint16_t)from, (uint16_t)to, (uint16_t)group, answer }
    }.arg;
}

/* Returns when the node's adapter completes work of that length. */
static sim_time nic_barrier_adapter_end(struct nic_barrier *b, unsigned node, sim_time length)
{
    sim_time busy = length * b->cfg->costs.busy / 100;

    return server_take(&b->adapter[node].processor, b->loop.now, busy) + (length - busy);
}

static void nic_barrier_adapter_does(struct nic_barrier *b, unsigned node, sim_time length,
                                     event_fn fn, uint64_t arg)
{
    event_at(&b->loop, nic_barrier_adapter_end(b, node, length), fn, b, arg);
}

static void nic_barrier_proceed(struct nic_barrier_process *p);

/* The message has arrived where the script runs. */
static void nic_barrier_delivered(void *self, uint64_t arg)
{
    struct nic_barrier *b = self;
    union nic_barrier_packet m = { .arg = arg };
    struct nic_barrier_process *p = nic_barrier_process_of(b, m.to, m.group);

    assert(!p->noted[m.from]);
    p->noted[m.from] = true;
    if (!p->inside || p->steps[p->next].verb != RECEIVE || p->steps[p->next].node != m.from)
        b->early++;
    if (p->inside)
        nic_barrier_proceed(p);
}

static void nic_barrier_host_takes(void *self, uint64_t arg)
{
    struct nic_barrier *b = self;
    union nic_barrier_packet m = { .arg = arg };
    struct nic_barrier_process *p = nic_barrier_process_of(b, m.to, m.group);

    event_at(&b->loop, server_take(&p->cpu, b->loop.now, b->cfg->costs.hrecv),
             nic_barrier_delivered, b, arg);
}

static void nic_barrier_packet_leaves(void *self, uint64_t arg);

static void nic_barrier_received(void *self, uint64_t arg)
{
    struct nic_barrier *b = self;
    union nic_barrier_packet m = { .arg = arg };

    if (m.answer)
        return;
    if (b->cfg->at_nic) {
        nic_barrier_delivered(b, arg);
        return;
    }
    nic_barrier_adapter_does(b, m.to, b->cfg->costs.rdma, nic_barrier_host_takes, arg);
    if (b->cfg->costs.ack > 0)
        nic_barrier_adapter_does(b, m.to, b->cfg->costs.ack, nic_barrier_packet_leaves,
                                 nic_barrier_packet_new(m.to, m.from, m.group, true));
}

static void nic_barrier_packet_comes(void *self, uint64_t arg)
{
    struct nic_barrier *b = self;
    union nic_barrier_packet m = { .arg = arg };

    nic_barrier_adapter_does(b, m.to, m.answer ? b->cfg->costs.ack : b->cfg->costs.recv,
                             nic_barrier_received, arg);
}

static void nic_barrier_packet_leaves(void *self, uint64_t arg)
{
    struct nic_barrier *b = self;
    union nic_barrier_packet m = { .arg = arg };

    link_send(&b->adapter[m.from].out, b->cfg->costs.bytes, nic_barrier_packet_comes, b, arg);
}

static void nic_barrier_adapter_sends(void *self, uint64_t arg)
{
    struct nic_barrier *b = self;
    union nic_barrier_packet m = { .arg = arg };
    sim_time length = b->cfg->at_nic ? b->cfg->costs.work : b->cfg->costs.sdma;

    nic_barrier_adapter_does(b, m.from, length, nic_barrier_packet_leaves, arg);
}

/* ---- processes ---- */

static struct nic_barrier_epoch *nic_barrier_epoch_of(struct nic_barrier_process *p,
                                                      unsigned number)
{
    return &p->b->epoch[p->group * p->b->cfg->barriers + number];
}

static void nic_barrier_begin(void *self, uint64_t arg);

/* The process enters: the host begins at once, the adapter when the command has arrived. The CPU
 * then computes until it looks for messages. */
static void nic_barrier_enter(void *self, uint64_t arg)
{
    struct nic_barrier_process *p = self;
    struct nic_barrier *b = p->b;
    struct nic_barrier_epoch *e = nic_barrier_epoch_of(p, p->entered++);

    (void)arg;
    e->entered++;
    e->last_in = b->loop.now;
    if (b->cfg->at_nic)
        event_at(&b->loop, server_take(&p->cpu, b->loop.now, b->cfg->costs.send), nic_barrier_begin,
                 p, 0);
    else
        nic_barrier_begin(p, 0);
    (void)server_take(&p->cpu, b->loop.now, b->cfg->compute);
}

static void nic_barrier_enter_next(struct nic_barrier_process *p)
{
    struct nic_barrier *b = p->b;

    if (p->entered < b->cfg->barriers)
        event_after(&b->loop,
                    b->cfg->skew > 0 ? random_number_below(&b->random, b->cfg->skew + 1) : 0,
                    nic_barrier_enter, p, 0);
}

static void nic_barrier_leave(void *self, uint64_t arg)
{
    struct nic_barrier_process *p = self;
    struct nic_barrier_epoch *e = nic_barrier_epoch_of(p, p->left++);

    (void)arg;
    assert(e->entered == p->b->cfg->nodes);
    if (++e->left == p->b->cfg->nodes)
        tally_add(&p->b->last_in, p->b->loop.now - e->last_in);
    nic_barrier_enter_next(p);
}

static void nic_barrier_host_told(void *self, uint64_t arg)
{
    struct nic_barrier_process *p = self;

    (void)arg;
    event_at(&p->b->loop, server_take(&p->cpu, p->b->loop.now, p->b->cfg->costs.hrecv),
             nic_barrier_leave, p, 0);
}

static void nic_barrier_send_step(struct nic_barrier_process *p, unsigned to)
{
    struct nic_barrier *b = p->b;
    uint64_t m = nic_barrier_packet_new(p->node, to, p->group, false);

    if (b->cfg->at_nic)
        nic_barrier_adapter_sends(b, m);
    else
        event_at(&b->loop, server_take(&p->cpu, b->loop.now, b->cfg->costs.send),
                 nic_barrier_adapter_sends, b, m);
}

static void nic_barrier_leave_step(struct nic_barrier_process *p)
{
    struct nic_barrier *b = p->b;

    if (b->cfg->at_nic)
        event_at(&b->loop, nic_barrier_adapter_end(b, p->node, b->cfg->costs.rdma),
                 nic_barrier_host_told, p, 0);
    else
        event_at(&b->loop, server_take(&p->cpu, b->loop.now, 0), nic_barrier_leave, p, 0);
}

/* Runs the script until it needs a message that has not arrived. */
static void nic_barrier_proceed(struct nic_barrier_process *p)
{
    for (; p->next < p->count; p->next++) {
        const struct nic_barrier_step *s = &p->steps[p->next];

        if (s->verb == RECEIVE && !p->noted[s->node])
            return;
        if (s->verb == RECEIVE)
            p->noted[s->node] = false;
        else if (s->verb == SEND)
            nic_barrier_send_step(p, s->node);
        else
            nic_barrier_leave_step(p);
    }
    p->inside = false;
}

static void nic_barrier_begin(void *self, uint64_t arg)
{
    struct nic_barrier_process *p = self;

    (void)arg;
    assert(!p->inside);
    p->inside = true;
    p->next = 0;
    nic_barrier_proceed(p);
}

/* ---- one simulation ---- */

static void nic_barrier_init(struct nic_barrier *b, const struct nic_barrier_config *cfg)
{
    unsigned processes = cfg->nodes * cfg->groups;

    *b = (struct nic_barrier){ .cfg = cfg, .random = { cfg->seed } };
    event_loop_init(&b->loop);
    b->adapter = fail_alloc(cfg->nodes, sizeof *b->adapter);
    b->process = fail_alloc(processes, sizeof *b->process);
    b->epoch = fail_alloc((size_t)cfg->groups * cfg->barriers, sizeof *b->epoch);
    for (unsigned n = 0; n < cfg->nodes; n++)
        link_init(&b->adapter[n].out, &b->loop, cfg->costs.network, cfg->costs.rate);
    for (unsigned i = 0; i < processes; i++) {
        struct nic_barrier_process *p = &b->process[i];

        *p = (struct nic_barrier_process){ .b = b,
                                           .node = i / cfg->groups,
                                           .group = i % cfg->groups };
        p->noted = fail_alloc(cfg->nodes, sizeof *p->noted);
        nic_barrier_script(p, cfg);
        nic_barrier_enter_next(p);
    }
}

static void nic_barrier_free(struct nic_barrier *b)
{
    for (unsigned i = 0; i < b->cfg->nodes * b->cfg->groups; i++) {
        free(b->process[i].noted);
        free(b->process[i].steps);
    }
    free(b->adapter);
    free(b->process);
    free(b->epoch);
    event_loop_free(&b->loop);
}

struct nic_barrier_result nic_barrier_run(const struct nic_barrier_config *cfg)
{
    struct nic_barrier_result r = { 0 };
    struct nic_barrier b;

    nic_barrier_init(&b, cfg);
    event_loop_run(&b.loop);
    for (unsigned i = 0; i < cfg->nodes * cfg->groups; i++)
        assert(b.process[i].left == cfg->barriers);
    r.time = b.loop.now;
    r.last_in = b.last_in;
    r.early = b.early;
    r.events = b.loop.done;
    for (unsigned n = 0; n < cfg->nodes; n++) {
        double used = r.time > 0 ? (double)b.adapter[n].processor.busy / (double)r.time : 0;

        if (r.nic_used < used)
            r.nic_used = used;
    }
    nic_barrier_free(&b);
    return r;
}

/* ---- equations ---- */

static unsigned nic_barrier_rounds(unsigned nodes)
{
    unsigned r = 0;

    while (nodes > 1U << r)
        r++;
    return r;
}

double nic_barrier_equation_host(const struct nic_barrier_costs *c, unsigned nodes)
{
    return (double)nic_barrier_rounds(nodes) *
           (double)(c->send + c->sdma + c->network + c->recv + c->rdma + c->hrecv);
}

double nic_barrier_equation_nic(const struct nic_barrier_costs *c, unsigned nodes)
{
    return (double)(c->send + c->rdma + c->hrecv) +
           (double)nic_barrier_rounds(nodes) * (double)(c->network + c->recv);
}

double nic_barrier_equation_printed(const struct nic_barrier_costs *c, unsigned nodes)
{
    return (double)c->send +
           (double)nic_barrier_rounds(nodes) * (double)(c->network + c->recv + c->rdma + c->hrecv);
}
