/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS     32
#define REPETITIONS 1000000
#define SECONDS     3600
#define JSON_OPTION                                            \
    {                                                          \
        "json", 'j', "FILE", 0, "write the results to FILE", 0 \
    }

struct bench_settings bench;

/* ---- Values ---------------------------------------------------------------------------------- */

/* Parses the number at *TEXT, which must be followed by one of ENDS; -1 if there is none. */
static long long number_at(const char **text, const char *ends)
{
    size_t digits = strspn(*text, "0123456789");
    char *behind;

    if (digits == 0 || digits > 18)
        return -1;
    unsigned long long value = strtoull(*text, &behind, 10);
    if ((*behind == 'K' || *behind == 'M') && value < 1ull << 40)
        value <<= *behind++ == 'K' ? 10 : 20;
    *text = behind;
    return strchr(ends, *behind) != NULL ? (long long)value : -1;
}

unsigned long bench_number(const char *option, const char *text, unsigned long low,
                           unsigned long high)
{
    size_t length = strlen(text);
    unsigned long value = 0;
    bool good = length > 0 && length < 19 && strspn(text, "0123456789") == length;

    if (good)
        value = strtoul(text, NULL, 10);
    if (!good || value < low || value > high)
        bench_fail(2, "%s %s: not a number from %lu to %lu", option, text, low, high);
    return value;
}

/* Adds the numbers from FIRST to LAST, doubling each time; the last one is LAST. */
static bool add_doubling(struct bench_list *list, unsigned long first, unsigned long last)
{
    for (unsigned long value = first;; value = value > last / 2 ? last : 2 * value) {
        if (list->count == BENCH_LIST)
            return false;
        list->value[list->count++] = value;
        if (value >= last)
            return true;
    }
}

struct bench_list bench_numbers(const char *option, const char *text, unsigned long low,
                                unsigned long high)
{
    struct bench_list list = { 0 };
    const char *at = text;

    for (;; at++) {
        long long first = number_at(&at, ",-"), last = first;
        if (*at == '-') {
            at++;
            last = number_at(&at, ",");
        }
        if (first < (long long)low || last < first || last > (long long)high ||
            !add_doubling(&list, (unsigned long)first, (unsigned long)last))
            bench_fail(2,
                       "%s %s: not a list of at most %d numbers from %lu to %lu, as 1,64,4K or "
                       "1-4K",
                       option, text, BENCH_LIST, low, high);
        if (*at == '\0')
            return list;
    }
}

static double seconds_of(const char *text)
{
    char *behind = NULL;
    double value = strspn(text, "0123456789.") == strlen(text) ? strtod(text, &behind) : -1;

    if (behind == NULL || behind == text || *behind != '\0' || value <= 0 || value > SECONDS)
        bench_fail(2, "--seconds %s: not a number above 0, to %d", text, SECONDS);
    return value;
}

static const char *figure_called(const char *name)
{
    for (const struct bench_figure *f = bench.program->figures; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0)
            return f->name;
    bench_fail(2, "--only %s: no such figure; --list names them", name);
}

bool bench_wants(const char *figure)
{
    return bench.only == NULL || strcmp(bench.only, figure) == 0;
}

/* ---- Only node 0 prints ---------------------------------------------------------------------- */

/* All nodes get the same arguments, so only node 0 reports errors. Returns the argument of
 * restore(). */
static int silence(int fd)
{
    int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (kept >= 0 && null >= 0)
        dup2(null, fd);
    if (null >= 0)
        close(null);
    return kept;
}

static void restore(int fd, int kept)
{
    if (kept < 0)
        return;
    dup2(kept, fd);
    close(kept);
}

