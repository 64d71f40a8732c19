/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_OPTIONS_H
#define HLRC_OPTIONS_H

/*
 * The command line of hlrcrun and hlrc_info: the options of config.h's table, a few that only
 * these programs have, and the names that other launchers use for them (aliases.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

struct options {
    int end;  /* index after the last option */
    int rest; /* index of the first argument that is not an option: end, or after "--" there */
    bool help, version, man;
    const char *resize;    /* a value of the user; NULL: not given */
    bool others;           /* options of a job were given */
    const char **exported; /* arguments of -x, NULL after the last: NAME or NAME=VALUE */
};

/*
 * options_parse - defaults, environment, command line, in this order; not resolved yet. The
 * variables of -x are set before the environment is read. With help, version, man or resize
 * nothing is loaded. 0, or a negative errno and one line in err; call options_free() in either
 * case.
 */
int options_parse(int argc, char **argv, struct config *cfg, struct options *options, char *err,
                  size_t errlen);
void options_free(struct options *options);

#endif
