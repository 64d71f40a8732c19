/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/atomics.h"

#include "sim/fail.h"
#include "sim/random.h"
#include "sim/torus.h"

#include <stdlib.h>

#define PES_PER_NODE 2
#define WORD         8

struct atomics_pe {
    unsigned left, outstanding, next_word;
    uint64_t word[ATOMICS_WORDS];
    sim_time cpu_free; /* when it can apply the next update of another PE */
};

struct atomics_node {
    struct atomics_system *system;
    unsigned number;
    struct host_port port;
    struct atomic_unit unit;
    struct link out, in;
    unsigned turn;     /* the PE that is first to send the next command */
    sim_time command;  /* when the next one can follow */
    bool commands;     /* an event for that time is scheduled */
    unsigned cpu_turn; /* the PE that applies the next update */
};

/* A message in transit. */
struct atomics_message {
    struct atomics_system *system;
    uint64_t address;
    sim_time began;
    unsigned pe, to;
};

struct atomics_system {
    struct event_loop loop;
    const struct atomics_config *cfg;
    struct torus torus;
    struct sim_random random;
    unsigned nodes;
    struct atomics_node *node;
    struct atomics_pe *pe;
    uint64_t done;
    struct tally latency;
};

/* ---- messages ---- */

static void atomics_commands_more(struct atomics_node *node);

/* The result is written: the sending PE may send another message. */
static void atomics_message_done(void *self, uint64_t arg)
{
    struct atomics_message *m = self;
    struct atomics_system *s = m->system;
    unsigned pe = m->pe;

    (void)arg;
    tally_add(&s->latency, s->loop.now - m->began);
    s->done++;
    free(m);
    s->pe[pe].outstanding--;
    atomics_commands_more(&s->node[pe / PES_PER_NODE]);
}

static void atomics_unit_done(void *self, uint64_t message)
{
    (void)self;
    atomics_message_done((void *)(uintptr_t)message, 0);
}

/* An update by a message has arrived in memory; one of the node's PEs applies it. */
static void atomics_in_memory(void *self, uint64_t arg)
{
    struct atomics_message *m = self;
    struct atomics_system *s = m->system;
    struct atomics_node *node = &s->node[m->to];
    struct atomics_pe *pe = &s->pe[node->number * PES_PER_NODE + node->cpu_turn];

    node->cpu_turn = (node->cpu_turn + 1) % PES_PER_NODE;
    if (pe->cpu_free < s->loop.now)
        pe->cpu_free = s->loop.now;
    pe->cpu_free += s->cfg->cpu_update;
    event_at(&s->loop, pe->cpu_free, atomics_message_done, m, arg);
}

static void atomics_at_target(void *self, uint64_t arg)
{
    struct atomics_message *m = self;
    struct atomics_node *node = &m->system->node[m->to];

    if (m->system->cfg->workload == WORKLOAD_SHMEM)
        host_port_write(&node->port, atomics_in_memory, m, arg);
    else
        atomic_unit_add(&node->unit, m->address, (uintptr_t)m);
}

static void atomics_at_last_router(void *self, uint64_t arg)
{
    struct atomics_message *m = self;

    link_send(&m->system->node[m->to].in, m->system->cfg->message_bytes, atomics_at_target, m, arg);
}

static void atomics_at_first_router(void *self, uint64_t arg)
{
    struct atomics_message *m = self;
    struct atomics_system *s = m->system;
    unsigned routers = torus_routers(&s->torus, m->pe / PES_PER_NODE, m->to);

    event_after(&s->loop, routers * s->cfg->router, atomics_at_last_router, m, arg);
}

/* A command has arrived at the adapter of its CPU. A message for the same node stays in it. */
static void atomics_at_adapter(void *self, uint64_t arg)
{
    struct atomics_message *m = self;
    struct atomics_system *s = m->system;
    unsigned from = m->pe / PES_PER_NODE;

    if (m->to == from)
        atomics_at_target(m, arg);
    else
        link_send(&s->node[from].out, s->cfg->message_bytes, atomics_at_first_router, m, arg);
}

/* ---- commands ---- */

static void atomics_choose_target(struct atomics_system *s, struct atomics_pe *pe,
                                  struct atomics_message *m)
{
    switch (s->cfg->workload) {
    case WORKLOAD_ONE:
    case WORKLOAD_SIXTEEN:
        m->to = 0;
        m->address = pe->word[pe->next_word];
        pe->next_word = (pe->next_word + 1) % ATOMICS_WORDS;
        break;
    case WORKLOAD_RANDOM:
    case WORKLOAD_SHMEM:
        m->to = (unsigned)random_number_below(&s->random, s->nodes);
        m->address = random_number_below(&s->random, s->cfg->table) * WORD;
        break;
    }
}

static struct atomics_pe *atomics_next_pe(struct atomics_node *node)
{
    for (unsigned i = 0; i < PES_PER_NODE; i++) {
        unsigned which = (node->turn + i) % PES_PER_NODE;
        struct atomics_pe *pe = &node->system->pe[node->number * PES_PER_NODE + which];

        if (pe->left > 0 && pe->outstanding < node->system->cfg->outstanding) {
            node->turn = (which + 1) % PES_PER_NODE;
            return pe;
        }
    }
    return NULL;
}

