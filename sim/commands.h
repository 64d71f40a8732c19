/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commands.h - the commands of hlrc_sim, each in its file. ARGV[0] is the command's name; returns
 * the exit status. Output is CSV, except of `trace`. */
#ifndef SIM_COMMANDS_H
#define SIM_COMMANDS_H

#include "sim/options.h"

extern const struct sim_command atomics_command, barrier_command, get_command;

/* grow: computes the trace of more nodes from traces of few nodes, by the workload model of the
 * program. doc/growth.md */
int grow_command_main(int argc, char **argv);
/* load: replays traces, and prints for each the load of the busiest handler, adapter and link */
int load_command_main(int argc, char **argv);
/* replay: replays a trace on another machine */
int replay_command_main(int argc, char **argv);
/* trace: prints the contents of a file of --trace-sim */
int trace_command_main(int argc, char **argv);

#endif
