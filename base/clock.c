/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.c - see clock.h. */
#include "base/clock.h"

#include <string.h>

#include "base/procfs.h"

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool clock_counter;

/* An interruption between the readings makes them take longer, so the shortest of 16 counts. */
struct clock_moment clock_both(void)
{
    struct clock_moment best = { 0, 0 };
    int64_t least = INT64_MAX;
    for (int i = 0; i < 16; i++) {
        int64_t before = clock_ticks(), ns = clock_ns(), after = clock_ticks();
        if (!clock_counter)
            return (struct clock_moment){ ns, ns };
        if (after - before < least) {
            least = after - before;
            best = (struct clock_moment){ before + least / 2, ns };
        }
    }
    return best;
}

/* The system uses the counter only if its rate is constant and it is the same on all cores. */
void clock_choose(void)
{
    char name[8];
    clock_counter = procfs_read(SOURCE, name, sizeof name) == 4 && strcmp(name, "tsc\n") == 0;
}
