/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.c - see fail.h. */
#include "compat/fail.h"

#include <hlrc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail_job(const char *format, ...)
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

static void (*leave_job)(void);

static void fail_at_exit(int status, void *arg)
{
    (void)arg;
    if (status == 0)
        leave_job();
}

void fail_join(const char *call, void (*leave)(void))
{
    if (hlrc_init(NULL, NULL) < 0)
        exit(1);
    leave_job = leave;
    if (on_exit(fail_at_exit, NULL) != 0)
        fail_job("%s: no memory for an exit handler", call);
}
