/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.c - start_fail of start.h; a separate file, since early.c calls it, too. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compat/start/start.h"

_Noreturn void start_fail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("hlrc: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    _exit(1);
}

_Noreturn void start_thread_fail(int thread, int error)
{
    start_fail("OpenMP: starting thread %d: %s; raise the limit on processes (ulimit -u)", thread,
               strerror(-error));
}
