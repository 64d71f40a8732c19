/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "launch/aliases.h"

/* Values that getopt_long_only() returns: an option of the table by its index, our own options, an
 * alias. */
enum {
    OPTION_FIRST = 1000,
    OPTION_HELP = OPTION_FIRST + CONFIG_COUNT,
    OPTION_VERSION,
    OPTION_MAN,
    OPTION_RESIZE,
    OPTION_ALIAS
};

enum { ALIASES_MAX = 40, TABLE_MAX = OPTION_ALIAS - OPTION_FIRST + ALIASES_MAX + 1 };

#define LETTERS_OWN "+:n:hV"

struct options_given {
    int id;
    const char *value;
};

/* State of one pass over a command line. */
struct options_reading {
    int argc;
    char **argv;
    struct options *options;
    struct options_given *given; /* in command-line order */
    int count;
    size_t exported;
    struct option table[TABLE_MAX];
    char letters[sizeof LETTERS_OWN + 3 * ALIASES_MAX];
    char *err;
    size_t errlen;
};

static void options_letter_add(struct options_reading *r, const struct aliases_entry *a)
{
    char *end = r->letters + strlen(r->letters);

    *end++ = a->letter;
    if (a->argument != NULL)
        *end++ = ':';
    *end = '\0';
}

static struct option *options_aliases_add(struct options_reading *r, struct option *row)
{
    const struct aliases_entry *a;

    for (int i = 0; i < ALIASES_MAX && (a = alias(i)) != NULL; i++) {
        int argument = a->meaning == ALIAS_INSTEAD ? optional_argument
                       : a->argument != NULL       ? required_argument
                                                   : no_argument;

        if (a->name != NULL)
            *row++ = (struct option){ a->name, argument, NULL, OPTION_ALIAS + i };
        if (a->letter != '\0')
            options_letter_add(r, a);
    }
    return row;
}

static void options_table_make(struct options_reading *r)
{
    struct option *row = r->table;

    strcpy(r->letters, LETTERS_OWN);
    for (int id = 0; id < CONFIG_COUNT; id++) {
        const struct config_option *option = config_option((enum config_id)id);
        bool optional = option->kind == CONFIG_FLAG || config_optional((enum config_id)id);

        *row++ = (struct option){ option->name, optional ? optional_argument : required_argument,
                                  NULL, OPTION_FIRST + id };
    }
    *row++ = (struct option){ "help", no_argument, NULL, OPTION_HELP };
    *row++ = (struct option){ "version", no_argument, NULL, OPTION_VERSION };
    *row++ = (struct option){ "man", no_argument, NULL, OPTION_MAN };
    *row++ = (struct option){ "resize", required_argument, NULL, OPTION_RESIZE };
    row = options_aliases_add(r, row);
    *row = (struct option){ NULL, 0, NULL, 0 };
}

/* Reports the names that begin with an ambiguous "--pro", if there are any. */
static bool options_refuse_ambiguous(const struct options_reading *r, const char *given,
                                     const char *name)
{
    size_t len = strcspn(name, "="), used;
    const char *before = " ";

    used = (size_t)snprintf(r->err, r->errlen, "%.200s: ambiguous; it abbreviates:", given);
    for (const struct option *row = r->table; row->name != NULL && used < r->errlen; row++) {
        if (strncmp(row->name, name, len) != 0)
            continue;
        used += (size_t)snprintf(r->err + used, r->errlen - used, "%s--%s", before, row->name);
        before = ", ";
    }
    return before[0] == ',';
}

static void options_refuse_unknown(const struct options_reading *r, const char *given)
{
    const char *name = given + strspn(given, "-");
    struct nearest nearest;
    char copy[64];

    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(name, "="), name);
    if (*copy != '\0' && strlen(given) > 2 && options_refuse_ambiguous(r, given, name))
        return;
    nearest_begin(&nearest, copy);
    for (const struct option *row = r->table; row->name != NULL; row++)
        nearest_offer(&nearest, row->name);
    if (nearest.name != NULL && strlen(given) > 2)
        snprintf(r->err, r->errlen, "%.200s: no such option; did you mean --%s?", given,
                 nearest.name);
    else
        snprintf(r->err, r->errlen, "%.200s: no such option; %s --help lists them", given,
                 program_invocation_short_name);
}

static int options_refuse(const struct options_reading *r, int got)
{
    const char *given = r->argv[optind - 1], *program = program_invocation_short_name;

    if (got == ':')
        snprintf(r->err, r->errlen, "%.200s: a value is missing; %s --help shows which", given,
                 program);
    else if (optopt >= OPTION_FIRST)
        snprintf(r->err, r->errlen, "%.200s: takes no value", given);
    else if (optopt != 0)
        snprintf(r->err, r->errlen, "-%c: no such option; %s --help lists them", optopt, program);
    else
        options_refuse_unknown(r, given);
    return -EINVAL;
}

