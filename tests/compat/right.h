/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* right.h - for programs of other interfaces: the number of this process, and of all; checks. */
#ifndef TESTS_COMPAT_RIGHT_H
#define TESTS_COMPAT_RIGHT_H

#include <stdio.h>
#include <stdlib.h>

static int me, n;

#define RIGHT(condition) right(condition, #condition, __LINE__)

static void right(int condition, const char *what, int line)
{
    if (condition)
        return;
    fprintf(stderr, "process %d, line %d: %s\n", me, line, what);
    exit(1);
}

#endif
