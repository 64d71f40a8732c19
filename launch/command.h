/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_COMMAND_H
#define HLRC_COMMAND_H

/*
 * Reads the command line of hlrcrun and the environment: the request, or one line with the error.
 * Everything that can be wrong is found here, before nodes exist that could each report it.
 */

#include <limits.h>
#include <stddef.h>

#include "base/config.h"
#include "launch/options.h"
#include "launch/restart.h"

enum { EXIT_USAGE = 2, EXIT_NO_ACCESS = 126, EXIT_NO_PROGRAM = 127 };

enum command_wish {
    COMMAND_JOB,   /* nodes on this machine */
    COMMAND_HOSTS, /* on several, by another launcher */
    COMMAND_RESIZE,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_MAN
};

struct command_line {
    enum command_wish wish;
    struct config config; /* resolved, for a job on this machine */
    struct options options;
    char **argv; /* the program's begins at options.rest */
    struct restart restart;
    char path[PATH_MAX];         /* of the program: COMMAND_JOB */
    char note[CONFIG_ERROR_MAX]; /* to be printed, does not prevent the start; may be empty */
};

/*
 * command_read - 0, or the exit status and one line in err; call command_free() in either case.
 * Changes the directory if --wdir is given, and the environment if -x is.
 */
int command_read(int argc, char **argv, struct command_line *line, char *err, size_t errlen);
void command_free(struct command_line *line);

#endif
