/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts.h - do all nodes run on one host, so that the program's threads run faster on node 0? */
#ifndef COMPAT_HOSTS_H
#define COMPAT_HOSTS_H

#include <sched.h>
#include <stdbool.h>

#define HOSTS_SEVERAL "they are on several hosts"
#define HOSTS_REASON  "all nodes are on one host" /* why they run there */

/* Collective, after hlrc_init: why the program's threads stay on their nodes, for messages; NULL:
 * they run faster on node 0, on *processors, the processors of all nodes. `has_room`: that node may
 * have the threads of all nodes. */
const char *hosts_obstacle(bool has_room, cpu_set_t *processors);

#endif
