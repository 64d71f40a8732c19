/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hlrc_sim: a discrete-event simulator of machines. */
#include "sim/atomics_command.h"
#include "sim/barrier_command.h"
#include "sim/fail.h"
#include "sim/grow_command.h"
#include "sim/load_command.h"
#include "sim/replay_command.h"
#include "sim/trace_command.h"

#include <stdio.h>
#include <string.h>

static const struct sim_command *const commands[] = { &atomics_command, &barrier_command };

#define COMMANDS (sizeof commands / sizeof *commands)

static void help(void)
{
    puts("Usage: hlrc_sim COMMAND [options]\n"
         "Simulates what this machine does not have, and prints CSV, the same for the same "
         "options.\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %s\n        %s\n", commands[i]->name, commands[i]->text);
    puts(
        "  grow --law FILE [--set NAME=VALUE] [--check FILE] FILE... [--nodes N -o FILE]\n"
        "        [--grow NAME=VALUE] [--weak] [--traced-options]\n"
        "        Files of hlrcrun --trace-sim of few nodes: that of N, by the law of the program.");
    puts("  load --machine FILE [--protocol ...] [options as replay] FILE...\n"
         "        These again, and what is loaded most: handlers, adapters, links.");
    puts("  replay --machine FILE [--protocol async|ardmar|onesided] [--default-options]\n"
         "        [--ahead N] [--renew N] [--hot-pages N] [--exclusive-pages on|off]\n"
         "        [--lazy-release N] [--move-homes on|off] [--times FILE] FILE\n"
         "        A file of hlrcrun --trace-sim again, on that machine.");
    puts("  trace FILE\n        What is in a file of hlrcrun --trace-sim, a line for each item.");
    puts("  -h, --help\n        this text; hlrc_sim COMMAND --help has the options\n"
         "  -V, --version\n        the version\n      --man\n        the manual page, for man -l "
         "-");
}

static void manual(void)
{
    printf(".TH hlrc_sim 1 \"\" \"hlrc %s\" \"HLRC\"\n.SH NAME\nhlrc_sim \\- simulate machines "
           "that are not here\n",
           PACKAGE_VERSION);
    fputs(".SH SYNOPSIS\n.B hlrc_sim\n.I command\n.RI [ options ]\n.SH DESCRIPTION\n"
          "Simulates adapters and networks by events, and prints a table as CSV on standard "
          "output. The same options and the\n"
          "same seed give the same table, to the bit. A value may be a list with commas: there is "
          "a run for each\n"
          "combination, in the order of the options below, the last of them changing first. What "
          "the models are, and how far\n"
          "they are from what was published, is in doc/simulation.md.\n",
          stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        printf(".TP\n.B %s\n%s\n", commands[i]->name, commands[i]->text);
    fputs(
        ".TP\n.B grow \\-\\-law\n.I FILE TRACE ...\nSeveral traces of one program, with few nodes "
        "each, beside what the law of the file says of it, as CSV: pages, and\n"
        "microseconds of computing up to each line where it synchronizes. A trace of "
        "\\-\\-check is compared, and nothing is derived from it.\n"
        "With \\-\\-nodes and \\-o the trace of so many nodes is written. \\-\\-set is of "
        "the traced size, \\-\\-grow of the other, \\-\\-weak as the law has it. It has the "
        "options\nof a job by default, or with \\-\\-traced\\-options those of the traces. Laws "
        "are in share/hlrc/laws; how to write one, and how to trace, is in doc/growth.md.\n",
        stdout);
    fputs(".TP\n.B load \\-\\-machine\n.I FILE TRACE ...\nA row for each trace, run again under "
          "ARDMAR, or the protocol of \\-\\-protocol, on that machine, with options as replay has "
          "them: microseconds of a node, the mean of all, in pages, locks, "
          "barriers and closings;\nhow many of a hundred parts of the time the busiest handler, "
          "adapter and link are busy, whose that is, and the mean;\nhow many intervals and write "
          "notices all nodes have published, which each keeps, and the pages and versions that\n"
          "the node with the most of them knows.\n",
          stdout);
    fputs(".TP\n.B replay \\-\\-machine\n.I FILE TRACE\nWhat a program did that was traced by "
          "hlrcrun "
          "\\-\\-trace\\-sim, again on the machine of the\nfile, under ARDMAR or the "
          "protocol of \\-\\-protocol. Options by which hlrcrun keeps pages are as in the traced "
          "run; "
          "with \\-\\-default\\-options\nas hlrcrun has them by default, which wants a trace with "
          "\\-\\-trace\\-sim\\-detail all; with \\-\\-ahead, \\-\\-renew, "
          "\\-\\-hot\\-pages,\n\\-\\-exclusive\\-pages, \\-\\-lazy\\-release and "
          "\\-\\-move\\-homes as they say. \\-\\-times: another trace of the same\nprogram, "
          "which computes as long as this one shall, between any two places where it synchronizes; "
          "there are some machines in "
          "share/hlrc/machines. What is counted stands beside what the run itself had counted. How "
          "far\n"
          "that is from the run, and what has no model and is passed over, is in doc/trace.md.\n"
          ".TP\n.B trace\n.I TRACE\nWhat is in it, a line for each item.\n",
          stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        sim_command_man(stdout, commands[i]);
    fputs(".SH OPTIONS OF ALL\n.TP\n.B \\-\\-speed\nHow many events there were, and how many in a "
          "second, on standard error.\n"
          ".TP\n.B \\-h, \\-\\-help\nA list of the options.\n.TP\n.B \\-V, \\-\\-version\n"
          "The version; in place of a command.\n.TP\n.B \\-\\-man\nThis page; in place of a "
          "command.\n.SH EXIT STATUS\n0; 1 if there was no memory or no room for the output; 2 if "
          "the command line is wrong.\n"
          ".SH EXAMPLES\n.nf\nhlrc_sim atomics \\-\\-workload sixteen \\-\\-tags 32,64,128\n"
          "hlrc_sim atomics \\-\\-figure 2 >fig2.csv\n"
          "hlrc_sim barrier \\-\\-algorithm gb \\-\\-nodes 64 \\-\\-dimension 2,4,8\n"
          "hlrc_sim grow \\-\\-law share/laws/sor sor.2 sor.4 sor.8 \\-\\-nodes 256 \\-o "
          "sor.256\n.fi\n.SH SEE "
          "ALSO\nhlrc(7), hlrcrun(1)\n",
          stdout);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, word) == 0)
            return sim_command_main(commands[i], argc - 1, argv + 1);
    if (strcmp(word, "grow") == 0)
        return grow_command_main(argc - 1, argv + 1);
    if (strcmp(word, "load") == 0)
        return load_command_main(argc - 1, argv + 1);
    if (strcmp(word, "replay") == 0)
        return replay_command_main(argc - 1, argv + 1);
    if (strcmp(word, "trace") == 0)
        return trace_command_main(argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        help();
    else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        puts("hlrc_sim " PACKAGE_VERSION);
    else if (strcmp(word, "--man") == 0)
        manual();
    else
        sim_fail(SIM_WRONG_USE, "%s: no such command; see hlrc_sim --help",
                 word[0] != '\0' ? word : "nothing given");
    return 0;
}
