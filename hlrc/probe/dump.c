/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dump.c - see dump.h. */
#include "hlrc/probe/dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

static void (*parts[DUMP_PARTS])(char *, size_t);
static unsigned count;

void dump_add(void (*part)(char *line, size_t len))
{
    if (count == DUMP_PARTS)
        diag_fatal(1, "more than %d parts of a state dump; raise DUMP_PARTS", DUMP_PARTS);
    parts[count++] = part;
}

void dump_end(void)
{
    count = 0;
}

void dump(void (*say)(const char *line))
{
    char line[DIAG_LINE_MAX / 2];
    for (unsigned i = 0; i < count; i++) {
        line[0] = '\0';
        parts[i](line, sizeof line);
        if (line[0])
            say(line);
    }
}

void dump_append(char *line, size_t len, const char *fmt, ...)
{
    size_t used = strlen(line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(line + used, len - used, fmt, args);
    va_end(args);
}
