/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hlrc_sim: a discrete-event simulator of machines. */
#include <stdio.h>
#include <string.h>

#include "base/fold.h"
#include "sim/commands.h"
#include "sim/fail.h"

static const struct sim_command *const commands[] = { &atomics_command, &barrier_command,
                                                      &get_command };

#define COMMANDS (sizeof commands / sizeof *commands)

static const struct main_other {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *text; /* arguments, and lines about them */
} others[] = {
    { "grow", grow_command_main,
      "--law NAME [--set NAME=VALUE] [--check FILE] FILE...\n"
      "        [--nodes N -o FILE] [--grow NAME=VALUE] [--weak] [--traced-options]\n"
      "        Computes the trace of N nodes from traces of few nodes (hlrcrun\n"
      "        --trace-sim) and a workload model of the program." },
    { "load", load_command_main,
      "--machine FILE [--protocol ...] [options as replay] FILE...\n"
      "        Replays traces, and prints the load of the busiest handler, adapter\n"
      "        and link." },
    { "replay", replay_command_main,
      "--machine FILE [--protocol async|ardmar|onesided] [--default-options]\n"
      "        [--ahead N] [--renew N] [--hot-pages N] [--exclusive-pages on|off]\n"
      "        [--lazy-release N] [--move-homes on|off] [--times FILE] [--decisions]\n"
      "        [--as-2004 PART,...] [--between BARRIER,BARRIER]\n"
      "        [--with reads,multicast,levels] FILE\n"
      "        Replays a file of hlrcrun --trace-sim on the given machine." },
    { "trace", trace_command_main,
      "FILE\n        Prints a file of hlrcrun --trace-sim, a line for each item." },
};

#define OTHERS (sizeof others / sizeof *others)

static void main_help(void)
{
    puts("Usage: hlrc_sim COMMAND [options]\n"
         "Simulates other machines, and prints CSV. Equal options give equal output.\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("  %s\n        ", commands[i]->name);
        fold_print(stdout, 8, 8, commands[i]->text);
    }
    for (size_t i = 0; i < OTHERS; i++)
        printf("  %s %s\n", others[i].name, others[i].text);
    puts("  -h, --help\n        this text; hlrc_sim COMMAND --help lists the options\n"
         "  -V, --version\n        the version\n      --man\n        the manual page, for man -l "
         "-");
}

static bool main_asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Runs the command, or prints its usage if an argument asks for that. */
static int main_run_other(const struct main_other *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (main_asks_help(argv[i])) {
            printf("Usage: hlrc_sim %s %s\n", o->name, o->text);
            return fail_flush();
        }
    return o->main(argc, argv);
}

