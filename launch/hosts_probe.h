/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_PROBE_H
#define HLRC_HOSTS_PROBE_H

/* Runs a command on each host of a job, by the launcher of its nodes. A host where that fails, or
 * takes too long, is lost: no node can be started there. */

#include <signal.h>
#include <stdbool.h>

#include "launch/hosts_list.h"

/* hosts_probe_run - for all hosts at the same time, with `mask`, and without input and output. Sets
 * lost[i] of each host on which it fails, and skips hosts that have it set */
void hosts_probe_run(const struct hosts_list *hosts, char *const *argv, const sigset_t *mask,
                     bool *lost);

#endif
