/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the points of base/perturb.h and how strongly each acts, as the environment asks; fails
 * where none can. */
#include <stdio.h>

#include "base/perturb.h"

static void say(const char *line)
{
    puts(line);
}

int main(void)
{
    perturb_start(0);
    perturb_describe(say);
#ifdef HLRC_PERTURB
    return 0;
#else
    return 1;
#endif
}
