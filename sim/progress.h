/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* progress.h - a progress line on standard error during long runs. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    int64_t begun, next; /* ms, of a monotonic clock */
    bool terminal, shown;
};

void progress_begin(struct progress *p);

/* progress_due - whether a line is due: every half second on a terminal, where it replaces the
 * previous one, and every ten seconds elsewhere */
bool progress_due(struct progress *p);

/* progress_show - shows DONE of ALL units, and the number of events so far */
void progress_show(struct progress *p, uint64_t done, uint64_t all, uint64_t events);

/* progress_end - erases the line on a terminal */
void progress_end(struct progress *p);

#endif
