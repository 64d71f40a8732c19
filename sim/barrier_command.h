/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SIM_BARRIER_COMMAND_H
#define SIM_BARRIER_COMMAND_H

#include "sim/options.h"

extern const struct sim_command barrier_command;

#endif
