/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* load_command.h - `hlrc_sim load`: traces on a machine, and what is loaded most. */
#ifndef SIM_LOAD_COMMAND_H
#define SIM_LOAD_COMMAND_H

/* ARGV[0] is the command's name; the exit status is returned */
int load_command_main(int argc, char **argv);

#endif
