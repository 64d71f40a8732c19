/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/bind.h"

/* The available cores, by index in the topology. */
struct bind_hand {
    int count;
    int core[CORES_MAX];
};

static void bind_give(struct bind_bindings *b, int node, int core, bool *used)
{
    CPU_OR(&b->node[node], &b->node[node], &b->topology.core[core].cpus);
    used[core] = true;
}

/* Cuts the row of cores into equal pieces. A node gets the whole cores inside its piece; if a piece
 * is shorter than two cores, every core that it touches. */
static void bind_deal_shares(struct bind_bindings *b, const struct bind_hand *hand, int nodes,
                             bool *used)
{
    bool scarce = nodes < hand->count && hand->count < 2 * nodes;

    for (long node = 0; node < nodes; node++) {
        long first = node * hand->count / nodes,
             end = ((node + 1) * hand->count + (scarce ? nodes - 1 : 0)) / nodes;

        for (long i = first; i < end; i++)
            bind_give(b, (int)node, hand->core[i], used);
    }
}

static void bind_deal_cores(struct bind_bindings *b, const struct bind_hand *hand, int nodes,
                            bool *used)
{
    for (int node = 0; node < nodes; node++)
        bind_give(b, node, hand->core[node % hand->count], used);
}

static const char *bind_reason_not_to(const struct bind_bindings *b, const struct config *cfg)
{
    if (cfg->bind == BIND_NONE)
        return "--bind none";
    if (cfg->bind != BIND_CORE && cfg->nodes == 1)
        return "a job of one node has the whole machine";
    if (b->topology.cores == 0)
        return "the cores are not known";
    return cfg->bind != BIND_CORE && cfg->nodes > b->topology.cores ? "more nodes than cores"
                                                                    : NULL;
}

void bind_plan(struct bind_bindings *b, const struct config *cfg)
{
    struct bind_hand hand = { .count = 0 };
    bool used[CORES_MAX] = { false };

    if (cfg->bind != BIND_NONE && (cfg->bind == BIND_CORE || cfg->nodes > 1))
        topology_load(&b->topology);
    b->why = bind_reason_not_to(b, cfg);
    b->bound = b->why == NULL;
    b->real = !b->topology.described;
    if (!b->bound)
        return;
    claim_find(&b->claims, &b->topology,
               cfg->nodes + (cfg->bind != BIND_CORE && cfg->nodes < b->topology.cores));
    for (int i = 0; i < b->topology.cores; i++)
        if (b->claims.free[i])
            hand.core[hand.count++] = i;
    for (int node = 0; node < cfg->nodes; node++)
        CPU_ZERO(&b->node[node]);
    if (cfg->bind == BIND_CORE)
        bind_deal_cores(b, &hand, cfg->nodes, used);
    else
        bind_deal_shares(b, &hand, cfg->nodes, used);
    claim_keep(&b->claims, &b->topology, used);
}

int bind_processors(const struct bind_bindings *b, int nodes)
{
    cpu_set_t usable;
    int least = 0;

    if (b->bound && b->real) {
        least = CPU_COUNT(&b->node[0]);
        for (int node = 1; node < nodes; node++)
            if (CPU_COUNT(&b->node[node]) < least)
                least = CPU_COUNT(&b->node[node]);
    } else if (sched_getaffinity(0, sizeof usable, &usable) == 0) {
        least = CPU_COUNT(&usable) / nodes;
    }
    return least > 0 ? least : 1;
}

void bind_node(const struct bind_bindings *b, int node)
{
    /* an unbound node is slower, not wrong */
    if (b->bound && b->real)
        sched_setaffinity(0, sizeof b->node[node], &b->node[node]);
}

/* "0-3,8" */
static void bind_set_print(FILE *out, const cpu_set_t *set)
{
    const char *before = "";

    for (size_t first = 0, last; first < CPU_SETSIZE; first = last + 1) {
        last = first;
        if (!CPU_ISSET(first, set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        fprintf(out, last > first ? "%s%zu-%zu" : "%s%zu", before, first, last);
        before = ",";
    }
}

static void bind_node_print(FILE *out, const struct bind_bindings *b, int node)
{
    const struct topology *t = &b->topology;
    cpu_set_t numas;
    int cores = 0;

    CPU_ZERO(&numas);
    for (int i = 0; i < t->cores; i++) {
        cpu_set_t common;

        CPU_AND(&common, &t->core[i].cpus, &b->node[node]);
        if (CPU_COUNT(&common) == 0)
            continue;
        cores++;
        CPU_SET((size_t)t->core[i].numa, &numas);
    }
    fprintf(out, "hlrcrun: node %d is bound to cpu%s ", node,
            CPU_COUNT(&b->node[node]) > 1 ? "s" : "");
    bind_set_print(out, &b->node[node]);
    fprintf(out, ": %d core%s", cores, cores > 1 ? "s" : "");
    if (t->numas > 1) {
        fprintf(out, " of NUMA node%s ", CPU_COUNT(&numas) > 1 ? "s" : "");
        bind_set_print(out, &numas);
    }
    fputc('\n', out);
}

void bind_report(const struct bind_bindings *b, const struct config *cfg, FILE *out)
{
    if (!b->bound)
        fprintf(out, "hlrcrun: no node is bound: %s\n", b->why);
    for (int node = 0; b->bound && node < cfg->nodes; node++)
        bind_node_print(out, b, node);
}
