/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a command of hlrc_sim: one table makes the parser, --help and the manual page. A
 * value may be a list, such as 32,64,128; the command runs once for each combination of the values,
 * the last option of the table changing first.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_OPTIONS_MAX 32
#define SIM_VALUES_MAX  64

struct sim_option {
    const char *name, *unit, *text;
    uint64_t least, most;
    const char *initial;      /* as on the command line; NULL: not given */
    const char *const *names; /* of the values 0, 1, ..., NULL at the end; NULL: a number */
};

/* A figure of a paper: command lines that make it, NULL at the end. */
struct sim_figure {
    const char *name, *text;
    const char *const *lines;
};

struct sim_command {
    const char *name, *text;
    const struct sim_option *options; /* name NULL at the end */
    const struct sim_figure *figures; /* name NULL at the end */
    /* a line for the columns of what `run` prints */
    void (*head)(void);
    /* VALUE has one for each option, SIM_NOT_GIVEN where there is none; events are returned.
     * `check` ends the program where values do not fit together. */
    void (*check)(const uint64_t *value);
    uint64_t (*run)(const uint64_t *value);
    /* prints what needs no run, for --table; NULL: there is none */
    void (*tables)(void);
};

#define SIM_NOT_GIVEN UINT64_MAX

/* sim_command_main - ARGV[0] is the command's name; the exit status is returned */
int sim_command_main(const struct sim_command *command, int argc, char **argv);

void sim_command_help(FILE *out, const struct sim_command *command);
void sim_command_man(FILE *out, const struct sim_command *command);

#endif