/* argp prints two lines about an unknown option; with ARGP_NO_ERRS it prints nothing, not even
 * help. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0 ||
            strcmp(argv[i], "--usage") == 0)
            return true;
    return false;
}

static void parse(const struct argp *argp, int argc, char **argv, void *input)
{
    unsigned flags = asks_for_help(argc, argv) ? 0 : ARGP_NO_ERRS;
    error_t error = argp_parse(argp, argc, argv, flags, NULL, input);

    if (error != 0)
        bench_fail(2, "the arguments cannot be read: %s; see --help", strerror(error));
}

static void parse_silently(const struct argp *argp, int argc, char **argv, void *input)
{
    const char *node = getenv("HLRC_NODE");

    if (node == NULL || strcmp(node, "0") == 0) {
        parse(argp, argc, argv, input);
        return;
    }
    int out = silence(STDOUT_FILENO), err = silence(STDERR_FILENO);
    bench_silenced = true;
    parse(argp, argc, argv, input);
    bench_silenced = false;
    restore(STDOUT_FILENO, out);
    restore(STDERR_FILENO, err);
}

/* Default case of a parser: accepts --json FILE, rejects non-option arguments. */
static error_t parse_common(int key, char *arg, struct argp_state *state, const char **json)
{
    switch (key) {
    case 'j':
        *json = arg;
        return 0;
    case ARGP_KEY_ARG:
        bench_fail(2, "%s: no argument is expected; see --help", arg);
    case ARGP_KEY_ERROR:
        bench_fail(2, "%s: no such option, or its value is missing; see --help",
                   state->argv[state->next - 1]);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

enum { KEY_LIST = 1000, KEY_WARM_UP, KEY_SECONDS, KEY_SIZES };

static void list_figures(void)
{
    for (const struct bench_figure *f = bench.program->figures; f->name != NULL; f++)
        printf("%-22s %s\n", f->name, f->what);
    exit(0);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
    const struct bench_program *program = bench.program;

    switch (key) {
    case 'o':
        bench.only = figure_called(arg);
        return 0;
    case 'r':
        bench.repetitions = bench_number("--repetitions", arg, 1, REPETITIONS);
        return 0;
    case KEY_LIST:
        list_figures();
        return 0;
    case KEY_WARM_UP:
        bench.warmup = bench_number("--warmup", arg, 1, REPETITIONS);
        return 0;
    case KEY_SECONDS:
        bench.seconds = seconds_of(arg);
        return 0;
    case KEY_SIZES:
        bench.sizes = bench_numbers("--sizes", arg, program->smallest, program->largest);
        return 0;
    default:
        if (program->take != NULL && program->options != NULL && arg != NULL &&
            program->take(key, arg))
            return 0;
        return parse_common(key, arg, state, &bench.json);
    }
}

static void add_option(struct argp_option *options, size_t *count, struct argp_option option)
{
    if (*count == OPTIONS - 1)
        abort();
    options[(*count)++] = option;
}

/* Options common to all programs, then those of this program. */
static void make_options(const struct bench_program *program, struct argp_option *options)
{
    static char help[4][160];
    size_t count = 0;

    snprintf(help[0], sizeof help[0], "maximum number of repetitions (default %lu)",
             program->repetitions);
    snprintf(help[1], sizeof help[1], "uncounted repetitions before these (default %lu)",
             program->warmup);
    snprintf(
        help[2], sizeof help[2],
        "maximum seconds for one figure; reduces the repetitions if they take long (default %g)",
        program->seconds);
    add_option(options, &count, (struct argp_option)JSON_OPTION);
    add_option(options, &count,
               (struct argp_option){ "list", KEY_LIST, NULL, 0, "list the figures and exit", 0 });
    add_option(options, &count,
               (struct argp_option){ "only", 'o', "FIGURE", 0, "measure only this figure", 0 });
    add_option(options, &count, (struct argp_option){ "repetitions", 'r', "N", 0, help[0], 0 });
    add_option(options, &count, (struct argp_option){ "rounds", 0, NULL, OPTION_ALIAS, NULL, 0 });
    add_option(options, &count, (struct argp_option){ "warmup", KEY_WARM_UP, "N", 0, help[1], 0 });
    add_option(options, &count, (struct argp_option){ "warm-up", 0, NULL, OPTION_ALIAS, NULL, 0 });
    add_option(options, &count, (struct argp_option){ "seconds", KEY_SECONDS, "S", 0, help[2], 0 });
    if (program->sizes != NULL) {
        snprintf(help[3], sizeof help[3], "%s (default %s)", program->sizes_are, program->sizes);
        add_option(options, &count,
                   (struct argp_option){ "sizes", KEY_SIZES, "LIST", 0, help[3], 0 });
    }
    for (const struct argp_option *o = program->options; o != NULL && o->name != NULL; o++)
        add_option(options, &count, *o);
}

void bench_arguments(const struct bench_program *program, int argc, char **argv)
{
    static struct argp_option options[OPTIONS];
    const struct argp argp = { options, take, NULL, program->what, NULL, NULL, NULL };

    bench = (struct bench_settings){ .program = program,
                                     .warmup = program->warmup,
                                     .repetitions = program->repetitions,
                                     .seconds = program->seconds };
    if (program->sizes != NULL)
        bench.sizes = bench_numbers("--sizes", program->sizes, program->smallest, program->largest);
    make_options(program, options);
    parse_silently(&argp, argc, argv, NULL);
}

/* ---- Numbers of a program without figures ---- */

struct values {
    const struct bench_value *list;
    const char *json;
};

static error_t parse_value(int key, char *arg, struct argp_state *state)
{
    struct values *values = state->input;
    char option[32];

    for (const struct bench_value *v = values->list; v->name != NULL; v++)
        if (v->key == key) {
            snprintf(option, sizeof option, "--%s", v->name);
            *v->to = bench_number(option, arg, v->low, v->high);
            return 0;
        }
    return parse_common(key, arg, state, &values->json);
}

const char *bench_values(const char *what, const struct bench_value *list, int argc, char **argv)
{
    struct argp_option options[OPTIONS] = { JSON_OPTION };
    const struct argp argp = { .options = options, .parser = parse_value, .doc = what };
    struct values values = { list, NULL };

    for (size_t i = 0; i + 2 < OPTIONS && list[i].name != NULL; i++)
        options[i + 1] = (struct argp_option){ list[i].name, list[i].key, "N", 0, list[i].help, 0 };
    parse_silently(&argp, argc, argv, &values);
    return values.json;
}
