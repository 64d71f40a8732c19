/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * race_tell.h - with --check races: a line for each race found here (coherence/races.h), by a
 * thread of its own, and the number of all when the job finalizes.
 */
#ifndef HLRC_RACE_TELL_H
#define HLRC_RACE_TELL_H

#include <stdint.h>

int race_tell_start(void); /* before the first closing; 0 or a negative errno */

/* Returns when all that this node has found has been told. */
void race_tell_stop(void);

/* How many all nodes have found: node 0 says so, and the process's status is RACES_STATUS if it
 * would be 0. */
void race_tell_sum(uint64_t found);
#define RACES_STATUS 66

#endif
