/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* load_command.h - `hlrc_sim load`: replays traces on a machine and prints the
 * busiest resources. */
#ifndef SIM_LOAD_COMMAND_H
#define SIM_LOAD_COMMAND_H

/* ARGV[0] is the command's name; returns the exit status */
int load_command_main(int argc, char **argv);

#endif
