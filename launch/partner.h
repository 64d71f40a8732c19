/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_PARTNER_H
#define HLRC_PARTNER_H

/*
 * hlrcrun --partner: ROOT, the directory of the checkpoints in memory
 * (hlrc/checkpoint/checkpoint_store.h).
 *
 *   - It exists from before the first node until hlrcrun ends the job for good, over all restarts.
 *     If hlrcrun is killed, the guard removes it after the nodes (guard.h).
 *   - hlrcrun holds a lock of it. A hlrcrun that makes one removes those in the same place that no
 *     process has locked: of jobs whose launcher and guards were killed together.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"

struct partner {
    char root[CONFIG_TEXT_MAX]; /* empty: none */
    int fd;                     /* locked; -1: on several hosts (partner_hosts.h) */
};

/* partner_make - in this directory, or in /dev/shm for "on". 0, or a negative errno and one line */
int partner_make(struct partner *partner, const char *where, char *err, size_t errlen);
bool partner_is_on_hosts(const char *root);
void partner_end(struct partner *partner);
void partner_remove(const char *root);

/*
 * partner_newest - the newest checkpoint of which each file is left, and the directory of its
 * manifest; 0: none. Removes manifests of newer ones; *lost is the newest of them, or 0, and *node
 * a node that no copy is left of.
 */
uint32_t partner_newest(const struct partner *partner, int nodes, char *dir, size_t len,
                        uint32_t *lost, uint32_t *node);

#endif
