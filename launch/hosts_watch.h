/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_WATCH_H
#define HLRC_HOSTS_WATCH_H

/*
 * Finds a host that is no longer reached while the launcher of a job runs: the launcher may wait
 * for its answer for a quarter of an hour.
 *
 * Every two seconds each host gets a request to connect to a port that no program uses. Its kernel
 * refuses that, which is an answer. No process of the host takes part.
 *
 *   - A host without an address here, or that has never answered, is not watched: a firewall may
 *     drop the requests.
 *   - A host is silent when it has not answered for five seconds longer than --peer-timeout, after
 *     which the nodes on the other hosts end themselves.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "launch/hosts_list.h"

enum { WATCH_TICK_MS = 2000, WATCH_MORE_MS = 5000 };

struct hosts_watch_host {
    struct sockaddr_storage address;
    socklen_t len; /* 0: not watched */
    int fd;        /* the request; -1: none */
    int64_t heard; /* the last answer; 0: none yet */
};

struct hosts_watch {
    int64_t next, silent_ms;
    int count;
    struct hosts_watch_host host[NODES_MAX];
    bool silent[NODES_MAX];
};

/* hosts_watch_begin - of the hosts of the nodes' places */
void hosts_watch_begin(struct hosts_watch *watch, const struct hosts_list *hosts,
                       const struct config *cfg);
/* hosts_watch_proceed - true if a host is silent */
bool hosts_watch_proceed(struct hosts_watch *watch, int64_t now);
void hosts_watch_end(struct hosts_watch *watch);

#endif
