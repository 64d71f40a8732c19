/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_calls.c - see checkpoint_calls.h. */
#include "hlrc/checkpoint/checkpoint_calls.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void checkpoint_calls_fail(const char *fmt, ...)
{
    char line[1024] = "hlrc: --restart: ";
    size_t begin = strlen(line);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line + begin, sizeof line - begin - 1, fmt, args);
    va_end(args);
    strcat(line, "\n");
    (void)CALL(write, 2, line, strlen(line));
    for (;;)
        (void)CALL(exit_group, 1);
}
