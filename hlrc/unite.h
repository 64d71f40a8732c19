/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unite.h - a job that continues as one process, since all its nodes are on one host.
 *
 * There, other nodes add no processors to a program of threads (libhlrc_compat), but pages that are
 * shared with them cost time, and files, signals and the like belong to one process. So node 0 gets
 * the processors of all nodes and becomes a job of one node; the other processes end. The same is
 * done on several hosts for a program whose threads cannot run on other nodes.
 */
#ifndef HLRC_UNITE_H
#define HLRC_UNITE_H

enum unite_way {
    UNITE_HOST,  /* all processes are on one host */
    UNITE_HOSTS, /* on any */
    UNITE_ALONE, /* not collective, whatever the launcher's variables say */
};

/* hlrc_unite - collective, before hlrc_init, by a process of one thread. Returns on node 0 only:
 * the number of processes that the launcher has started, or a negative errno after one line to the
 * user. *here: those on its host, of which node 0 may use the processors from then on. The others
 * end with status 0. Exported for libhlrc_compat.
 * ERRORS: -EXDEV with UNITE_HOST, there are several; those of boot_open() and boot_exchange() */
int hlrc_unite(enum unite_way way, int *here);

#endif
