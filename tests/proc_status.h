/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* proc_status.h - figures of this process in /proc/self/status. */
#ifndef TESTS_PROC_STATUS_H
#define TESTS_PROC_STATUS_H

#include <stdio.h>
#include <string.h>

/* The number after "FIELD:", in KiB; -1 where there is none. */
static inline long proc_status_kib(const char *field)
{
    char line[256];
    long kib = -1;
    size_t length = strlen(field);
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, field, length) == 0 && line[length] == ':')
            (void)sscanf(line + length + 1, "%ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

#endif
