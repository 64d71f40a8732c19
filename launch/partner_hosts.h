/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_PARTNER_HOSTS_H
#define HLRC_PARTNER_HOSTS_H

/*
 * hlrcrun --partner with --hosts: the nodes of each host make ROOT there
 * (hlrc/checkpoint/checkpoint_store.h).
 *
 *   - hlrcrun chooses the name, which stays over all restarts.
 *   - At the end, ROOT is removed on each host that is not lost, by the launcher of the nodes. If
 *     hlrcrun is killed, its guard does that after the nodes.
 *   - The nodes choose the checkpoint from which they continue.
 */

#include <signal.h>
#include <stddef.h>

#include "base/config.h"

/* partner_hosts_name - chooses ROOT, in this directory, or in /dev/shm for "on". 0, or a negative
 * errno and one line */
int partner_hosts_name(char root[CONFIG_TEXT_MAX], const char *where, char *err, size_t errlen);

/* partner_hosts_begin - before the guard starts: the hosts, and the signal mask of commands */
void partner_hosts_begin(const struct config *cfg, const sigset_t *mask);
void partner_hosts_remove(const char *root);

#endif
