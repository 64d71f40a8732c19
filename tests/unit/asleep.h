/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* asleep.h - waits until a thread sleeps, according to the system. */
#ifndef HLRC_UNIT_ASLEEP_H
#define HLRC_UNIT_ASLEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static inline bool asleep(int process, int thread)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    fclose(f);
    return state == 'S';
}

static inline void asleep_await(int process, int thread)
{
    while (!asleep(process, thread))
        usleep(500);
}

#endif
