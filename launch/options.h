/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_OPTIONS_H
#define HLRC_OPTIONS_H

/*
 * The command line of hlrcrun and hlrc_info: the options of config.h's table, and a few of their
 * own.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

struct options {
    int rest; /* index of the first argument that is no option */
    bool help, version, man;
};

/*
 * options_parse - defaults, environment, command line, in this order; not resolved yet. With help,
 * version or man nothing is loaded. 0, or a negative errno and a line in err.
 */
int options_parse(int argc, char **argv, struct config *cfg, struct options *options, char *err,
                  size_t errlen);

#endif
