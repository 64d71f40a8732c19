/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a command of hlrc_sim: one table defines the parser, --help and the manual page.
 * A value may be a list, such as 32,64,128. The command runs once for each combination of the
 * values; the last option of the table changes first.
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
    const char *const *names; /* names of the values 0, 1, ..., NULL at the end; NULL: a number */
};

/* A table of options is OPTIONS(X), with X(ID, the fields of struct sim_option): the number of an
 * option, and its row. */
#define OPTIONS_NUMBER(id, ...) O_##id,
#define OPTIONS_ROW(id, ...)    { __VA_ARGS__ },

/* A figure of a paper: command lines that reproduce it, NULL at the end. */
struct sim_figure {
    const char *name, *text;
    const char *const *lines;
};

struct sim_command {
    const char *name, *text;
    const struct sim_option *options; /* name NULL at the end */
    const struct sim_figure *figures; /* name NULL at the end */
    const char *head;                 /* line: the columns of `run` */
    /* VALUE has an entry for each option, SIM_NOT_GIVEN if absent. `run` returns the number of
     * events. `check` ends the program if values are inconsistent. */
    void (*check)(const uint64_t *value);
    uint64_t (*run)(const uint64_t *value);
    /* prints tables that need no run, for --table; NULL: none */
    void (*tables)(void);
};

#define SIM_NOT_GIVEN UINT64_MAX

/* options_sim_command_main - ARGV[0] is the command's name; returns the exit status */
int options_sim_command_main(const struct sim_command *command, int argc, char **argv);

void options_sim_command_help(FILE *out, const struct sim_command *command);
void options_sim_command_man(FILE *out, const struct sim_command *command);

#endif
