/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grow_command.h - `hlrc_sim grow`: generates a trace of more nodes from the workload model of the
 * program. */
#ifndef SIM_GROW_COMMAND_H
#define SIM_GROW_COMMAND_H

/* ARGV[0] is the command's name; returns the exit status */
int grow_command_main(int argc, char **argv);

#endif
