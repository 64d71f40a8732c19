/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tool.h - whether the program runs under valgrind, which preloads its libraries. */
#ifndef HLRC_TOOL_H
#define HLRC_TOOL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool tool_valgrind(void)
{
    const char *preloaded = secure_getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "vgpreload");
}

#endif
