/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_RESTART_H
#define HLRC_RESTART_H

/*
 * hlrcrun --restart: the command line of a saved job. Its options become variables of the
 * environment, unless they are set there, so that the command line overrides them. Its program and
 * arguments are appended to the command line, unless that has a program.
 */

#include <stddef.h>

#include "hlrc/checkpoint/checkpoint_manifest.h"

struct restart {
    struct checkpoint_manifest saved;
    int argc; /* 0: nothing was read */
    char **argv;
};

/* restart_read - `rest`: index of the program in argv, or argc. 0, or a negative errno and one
 * line */
int restart_read(struct restart *restart, const char *dir, int argc, char **argv, int rest,
                 char *err, size_t errlen);
void restart_free(struct restart *restart);

#endif
