/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.c - see clock.h. */
#include "base/clock.h"

#include <string.h>

#include "base/procfs.h"

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool clock_counter;

/* The system uses the counter only if its rate is constant and it is the same on all cores. */
void clock_choose(void)
{
    char name[8];
    clock_counter = procfs_read(SOURCE, name, sizeof name) == 4 && strcmp(name, "tsc\n") == 0;
}