/* NAME or NAME=VALUE */
static int options_export(struct options_reading *r, const char *variable)
{
    size_t len = strcspn(variable, "=");
    char *name = strndup(variable, len);
    int ret = name == NULL ? -ENOMEM : 0;

    r->options->exported[r->exported++] = variable;
    if (ret == 0 && (len == 0 || (variable[len] == '=' && setenv(name, variable + len + 1, 1) < 0)))
        ret = -EINVAL;
    free(name);
    if (ret == -EINVAL)
        snprintf(r->err, r->errlen, "-x %.200s: not a variable; give NAME or NAME=VALUE", variable);
    else if (ret < 0)
        snprintf(r->err, r->errlen, "out of memory");
    return ret;
}

/* Sets the variables by which Open MPI and PRRTE allow root; each needs two. */
static int options_root_allow(void)
{
    static const char *const names[] = { "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                         "PRTE_ALLOW_RUN_AS_ROOT",
                                         "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setenv(names[i], "1", 1) < 0)
            return -ENOMEM;
    return 0;
}

static int options_alias_take(struct options_reading *r, const struct aliases_entry *a)
{
    if (aliases_alias_refuses(a, optarg, r->err, r->errlen))
        return -EINVAL;
    if (a->meaning == ALIAS_EXPORT)
        return options_export(r, optarg);
    if (a->meaning == ALIAS_ROOT)
        return options_root_allow();
    if (a->meaning == ALIAS_SAME)
        r->given[r->count++] = (struct options_given){ a->id, optarg };
    return 0;
}

static const struct aliases_entry *options_alias_of(int got)
{
    const struct aliases_entry *a;

    if (got >= OPTION_ALIAS)
        return alias(got - OPTION_ALIAS);
    for (int i = 0; (a = alias(i)) != NULL; i++)
        if (a->letter == got && got != 0)
            return a;
    return NULL;
}

static int options_take(struct options_reading *r, int got)
{
    const struct aliases_entry *a = options_alias_of(got);

    if (got == '?' || got == ':')
        return options_refuse(r, got);
    if (a != NULL)
        return options_alias_take(r, a);
    if (got == 'h' || got == OPTION_HELP)
        r->options->help = true;
    else if (got == 'V' || got == OPTION_VERSION)
        r->options->version = true;
    else if (got == OPTION_MAN)
        r->options->man = true;
    else if (got == OPTION_RESIZE)
        r->options->resize = optarg;
    else
        r->given[r->count++] =
            (struct options_given){ got == 'n' ? CONFIG_ID_nodes : got - OPTION_FIRST, optarg };
    return 0;
}

/* "-g" would pass as an abbreviation of --gdb: a single letter must be one of ours. */
static bool options_letter_unknown(const struct options_reading *r, const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '-' && word[2] == '\0' &&
           (word[1] == ':' || word[1] == '+' || strchr(r->letters, word[1]) == NULL);
}

/* Collects the arguments. The environment is read before the command line, but not for --help. */
static int options_arguments_read(struct options_reading *r)
{
    int ret = 0;

    options_table_make(r);
    opterr = 0;
    optind = 0; /* restart getopt from the beginning */
    while (ret == 0) {
        int at = optind > 0 ? optind : 1, got;

        if (at < r->argc && options_letter_unknown(r, r->argv[at])) {
            options_refuse_unknown(r, r->argv[at]);
            return -EINVAL;
        }
        r->options->end = at;
        got = getopt_long_only(r->argc, r->argv, r->letters, r->table, NULL);
        if (got == -1)
            break;
        ret = options_take(r, got);
    }
    r->options->rest = optind;
    return ret;
}

static int options_reading_apply(const struct options_reading *r, struct config *cfg)
{
    int ret = config_environment(cfg, r->err, r->errlen);

    for (int i = 0; ret == 0 && i < r->count; i++)
        ret = config_set(cfg, (enum config_id)r->given[i].id, r->given[i].value, CONFIG_COMMAND,
                         r->err, r->errlen);
    return ret;
}

int options_parse(int argc, char **argv, struct config *cfg, struct options *options, char *err,
                  size_t errlen)
{
    struct options_reading r = {
        .argc = argc, .argv = argv, .options = options, .err = err, .errlen = errlen
    };
    size_t room = (size_t)argc + 1;
    int ret;

    r.given = calloc(room, sizeof *r.given);
    *options = (struct options){ .exported = calloc(room, sizeof *options->exported) };
    if (r.given == NULL || options->exported == NULL) {
        snprintf(err, errlen, "out of memory");
        ret = -ENOMEM;
    } else {
        config_default(cfg);
        ret = options_arguments_read(&r);
        options->others = r.count > 0;
        if (ret == 0 && !options->help && !options->version && !options->man && !options->resize)
            ret = options_reading_apply(&r, cfg);
    }
    free(r.given);
    if (ret < 0)
        config_one_line(err);
    return ret;
}

void options_free(struct options *options)
{
    free(options->exported);
    options->exported = NULL;
}
