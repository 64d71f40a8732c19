/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* descriptors.c - see descriptors.h. */
#include "compat/start/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compat/start/early.h"

#define STANDARD 3 /* descriptors that the program's standard streams have */

static bool before[DESCRIPTORS_END], own[DESCRIPTORS_END];
static int fillers[DESCRIPTORS_LEAST], count;

static bool descriptors_is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* Occupies the low numbers, unless few descriptors are allowed. */
void descriptors_raise(void)
{
    struct rlimit limit;
    int launcher = early_number("HLRC_LAUNCH_FD"), null;
    if (launcher > 0 && launcher < DESCRIPTORS_END)
        own[launcher] = true;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 2 * DESCRIPTORS_LEAST)
        return;
    for (int fd = DESCRIPTORS_LEAST; fd < DESCRIPTORS_END; fd++)
        before[fd] = descriptors_is_open(fd);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = null; fd >= 0 && fd < DESCRIPTORS_LEAST;) {
        fd = fcntl(null, F_DUPFD_CLOEXEC, STANDARD);
        if (fd >= 0 && fd < DESCRIPTORS_LEAST)
            fillers[count++] = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (null >= 0)
        close(null);
    if (null >= STANDARD && (null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0)
        fillers[count++] = null;
}

void descriptors_lower(void)
{
    if (!count)
        return;
    while (count > 0)
        close(fillers[--count]);
    for (int fd = DESCRIPTORS_LEAST; fd < DESCRIPTORS_END; fd++)
        own[fd] |= !before[fd] && descriptors_is_open(fd);
}

bool descriptors_is_own(unsigned fd)
{
    return fd < DESCRIPTORS_END && own[fd];
}