static void atomics_command_turn(void *self, uint64_t arg)
{
    struct atomics_node *node = self;

    (void)arg;
    node->commands = false;
    atomics_commands_more(node);
}

/* The CPUs send one command after the other, as the port accepts them. */
static void atomics_commands_more(struct atomics_node *node)
{
    struct atomics_system *s = node->system;

    if (node->commands)
        return;
    if (node->command > s->loop.now) {
        node->commands = true;
        event_at(&s->loop, node->command, atomics_command_turn, node, 0);
        return;
    }
    struct atomics_pe *pe = atomics_next_pe(node);
    if (pe == NULL)
        return;
    struct atomics_message *m = FAIL_NEW(struct atomics_message, .system = s, .began = s->loop.now,
                                         .pe = (unsigned)(pe - s->pe));
    atomics_choose_target(s, pe, m);
    pe->left--;
    pe->outstanding++;
    node->command = host_port_command(&node->port, atomics_at_adapter, m, 0);
    node->commands = true;
    event_at(&s->loop, node->command, atomics_command_turn, node, 0);
}

/* ---- one simulation ---- */

static bool atomics_takes_part(const struct atomics_config *cfg, unsigned pe)
{
    return pe > 0 || cfg->workload == WORKLOAD_RANDOM || cfg->workload == WORKLOAD_SHMEM;
}

/* No two PEs share a word, as if each had a part of the table. */
static void atomics_choose_words(struct atomics_system *s, unsigned number)
{
    uint64_t part = s->cfg->table / s->cfg->pes;
    uint64_t base = random_number_below(&s->random, part - ATOMICS_WORDS + 1), word = 0;

    for (unsigned i = 0; i < ATOMICS_WORDS; i++) {
        if (s->cfg->workload == WORKLOAD_ONE)
            word = 0;
        else if (s->cfg->in_a_row)
            word = number * part + base + i;
        else
            word = number * part + i * (part / ATOMICS_WORDS) +
                   random_number_below(&s->random, part / ATOMICS_WORDS);
        s->pe[number].word[i] = word * WORD;
    }
}

static void atomics_system_init(struct atomics_system *s, const struct atomics_config *cfg)
{
    *s = (struct atomics_system){ .cfg = cfg, .random = { cfg->seed } };
    event_loop_init(&s->loop);
    s->nodes = (cfg->pes + PES_PER_NODE - 1) / PES_PER_NODE;
    s->torus = torus_for(s->nodes);
    s->node = fail_alloc(s->nodes, sizeof *s->node);
    s->pe = fail_alloc(s->nodes * PES_PER_NODE, sizeof *s->pe);
    for (unsigned n = 0; n < s->nodes; n++) {
        struct atomics_node *node = &s->node[n];

        node->system = s;
        node->number = n;
        host_port_init(&node->port, &s->loop, &cfg->port);
        atomic_unit_init(&node->unit, &s->loop, &node->port, &cfg->unit, atomics_unit_done, NULL);
        link_init(&node->out, &s->loop, 0, cfg->network_rate);
        link_init(&node->in, &s->loop, 0, cfg->network_rate);
    }
    for (unsigned p = 0; p < cfg->pes; p++) {
        atomics_choose_words(s, p);
        s->pe[p].left = atomics_takes_part(cfg, p) ? cfg->operations : 0;
    }
}

static void atomics_system_free(struct atomics_system *s)
{
    for (unsigned n = 0; n < s->nodes; n++)
        atomic_unit_free(&s->node[n].unit);
    free(s->node);
    free(s->pe);
    event_loop_free(&s->loop);
}

static void atomics_raise_share(double *share, const struct link *link, sim_time time)
{
    double here = time == 0 ? 0 : (double)link->busy / (double)time;

    if (*share < here)
        *share = here;
}

static void atomics_add_node(struct atomics_result *r, const struct atomics_node *node)
{
    r->hits += node->unit.hits;
    r->misses += node->unit.misses;
    r->kept += node->unit.kept;
    r->stalled_set += node->unit.stalled_set;
    r->stalled_raw += node->unit.stalled_raw;
    r->reads += node->port.reads;
    r->writes += node->port.writes;
    r->no_tag += node->port.no_tag;
    r->network_bytes += node->in.bytes;
    atomics_raise_share(&r->to_host_used, &node->port.to_host, r->time);
    atomics_raise_share(&r->to_nic_used, &node->port.to_nic, r->time);
    atomics_raise_share(&r->network_used, &node->in, r->time);
    atomics_raise_share(&r->network_used, &node->out, r->time);
}

struct atomics_result atomics_run(const struct atomics_config *cfg)
{
    struct atomics_system s;

    atomics_system_init(&s, cfg);
    for (unsigned n = 0; n < s.nodes; n++)
        atomics_commands_more(&s.node[n]);
    event_loop_run(&s.loop);
    struct atomics_result r = {
        .operations = s.done, .events = s.loop.done, .time = s.loop.now, .latency = s.latency
    };
    for (unsigned n = 0; n < s.nodes; n++)
        atomics_add_node(&r, &s.node[n]);
    atomics_system_free(&s);
    return r;
}
