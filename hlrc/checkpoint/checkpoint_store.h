/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_store.h - stores: the directories of checkpoints in memory, of a job with --partner.
 *
 *   hlrcrun, one machine    ROOT/N of node N. hlrcrun makes ROOT, and removes it.
 *   hlrcrun --hosts         ROOT of all nodes on a host. The first of them makes it; hlrcrun only
 *                           chooses its name, and has it removed on each host at the end.
 *
 * On several hosts ROOT outlives its nodes, for the next nodes of the job:
 *
 *   - Each node holds a shared lock of it.
 *   - The time of its last change is set to the time after which a checkpoint is overdue. A node
 *     that makes another ROOT removes each one without a lock whose time was an hour ago: the
 *     hlrcrun and the guard of its job were killed together.
 *   - A file in it has a random number. Nodes that find the same number share the store: neither
 *     names nor addresses of hosts decide it.
 *
 *   [checkpoint.other-store] The copy of a node's file is in another store than the file, if there
 *       is one.
 */
#ifndef HLRC_CHECKPOINT_STORE_H
#define HLRC_CHECKPOINT_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* True for the name of a ROOT on several hosts. */
bool checkpoint_store_is_root(const char *path);

/* Collective. Opens the store of this node and writes its path, unless `root` is empty or the
 * launcher is another one. 0, or a negative errno after one line. */
int checkpoint_store_open(const char *root, char path[PATH_MAX]);
void checkpoint_store_close(void);
/* A checkpoint is complete; the next one is due after that time. */
void checkpoint_store_touch(int64_t interval_ms);

/* The first node of its store, which writes the manifest. */
bool checkpoint_store_leads(int node);
/* The node that gets the copy of a node's file; -1: there is no other store. */
int checkpoint_store_partner(int node);

#endif
