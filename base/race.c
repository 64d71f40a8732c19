/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* race.c - see race.h. */
#include "base/race.h"

uint64_t race_node;
uint64_t race_locks[RACE_LOCKS];

void race_ignore_begin(void)
{
    if (race_watched() && AnnotateIgnoreReadsBegin && AnnotateIgnoreWritesBegin) {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
}

void race_ignore_end(void)
{
    if (race_watched() && AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesEnd) {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
}
