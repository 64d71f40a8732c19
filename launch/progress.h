/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_PROGRESS_H
#define HLRC_PROGRESS_H

/*
 * hlrcrun --progress: one line on standard error, refreshed on a terminal, otherwise printed
 * periodically. Without the option, a job that takes long has it on a terminal that shows all of
 * its output. It is refreshed only while shared memory is in use: otherwise the job may wait for
 * what the user types. It ends once a node shows its own progress.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "boot/boot.h"
#include "launch/output.h"

struct progress {
    bool automatic, terminal;
    int nodes;
    int64_t begun, shown_at, next_at;
    struct boot_counters shown; /* totals at the last line */
};

void progress_init(struct progress *progress, const struct config *config, int64_t now);

/* progress_show - prints if it is time: faults and bytes are sums over the nodes; barriers
 * are counted at the node that is ahead */
void progress_show(struct progress *progress, const struct boot_counters *total, int64_t now,
                   struct output_sink *sink);

#endif
