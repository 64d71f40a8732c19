/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace_command.c - see commands.h. */
#include "sim/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/fail.h"
#include "sim/script.h"

static const char *const settings[] = {
#define X(name, text) text,
    RECORD_SETTINGS(X)
#undef X
};

static const char *const counters[] = {
#define X(name) #name,
    HLRC_COUNTS(X) RECORD_TIMED(X)
#undef X
};

static void trace_command_print_op(const struct script_op *op)
{
    static const char *const more[] = { "store", "wrote" };
    bool is_item = op->kind < RECORD_KIND_COUNT;
    const char *args = is_item ? record_args[op->kind] : op->kind == SCRIPT_STORE ? "p" : "pnn";

    printf("%" PRIu64 " %s", op->time,
           is_item ? record_words[op->kind] : more[op->kind - RECORD_KIND_COUNT]);
    for (int i = 0; args[i] != '\0'; i++)
        if (args[i] == 's')
            printf(" %" PRId64, (int64_t)op->arg[i]);
        else
            printf(" %" PRIu64, op->arg[i]);
    putchar('\n');
}

static void trace_command_print_node(const struct trace *t, unsigned node, const char *file)
{
    const struct script_op *op;
    struct script s;

    printf("node %u: %" PRIu64 " threads, %" PRIu64 " closings\n", node, t->part[node].streams,
           t->part[node].closing_count);
    for (size_t i = 0; i < RECORD_COUNTER_COUNT; i++)
        printf("  %s: %" PRIu64 "\n", counters[i], t->part[node].count[i]);
    script_open(&s, t, node);
    while ((op = script_next(&s)) != NULL)
        trace_command_print_op(op);
    if (s.wrong != NULL)
        fail_with(SIM_FAILED, "%s: node %u: %s; trace the run again", file, node, s.wrong);
    script_close(&s);
}

int trace_command_main(int argc, char **argv)
{
    struct trace t;

    if (argc != 2 || argv[1][0] == '-')
        fail_with(SIM_WRONG_USE, "trace: it takes one file of --trace-sim; see hlrc_sim --help");
    trace_load(&t, argv[1]);
    for (size_t i = 0; i < RECORD_SETTING_COUNT; i++)
        printf("%s: %" PRIu64 "\n", settings[i], t.set[i]);
    for (unsigned n = 0; n < t.set[RECORD_SET_nodes]; n++)
        trace_command_print_node(&t, n, argv[1]);
    trace_free(&t);
    return fail_flush();
}
