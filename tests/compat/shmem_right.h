/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shmem_right.h - for the programs of OpenSHMEM: who this PE is, and looking at what it finds. */
#ifndef TESTS_COMPAT_SHMEM_RIGHT_H
#define TESTS_COMPAT_SHMEM_RIGHT_H

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n;

#define RIGHT(condition) right(condition, #condition, __LINE__)

static void right(int condition, const char *what, int line)
{
    if (condition)
        return;
    fprintf(stderr, "PE %d, line %d: %s\n", me, line, what);
    exit(1);
}

#endif
