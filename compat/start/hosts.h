/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts.h - which nodes of the job run on one host. */
#ifndef COMPAT_HOSTS_H
#define COMPAT_HOSTS_H

#include <sched.h>
#include <stdbool.h>

/* Collective, after hlrc_init: do all nodes run on one host? *processors: those that they may use,
 * valid if they do. */
bool hosts_are_one(cpu_set_t *processors);

#endif
