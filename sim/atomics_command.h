/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SIM_ATOMICS_COMMAND_H
#define SIM_ATOMICS_COMMAND_H

#include "sim/options.h"

extern const struct sim_command atomics_command;

#endif
