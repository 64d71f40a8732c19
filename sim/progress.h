/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* progress.h - a line on standard error while something takes long: how far it is. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    int64_t begun, next; /* ms, of a clock that only goes forward */
    bool terminal, shown;
};

void progress_begin(struct progress *p);

/* progress_due - whether a line is to be shown: each half second of a terminal, where it takes the
 * place of the one before, and each ten seconds elsewhere */
bool progress_due(struct progress *p);

/* progress_show - DONE of ALL, whatever is counted, and how many events there were so far */
void progress_show(struct progress *p, uint64_t done, uint64_t all, uint64_t events);

/* progress_end - takes the line off a terminal */
void progress_end(struct progress *p);

#endif
