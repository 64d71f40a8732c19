/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_OPTIONS_H
#define HLRC_OPTIONS_H

/*
 * The command line of hlrcrun and hlrc_info: the options of config.h's table, a few of their own,
 * and the names that other launchers have for them (aliases.h).
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

struct options {
    int rest; /* index of the first argument that is no option */
    bool help, version, man;
    const char **exported; /* what -x names, NULL after the last: NAME or NAME=VALUE */
};

/*
 * options_parse - defaults, environment, command line, in this order; not resolved yet. What -x
 * sets is in the environment before that is looked at. With help, version or man nothing is loaded.
 * 0, or a negative errno and one line in err; options_free() either way.
 */
int options_parse(int argc, char **argv, struct config *cfg, struct options *options, char *err,
                  size_t errlen);
void options_free(struct options *options);

#endif
