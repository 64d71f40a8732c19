/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_command.h - hlrc_sim replay: replays a trace on another machine, output as CSV. */
#ifndef SIM_REPLAY_COMMAND_H
#define SIM_REPLAY_COMMAND_H

int replay_command_main(int argc, char **argv);

#endif
