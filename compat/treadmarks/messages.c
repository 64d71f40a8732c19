/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* messages.c - TreadMarks' messages, and the number of this process. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/treadmarks/Tmk.h"

unsigned Tmk_proc_id, Tmk_nprocs, Tmk_page_size;

void Tmk_err(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

void Tmk_errexit(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    exit(1);
}

void Tmk_perrexit(const char *format, ...)
{
    int err = errno;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, ": %s\n", strerror(err));
    exit(1);
}
