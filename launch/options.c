/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

/* Values that getopt_long() returns: an option of the table by its index, then our own. */
enum {
    OPTION_FIRST = 1000,
    OPTION_HELP = OPTION_FIRST + CONFIG_COUNT,
    OPTION_VERSION,
    OPTION_MAN,
    OPTION_COUNT
};

struct given {
    int id;
    const char *value;
};

static void table_make(struct option *table)
{
    for (int id = 0; id < CONFIG_COUNT; id++) {
        const struct config_option *row = config_option((enum config_id)id);
        bool optional = row->kind == CONFIG_FLAG || id == CONFIG_ID_stats;

        *table++ = (struct option){ row->name, optional ? optional_argument : required_argument,
                                    NULL, OPTION_FIRST + id };
    }
    *table++ = (struct option){ "help", no_argument, NULL, OPTION_HELP };
    *table++ = (struct option){ "version", no_argument, NULL, OPTION_VERSION };
    *table++ = (struct option){ "man", no_argument, NULL, OPTION_MAN };
    *table = (struct option){ NULL, 0, NULL, 0 };
}

static int refuse(int got, char **argv, const char *program, char *err, size_t errlen)
{
    const char *given = argv[optind - 1];

    if (got == ':')
        snprintf(err, errlen, "%.200s: a value is missing; %s --help shows which", given, program);
    else if (optopt >= OPTION_FIRST)
        snprintf(err, errlen, "%.200s: takes no value", given);
    else if (optopt != 0)
        snprintf(err, errlen, "-%c: no such option; %s --help lists them", optopt, program);
    else
        snprintf(err, errlen, "%.200s: no such option, or short for several; %s --help lists them",
                 given, program);
    return -EINVAL;
}

/* Collects what is given; the environment comes before the command line, and neither before
 * --help. */
static int arguments_read(int argc, char **argv, struct options *options, struct given *given,
                          char *err, size_t errlen)
{
    struct option table[OPTION_COUNT - OPTION_FIRST + 1];
    int count = 0, got;

    table_make(table);
    opterr = 0;
    while ((got = getopt_long(argc, argv, "+:n:hV", table, NULL)) != -1) {
        if (got == '?' || got == ':')
            return refuse(got, argv, program_invocation_short_name, err, errlen);
        if (got == 'h' || got == OPTION_HELP)
            options->help = true;
        else if (got == 'V' || got == OPTION_VERSION)
            options->version = true;
        else if (got == OPTION_MAN)
            options->man = true;
        else
            given[count++] =
                (struct given){ got == 'n' ? CONFIG_ID_nodes : got - OPTION_FIRST, optarg };
    }
    options->rest = optind;
    return count;
}

int options_parse(int argc, char **argv, struct config *cfg, struct options *options, char *err,
                  size_t errlen)
{
    struct given *given = calloc((size_t)argc, sizeof *given);
    int count, ret = 0;

    *options = (struct options){ 0 };
    if (given == NULL) {
        snprintf(err, errlen, "out of memory");
        return -ENOMEM;
    }
    config_default(cfg);
    count = arguments_read(argc, argv, options, given, err, errlen);
    if (count < 0)
        ret = count;
    else if (!options->help && !options->version && !options->man)
        ret = config_environment(cfg, err, errlen);
    for (int i = 0; ret == 0 && i < count; i++)
        ret = config_set(cfg, (enum config_id)given[i].id, given[i].value, CONFIG_COMMAND, err,
                         errlen);
    free(given);
    return ret;
}
