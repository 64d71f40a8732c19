/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_command.c - see commands.h. */
#include "sim/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

static const char *const counters[] = {
#define X(name) #name,
    HLRC_COUNTS(X)
#undef X
};

#define COUNTERS (sizeof counters / sizeof *counters)

#define ASYNC_PAGES 1 /* record.h pages_by */

struct replay_command_wish {
    const char *machine, *trace, *times;
    enum replay_protocol protocol;
    struct run_options_choice choice;
    unsigned parts;             /* replay_system.h */
    struct replay_system ideas; /* only those of --with */
    bool decisions;
    uint64_t between[2];
};

static void replay_command_between(struct replay_command_wish *w, const char *text)
{
    char more;

    if (sscanf(text, "%" SCNu64 ",%" SCNu64 "%c", &w->between[0], &w->between[1], &more) != 2 ||
        w->between[0] == 0 || w->between[1] <= w->between[0])
        fail_with(SIM_WRONG_USE,
                  "replay: --between %s: it takes the numbers of two barriers, as 3,8; see "
                  "hlrc_sim --help",
                  text);
}

static struct replay_command_wish replay_command_parse(int argc, char **argv)
{
    struct replay_command_wish w = { .protocol = REPLAY_ARDMAR };

    for (int i = 1, words; i < argc; i++) {
        if (strcmp(argv[i], "--machine") == 0 && i + 1 < argc)
            w.machine = argv[++i];
        else if (strcmp(argv[i], "--protocol") == 0 && i + 1 < argc)
            w.protocol = replay_protocol_named(argv[++i]);
        else if (strcmp(argv[i], "--times") == 0 && i + 1 < argc)
            w.times = argv[++i];
        else if (strcmp(argv[i], "--as-2004") == 0 && i + 1 < argc)
            w.parts |= replay_system_parse(argv[++i]);
        else if (strcmp(argv[i], "--with") == 0 && i + 1 < argc)
            replay_system_ideas(&w.ideas, argv[++i]);
        else if (strcmp(argv[i], "--between") == 0 && i + 1 < argc)
            replay_command_between(&w, argv[++i]);
        else if (strcmp(argv[i], "--decisions") == 0)
            w.decisions = true;
        else if ((words = run_options_choose(&w.choice, &argv[i])) > 0)
            i += words - 1;
        else if (argv[i][0] != '-' && w.trace == NULL)
            w.trace = argv[i];
        else
            fail_with(SIM_WRONG_USE, "replay: %s: not understood; see hlrc_sim --help", argv[i]);
    }
    if (w.machine == NULL || w.trace == NULL)
        fail_with(SIM_WRONG_USE, "replay: it takes --machine FILE and a file of --trace-sim; see "
                                 "hlrc_sim --help");
    return w;
}

static void replay_command_check(const struct replay_command_wish *w, const struct trace *t)
{
    if (t->set[RECORD_SET_pages_by] == ASYNC_PAGES)
        fail_with(SIM_FAILED,
                  "%s: traced under async, which does not show the first write of a page; trace a "
                  "run under ardmar",
                  w->trace);
    for (unsigned n = 0; n < t->set[RECORD_SET_nodes]; n++)
        if (t->part[n].streams != 1)
            fail_with(SIM_FAILED,
                      "%s: node %u has %" PRIu64
                      " threads; only runs with one thread on each node can be replayed",
                      w->trace, n, t->part[n].streams);
}

static uint64_t replay_command_sum(const struct replay *r, size_t counter, bool replayed)
{
    uint64_t all = 0;

    for (unsigned n = 0; n < r->nodes; n++)
        all += replayed ? r->node[n].count[counter] : r->trace->part[n].count[counter];
    return all;
}

/* Prints per-node means: times in waits, as the run counts them, and of the handler. */
static void replay_command_print_times(const struct replay *r)
{
    static const struct {
        const char *name;
        size_t traced;
    } parts[] = { { "pages_us", RECORD_COUNT_page_ns },
                  { "locks_us", RECORD_COUNT_lock_ns },
                  { "barriers_us", RECORD_COUNT_barrier_ns },
                  { "closings_us", RECORD_COUNT_diff_ns } };
    sim_time busy = 0, most = 0, computed = 0;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sim_time spent = 0;
        for (unsigned n = 0; n < r->nodes; n++)
            spent += r->node[n].spent[i];
        printf("%s,%" PRIu64 ",%" PRIu64 "\n", parts[i].name, spent / r->nodes / SIM_US,
               replay_command_sum(r, parts[i].traced, false) / r->nodes / 1000);
    }
    for (unsigned n = 0; n < r->nodes; n++) {
        busy += r->node[n].handler.busy;
        computed += r->node[n].computed;
        most = r->node[n].handler.busy > most ? r->node[n].handler.busy : most;
    }
    printf("handler_us,%" PRIu64 ",\nhandler_most_us,%" PRIu64 ",\n", busy / r->nodes / SIM_US,
           most / SIM_US);
    printf("compute_us,%" PRIu64 ",%" PRIu64 "\n", computed / r->nodes / SIM_US,
           replay_command_sum(r, RECORD_COUNT_compute_ns, false) / r->nodes / 1000);
}

