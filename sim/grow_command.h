/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grow_command.h - `hlrc_sim grow`: a trace of more nodes, by the law of the program. */
#ifndef SIM_GROW_COMMAND_H
#define SIM_GROW_COMMAND_H

/* ARGV[0] is the command's name; the exit status is returned */
int grow_command_main(int argc, char **argv);

#endif
