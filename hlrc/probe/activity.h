/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* activity.h - what this node's threads do, for their placement (compat/pthread/balance.h). */
#ifndef HLRC_ACTIVITY_H
#define HLRC_ACTIVITY_H

#include <stdint.h>

/* Sums over all threads of this node so far, in ns. */
struct hlrc_activity {
    double computed; /* by the program's code, which had a processor */
    double wanted;   /* the same without regard to whether it had one */
    double shared;   /* faults, fetches of pages, diffs */
    uint64_t syncs;  /* locks acquired, operations on words */
};

/* Exported for libhlrc_compat. */
void hlrc_activity_get(struct hlrc_activity *out);

#endif
