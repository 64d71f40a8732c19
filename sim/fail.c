/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail_with(int status, const char *fmt, ...)
{
    char line[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr, "hlrc_sim: %s\n", line);
    exit(status);
}

int fail_flush(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail_with(SIM_FAILED, "standard output: %s; free some room", strerror(errno));
    return 0;
}

static _Noreturn void fail_no_memory(size_t count, size_t size)
{
    fail_with(SIM_FAILED, "no memory: %zu bytes for %zu entries; simulate fewer", count * size,
              count);
}

void *fail_alloc(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL)
        fail_no_memory(count, size);
    return memory;
}

void *fail_copy(const void *from, size_t size)
{
    return memcpy(fail_alloc(1, size), from, size);
}

void *fail_realloc(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count, size);

    if (memory == NULL)
        fail_no_memory(count, size);
    return memory;
}
