/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* descriptors.c - see descriptors.h. */
#include "compat/start/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compat/start/early.h"

#define STANDARD 3 /* descriptors that the program's standard streams have */

static bool before[DESCRIPTORS_END], own[DESCRIPTORS_END];
static int fillers[DESCRIPTORS_LEAST], count;

/* Of those from DESCRIPTORS_LEAST. */
static void descriptors_list(bool *is_open)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *e;
    while (folder && (e = readdir(folder))) {
        long fd = strtol(e->d_name, NULL, 10);
        if (fd >= DESCRIPTORS_LEAST && fd < DESCRIPTORS_END)
            is_open[fd] = true;
    }
    if (folder)
        closedir(folder);
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
    descriptors_list(before);
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
    static bool after[DESCRIPTORS_END];
    if (!count)
        return;
    while (count > 0)
        close(fillers[--count]);
    descriptors_list(after);
    for (int fd = DESCRIPTORS_LEAST; fd < DESCRIPTORS_END; fd++)
        own[fd] |= after[fd] && !before[fd];
}

bool descriptors_is_own(unsigned fd)
{
    return fd < DESCRIPTORS_END && own[fd];
}