static void main_manual(void)
{
    printf(".TH hlrc_sim 1 \"\" \"hlrc %s\" \"HLRC\"\n.SH NAME\nhlrc_sim \\- simulate "
           "other machines\n",
           PACKAGE_VERSION);
    fputs(".SH SYNOPSIS\n.B hlrc_sim\n.I command\n.RI [ options ]\n.SH DESCRIPTION\n"
          "Simulates adapters and networks with discrete events, and prints a table as CSV\n"
          "on standard output. The same options and the same seed give exactly the same\n"
          "table. A value may be a list with commas. Each combination is run, in the order\n"
          "of the options below, and the last option changes first. doc/simulation.md\n"
          "describes the models and how far they differ from published results.\n",
          stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        printf(".TP\n.B %s\n%s\n", commands[i]->name, commands[i]->text);
    fputs(".TP\n"
          ".B grow \\-\\-law\n"
          ".I NAME TRACE ...\n"
          "Compares several traces of one program, with few nodes each, with the workload\n"
          "model (the law) of that name. The output is CSV: pages, and microseconds of\n"
          "computing up to each line of the model that synchronizes. A trace given with\n"
          "\\-\\-check is compared only, and is not used to derive values. With \\-\\-nodes\n"
          "and \\-o the command writes the trace of that number of nodes. \\-\\-set sets\n"
          "parameters of the traced size, and \\-\\-grow of the new size. \\-\\-weak\n"
          "applies the rules of the model for weak scaling. The new trace has the default\n"
          "options of a job, or with \\-\\-traced\\-options the options of the traces.\n"
          "doc/growth.md lists the models and their parameters, and explains how to add a\n"
          "model and how to trace.\n",
          stdout);
    fputs(".TP\n"
          ".B load \\-\\-machine\n"
          ".I FILE TRACE ...\n"
          "Replays each trace on the given machine, under ARDMAR or the protocol of\n"
          "\\-\\-protocol, with the options of replay, and prints one row for each. The row\n"
          "contains, in microseconds and as the mean of all nodes, the time in pages,\n"
          "locks, barriers and flushes. For handler, adapter and link it contains the load\n"
          "of the busiest one in percent of the time, its node, and the mean. The last\n"
          "columns are the number of intervals and write notices that all nodes have\n"
          "published and that each node keeps, and the pages and versions known to the node\n"
          "with the most of them.\n",
          stdout);
    fputs(".TP\n"
          ".B replay \\-\\-machine\n"
          ".I FILE TRACE\n"
          "Replays a program that was traced by hlrcrun \\-\\-trace\\-sim, on the machine\n"
          "of the file, under ARDMAR or the protocol of \\-\\-protocol. The options that\n"
          "affect pages are the options of the traced run. With \\-\\-default\\-options\n"
          "they are the defaults of hlrcrun; this requires a trace with\n"
          "\\-\\-trace\\-sim\\-detail all. \\-\\-ahead, \\-\\-renew, \\-\\-hot\\-pages,\n"
          "\\-\\-exclusive\\-pages, \\-\\-lazy\\-release and \\-\\-move\\-homes set single\n"
          "options. \\-\\-times names another trace of the same program, from which the\n"
          "computing times between two synchronizations are taken. \\-\\-decisions prints\n"
          "each decision about a page of the replay beside that of the run. \\-\\-as\\-2004\n"
          "adds parts of the HLRC of 2004, or all: eager, fixed\\-homes, interrupt,\n"
          "invalidate, on\\-demand, one\\-request, posting, single\\-diffs. doc/trace.md lists\n"
          "their sources. \\-\\-with adds options that the paper leaves to later work: diffs by\n"
          "reads, multicast, service levels. \\-\\-between prints the time from one barrier to "
          "another, of which\n"
          "the first is 1, as between_us: the part that a program measures. Example\n"
          "machines are in\n"
          "share/hlrc/machines. The output shows the replayed counts next to the counts of\n"
          "the traced run. doc/trace.md describes the accuracy, and the operations that\n"
          "have no model and are skipped.\n"
          ".TP\n"
          ".B trace\n"
          ".I TRACE\n"
          "Prints the trace, a line for each item.\n",
          stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        options_sim_command_man(stdout, commands[i]);
    fputs(".SH OPTIONS OF ALL\n.TP\n.B \\-\\-speed\nPrints the number of events, and events per "
          "second, on standard error.\n"
          ".TP\n.B \\-h, \\-\\-help\nPrints the list of options.\n.TP\n.B \\-V, \\-\\-version\n"
          "Prints the version; instead of a command.\n.TP\n.B \\-\\-man\nPrints this page; instead "
          "of a "
          "command.\n.SH EXIT STATUS\n0; 1 if memory or space for the output ran out; 2 if "
          "the command line is wrong.\n"
          ".SH EXAMPLES\n.nf\nhlrc_sim atomics \\-\\-workload sixteen \\-\\-tags 32,64,128\n"
          "hlrc_sim atomics \\-\\-figure 2 >fig2.csv\n"
          "hlrc_sim barrier \\-\\-algorithm gb \\-\\-nodes 64 \\-\\-dimension 2,4,8\n"
          "hlrc_sim grow \\-\\-law sor sor.2 sor.4 sor.8 \\-\\-nodes 256 \\-o "
          "sor.256\n.fi\n.SH SEE "
          "ALSO\nhlrc(7), hlrcrun(1)\n",
          stdout);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, word) == 0)
            return options_sim_command_main(commands[i], argc - 1, argv + 1);
    for (size_t i = 0; i < OTHERS; i++)
        if (strcmp(others[i].name, word) == 0)
            return main_run_other(&others[i], argc - 1, argv + 1);
    if (main_asks_help(word))
        main_help();
    else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        puts("hlrc_sim " PACKAGE_VERSION);
    else if (strcmp(word, "--man") == 0)
        main_manual();
    else
        fail_with(SIM_WRONG_USE, "%s: no such command; see hlrc_sim --help",
                  word[0] != '\0' ? word : "nothing given");
    return fail_flush();
}
