/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* failure.c - see failure.h. */
#include "fabric/failure.h"

#include <stdio.h>
#include <stdlib.h>

void failure_fabric_fail(void (*fail)(const char *line), const char *line)
{
    if (fail)
        fail(line);
    fprintf(stderr, "%s\n", line);
    abort();
}

void failure_fabric_lacks(const struct fabric *f, const char *what)
{
    char line[128];
    snprintf(line, sizeof line, "fabric %s has no %s; choose another --fabric", f->ops.name, what);
    failure_fabric_fail(f->fail, line);
}