static void replay_command_print(const struct replay *r)
{
    sim_time last = 0;

    for (unsigned n = 0; n < r->nodes; n++)
        last = r->node[n].ends > last ? r->node[n].ends : last;
    puts("what,replayed,traced");
    printf("nodes,%u,%" PRIu64 "\n", r->nodes, r->trace->set[RECORD_SET_nodes]);
    printf("time_us,%" PRIu64 ",%" PRIu64 "\n", last / SIM_US,
           r->trace->part[0].count[RECORD_COUNT_wall_ns] / 1000);
    if (r->between[0] > 0)
        printf("between_us,%" PRIu64 ",\n", (r->between_at[1] - r->between_at[0]) / SIM_US);
    replay_command_print_times(r);
    printf("events,%" PRIu64 ",\n", r->loop.done);
    for (size_t i = 0; i < COUNTERS; i++)
        printf("%s,%" PRIu64 ",%" PRIu64 "\n", counters[i], replay_command_sum(r, i, true),
               replay_command_sum(r, i, false));
}

/* Loads the other run, which must synchronize like this one. */
static void replay_command_load_times(const struct replay_command_wish *w, const struct trace *t,
                                      struct trace *times)
{
    trace_load(times, w->times);
    if (times->set[RECORD_SET_nodes] != t->set[RECORD_SET_nodes])
        fail_with(SIM_FAILED,
                  "--times %s: of %" PRIu64 " nodes, not %" PRIu64 " as %s; trace as many",
                  w->times, times->set[RECORD_SET_nodes], t->set[RECORD_SET_nodes], w->trace);
    for (unsigned n = 0; n < t->set[RECORD_SET_nodes]; n++) {
        struct spans_pace pace;
        uint32_t differ = spans_pace_begin(&pace, t, times, n);
        if (differ != 0)
            fail_with(SIM_FAILED,
                      "--times %s: node %u synchronizes differently than in %s, at its "
                      "synchronization %" PRIu32 "; trace the same program of the same size",
                      w->times, n, w->trace, differ);
        spans_pace_end(&pace);
    }
}

int replay_command_main(int argc, char **argv)
{
    struct replay_command_wish w = replay_command_parse(argc, argv);
    struct machine m;
    struct replay r;
    struct trace t, times;
    struct decisions decisions = { 0 };
    uint64_t set[RECORD_SETTING_COUNT];

    machine_load(&m, w.machine);
    struct replay_system system = replay_system_apply(w.parts, &m, &w.choice, w.ideas);
    trace_load(&t, w.trace);
    replay_command_check(&w, &t);
    run_options_settings(&w.choice, t.set, set);
    if (w.times != NULL)
        replay_command_load_times(&w, &t, &times);
    replay_run(&r, &t, &m,
               &(struct replay_wish){ w.protocol,
                                      set,
                                      w.times != NULL ? &times : NULL,
                                      w.decisions ? &decisions : NULL,
                                      system,
                                      { w.between[0], w.between[1] } });
    if (r.wrong != NULL)
        fail_with(SIM_FAILED, "%s: node %u: %s; trace the run again", w.trace, r.wrong_node,
                  r.wrong);
    for (unsigned n = 0; n < r.nodes; n++)
        if (!r.node[n].ended)
            fail_with(SIM_FAILED, "%s: node %u waits forever at its item %" PRIu64, w.trace, n,
                      r.node[n].ops);
    if (r.between[1] > r.node[0].departed)
        fail_with(SIM_FAILED, "--between: %s has %" PRIu32 " barriers", w.trace,
                  r.node[0].departed);
    replay_command_print(&r);
    if (w.decisions) {
        decisions_note_traced(&decisions, &t);
        decisions_print(&decisions);
        decisions_free(&decisions);
    }
    replay_free(&r);
    trace_free(&t);
    if (w.times != NULL)
        trace_free(&times);
    return fail_flush();
}
