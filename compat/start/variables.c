/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* variables.c - see variables.h. */
#include "compat/start/variables.h"

#include <dlfcn.h>
#include <errno.h>
#include <obstack.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* The texts are in this process's own memory. */
static char **const texts[] = { &program_invocation_name, &program_invocation_short_name,
                                &tzname[0], &tzname[1] };
#define TEXTS (sizeof texts / sizeof *texts)
static char *own[TEXTS];

void variables_before_sharing(void)
{
    static char none[] = ""; /* at the same address on all nodes, and read if a start fails */
    for (size_t i = 0; i < TEXTS; i++) {
        own[i] = *texts[i];
        *texts[i] = none;
    }
}

void variables_set(char *(*share)(char *text))
{
    for (size_t i = 0; i < TEXTS; i++)
        *texts[i] = share(own[i]);
}

/* The library's function, which has no name. */
__attribute__((constructor)) static void variables_at_start(void)
{
    void (**theirs)(void) =
        (void (**)(void))(uintptr_t)dlsym(RTLD_NEXT, "obstack_alloc_failed_handler");
    if (theirs && !obstack_alloc_failed_handler)
        obstack_alloc_failed_handler = *theirs;
}
