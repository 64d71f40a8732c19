/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.c - see clock.h. */
#include "base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool clock_counter;

/* The system uses the counter only if its rate is constant and it is the same on all cores. */
void clock_choose(void)
{
    char name[8] = "";
    int fd = open(SOURCE, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, name, sizeof name - 1);
    clock_counter = n == 4 && strcmp(name, "tsc\n") == 0;
    close(fd);
}
