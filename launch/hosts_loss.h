/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_LOSS_H
#define HLRC_HOSTS_LOSS_H

/* Which hosts a job on several hosts has lost when its launcher has ended, and where their nodes
 * run next. */

#include <signal.h>
#include <stdbool.h>

#include "base/config.h"
#include "launch/hosts_list.h"

struct hosts_loss {
    char names[CONFIG_TEXT_MAX]; /* separated by commas; empty: none */
    bool nodes;                  /* nodes ran there */
    bool placed;                 /* each of them has a place on another host */
    char text[CONFIG_ERROR_MAX]; /* if nodes ran there */
};

/* hosts_loss_find - `silent`: hosts of hosts_places() that do not answer; the others are probed,
 * with `mask` */
void hosts_loss_find(struct hosts_loss *loss, const struct config *cfg, const sigset_t *mask,
                     const bool *silent);

#endif
