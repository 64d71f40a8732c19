/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace_command.h - hlrc_sim trace FILE: prints the contents of a file of --trace-sim. */
#ifndef SIM_TRACE_COMMAND_H
#define SIM_TRACE_COMMAND_H

int trace_command_main(int argc, char **argv);

#endif
