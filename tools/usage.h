/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* usage.h - --help and --version, as the only argument. */
#ifndef TOOLS_USAGE_H
#define TOOLS_USAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* usage_asked - true if it is one of the two; prints on standard output */
static inline bool usage_asked(int argc, char **argv, const char *program, const char *usage)
{
    const char *word = argc == 2 ? argv[1] : "";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        printf("%s %s\n", program, PACKAGE_VERSION);
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        fputs(usage, stdout);
    else
        return false;
    return true;
}

#endif
