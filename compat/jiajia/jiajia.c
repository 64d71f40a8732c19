/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jiajia.c - errors, and the number of this process; see jiajia.h. */
#include "compat/jiajia/jiajia.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "compat/jiajia/jia.h"

int jia_pid, jia_hosts;

void jia_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

void jiajia_check(const char *call, const char *what, int value, int limit)
{
    if (value < 0 || value >= limit)
        jia_error("%s: no %s %d; pass 0 to %d", call, what, value, limit - 1);
}
