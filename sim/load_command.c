/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * load_command.c - see commands.h. One row per trace: the nodes' time by kind, the node with
 * the busiest handler, adapter and link, and the state that a node keeps about all others.
 */
#include "sim/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

/* Over all nodes: the maximum, its node, and the sum. */
struct load_command_most {
    uint64_t most, all;
    unsigned node;
};

static void load_command_note(struct load_command_most *m, unsigned node, uint64_t value)
{
    if (value > m->most || node == 0) {
        m->most = value;
        m->node = node;
    }
    m->all += value;
}

struct load_command_offered {
    struct load_command_most handler, adapter, out, in, copies, versions;
    uint64_t spent[SPENT_KINDS], intervals, notices;
    sim_time last;
};

static void load_command_look_at(struct load_command_offered *l, const struct replay_node *n,
                                 uint64_t versions)
{
    uint64_t reads = 0, count = n->vt[n->id];

    load_command_note(&l->handler, n->id, n->handler.busy);
    for (uint64_t i = 0; i < n->r->m.reads_at_once; i++)
        reads += n->adapter[i].busy;
    load_command_note(&l->adapter, n->id, reads / n->r->m.reads_at_once);
    load_command_note(&l->out, n->id, n->out.busy);
    load_command_note(&l->in, n->id, n->in.busy);
    load_command_note(&l->copies, n->id, n->known);
    load_command_note(&l->versions, n->id, versions);
    for (int i = 0; i < SPENT_KINDS; i++)
        l->spent[i] += n->spent[i];
    for (uint64_t i = 1; i <= count; i++)
        l->notices += n->interval[i].count;
    l->intervals += count;
    l->last = n->ends > l->last ? n->ends : l->last;
}

/* Prints shares of the total time, in percent with two decimals. */
static void load_command_print_busy(const struct load_command_most *m,
                                    const struct load_command_offered *l, unsigned nodes)
{
    uint64_t most = l->last == 0 ? 0 : (uint64_t)((__uint128_t)m->most * 10000 / l->last);
    uint64_t mean = l->last == 0 ? 0 : (uint64_t)((__uint128_t)m->all * 10000 / nodes / l->last);

    printf(",%" PRIu64 ".%02" PRIu64 ",%u,%" PRIu64 ".%02" PRIu64, most / 100, most % 100, m->node,
           mean / 100, mean % 100);
}

static void load_command_print(struct replay *r, const char *file)
{
    struct load_command_offered l = { 0 };
    uint64_t *versions = replay_copies_needs(r);

    for (unsigned n = 0; n < r->nodes; n++)
        load_command_look_at(&l, &r->node[n], versions[n]);
    free(versions);
    printf("%s,%u,%" PRIu64, file, r->nodes, l.last / SIM_US);
    for (int i = 0; i < SPENT_KINDS; i++)
        printf(",%" PRIu64, l.spent[i] / r->nodes / SIM_US);
    load_command_print_busy(&l.handler, &l, r->nodes);
    load_command_print_busy(&l.adapter, &l, r->nodes);
    load_command_print_busy(&l.out, &l, r->nodes);
    load_command_print_busy(&l.in, &l, r->nodes);
    printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", l.intervals, l.notices,
           l.copies.most, l.versions.most, r->loop.done);
}

struct load_command_wish {
    const char *machine;
    enum replay_protocol protocol;
    struct run_options_choice choice;
};

static void load_command_run(const struct machine *m, const struct load_command_wish *w,
                             const char *file)
{
    static struct replay r;
    uint64_t set[RECORD_SETTING_COUNT];
    struct trace t;

    trace_load(&t, file);
    for (unsigned n = 0; n < t.set[RECORD_SET_nodes]; n++)
        if (t.part[n].streams != 1)
            fail_with(SIM_FAILED,
                      "%s: node %u has several threads; give traces with one thread on each node",
                      file, n);
    run_options_settings(&w->choice, t.set, set);
    replay_run(&r, &t, m, &(struct replay_wish){ .protocol = w->protocol, .set = set });
    if (r.wrong != NULL)
        fail_with(SIM_FAILED, "%s: node %u: %s; trace the run again", file, r.wrong_node, r.wrong);
    load_command_print(&r, file);
    replay_free(&r);
    trace_free(&t);
}

/* Removes options; the files remain in ARGV from 1 on, followed by NULL. */
static struct load_command_wish load_command_parse(int argc, char **argv)
{
    struct load_command_wish w = { .protocol = REPLAY_ARDMAR };
    int files = 1;

    for (int i = 1, words; i < argc; i++) {
        if (strcmp(argv[i], "--machine") == 0 && i + 1 < argc)
            w.machine = argv[++i];
        else if (strcmp(argv[i], "--protocol") == 0 && i + 1 < argc)
            w.protocol = replay_protocol_named(argv[++i]);
        else if ((words = run_options_choose(&w.choice, &argv[i])) > 0)
            i += words - 1;
        else if (argv[i][0] != '-')
            argv[files++] = argv[i];
        else
            fail_with(
                SIM_WRONG_USE,
                "load: it takes --machine FILE and files of --trace-sim, not %s; see hlrc_sim "
                "--help",
                argv[i]);
    }
    argv[files] = NULL;
    if (w.machine == NULL || files == 1)
        fail_with(SIM_WRONG_USE, "load: it takes --machine FILE and files of --trace-sim; see "
                                 "hlrc_sim --help");
    return w;
}

int load_command_main(int argc, char **argv)
{
    struct load_command_wish w = load_command_parse(argc, argv);
    struct machine m;

    machine_load(&m, w.machine);
    puts("trace,nodes,time_us,pages_us,locks_us,barriers_us,closings_us,handler_most,handler_node,"
         "handler_mean,adapter_most,adapter_node,adapter_mean,out_most,out_node,out_mean,in_most,"
         "in_node,in_mean,intervals,notices,copies_most,versions_most,events");
    for (char **file = argv + 1; *file != NULL; file++)
        load_command_run(&m, &w, *file);
    return fail_flush();
}
