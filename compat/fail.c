/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.c - see fail.h. */
#include "compat/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail_compat_fail(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (void)fflush(stdout);
    fprintf(stderr, "%s\n", line);
    exit(1);
}
