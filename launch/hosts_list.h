/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_LIST_H
#define HLRC_HOSTS_LIST_H

/*
 * The hosts of a job. Each has places for nodes, and nodes get places in the order of the list. The
 * places after the last node's are spare: nodes of a host that is lost move there.
 */

#include <stddef.h>

#include "base/config.h"

struct hosts_list_host {
    char name[256];
    int nodes; /* places */
};

struct hosts_list {
    struct hosts_list_host host[NODES_MAX];
    int count, nodes; /* nodes: all places */
};

/* Both append to the list. 0, or a negative errno and one line. */
int hosts_list_parse(const char *text, struct hosts_list *hosts, char *err, size_t errlen);
int hosts_list_read_file(const char *name, struct hosts_list *hosts, char *err, size_t errlen);

/* hosts_list_trim - removes spare places */
int hosts_list_trim(struct hosts_list *hosts, int nodes, char *err, size_t errlen);

/*
 * hosts_list_lose - removes a host. Its places among the first `nodes` are replaced by spare ones,
 * and the others stay where they are, unless a host would then occur twice. With fewer spare places
 * the list has fewer places than nodes.
 */
void hosts_list_lose(struct hosts_list *hosts, int nodes, const char *name);

/* hosts_list_of - name of the host of a node; NULL: it has no place */
const char *hosts_list_of(const struct hosts_list *hosts, int node);

#endif
