/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_COMMAND_H
#define HLRC_COMMAND_H

/*
 * The whole command line of hlrcrun, with the environment: what is asked for, or one line that says
 * why it cannot be. Everything that can be wrong is found here, before there are nodes that could
 * each complain of it.
 */

#include <limits.h>
#include <stddef.h>

#include "base/config.h"
#include "launch/options.h"

enum { EXIT_USAGE = 2, EXIT_NO_ACCESS = 126, EXIT_NO_PROGRAM = 127 };

enum command_wish {
    COMMAND_JOB,   /* nodes on this machine */
    COMMAND_HOSTS, /* on several: another launcher's */
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_MAN
};

struct command_line {
    enum command_wish wish;
    struct config config; /* resolved, for a job on this machine */
    struct options options;
    char path[PATH_MAX];         /* of the program: COMMAND_JOB */
    char note[CONFIG_ERROR_MAX]; /* to be said, and no reason not to start; or empty */
};

/*
 * command_read - 0, or the exit status and one line in err; command_free() either way. Changes the
 * directory where --wdir says so, and the environment where -x does.
 */
int command_read(int argc, char **argv, struct command_line *line, char *err, size_t errlen);
void command_free(struct command_line *line);

#endif
