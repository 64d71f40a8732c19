/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define OPTIONS     32
#define NO_LETTER   1000 /* first key of the options without a letter */
#define REPETITIONS 1000000
#define SECONDS     3600

struct bench_settings bench;

/* ---- Values ---------------------------------------------------------------------------------- */

/* Parses the number at *TEXT, which must be followed by one of ENDS; -1 if there is none. */
static int64_t number_at(const char **text, const char *ends)
{
    int64_t value;

    if (parse_number(*text, ",-KM", 0, INT64_C(1) << 40, &value) != 0)
        return -1;
    *text += strspn(*text, "0123456789");
    if (**text == 'K' || **text == 'M')
        value <<= *(*text)++ == 'K' ? 10 : 20;
    return strchr(ends, **text) != NULL ? value : -1;
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
        int64_t first = number_at(&at, ",-"), last = first;
        if (*at == '-') {
            at++;
            last = number_at(&at, ",");
        }
        if (first < (int64_t)low || last < first || last > (int64_t)high ||
            !add_doubling(&list, (unsigned long)first, (unsigned long)last))
            bench_fail(2,
                       "--%s %s: not a list of at most %d numbers from %lu to %lu, as 1,64,4K or "
                       "1-4K",
                       option, text, BENCH_LIST, low, high);
        if (*at == '\0')
            return list;
    }
}

static unsigned long number_of(const struct bench_option *o, const char *text)
{
    int64_t value;

    if (parse_number(text, "", (int64_t)o->low, (int64_t)o->high, &value) != 0)
        bench_fail(2, "--%s %s: not a number from %lu to %lu", o->name, text, o->low, o->high);
    return (unsigned long)value;
}

static bool is_second_word(const struct bench_option *o, const char *text)
{
    size_t first = strcspn(o->preset, "|");
    const char *second = o->preset + first + 1;

    if (strcmp(text, second) == 0)
        return true;
    if (strlen(text) != first || strncmp(text, o->preset, first) != 0)
        bench_fail(2, "--%s %s: no such choice; choose %.*s or %s", o->name, text, (int)first,
                   o->preset, second);
    return false;
}

static double seconds_of(const char *text)
{
    char *end;
    double value = strspn(text, "0123456789.") == strlen(text) ? strtod(text, &end) : -1;

    if (value <= 0 || value > SECONDS || *end != '\0')
        bench_fail(2, "--seconds %s: not a number above 0, to %d", text, SECONDS);
    return value;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static struct bench_figure figure_at(size_t i)
{
    struct bench_figure figure;

    memcpy(&figure, (const char *)bench.program->figures + i * bench.program->size, sizeof figure);
    return figure;
}

static bool is_figure(const char *name)
{
    for (size_t i = 0; bench.program != NULL && i < bench.program->count; i++)
        if (strcmp(figure_at(i).name, name) == 0)
            return true;
    return false;
}

bool bench_wants(const char *figure)
{
    return bench.only == NULL || strcmp(bench.only, figure) == 0 || !is_figure(figure);
}

static const char *figure_called(const char *name)
{
    if (!is_figure(name))
        bench_fail(2, "--only %s: no such figure; --list names them", name);
    return name;
}

static void list_figures(void)
{
    for (size_t i = 0; !bench_silenced && i < bench.program->count; i++)
        if (figure_at(i).what != NULL)
            printf("%-22s %s\n", figure_at(i).name, figure_at(i).what);
    exit(0);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Programs without figures have only the first. */
static const struct bench_option common[] = {
    { "json", 'j', "FILE", "write the results to FILE", BENCH_TEXT, &bench.json, 0, 0, NULL },
    { "list", 0, NULL, "list the figures and exit", BENCH_FIGURES, NULL, 0, 0, NULL },
    { "only", 'o', "FIGURE", "measure only this figure", BENCH_FIGURE, &bench.only, 0, 0, NULL },
    BENCH_OPTION_NUMBER("repetitions", 'r', "maximum number of repetitions", &bench.repetitions, 1,
                        REPETITIONS),
    { .name = "rounds", .kind = BENCH_ALIAS },
    BENCH_OPTION_NUMBER("warmup", 0, "uncounted repetitions before these", &bench.warmup, 1,
                        REPETITIONS),
    { .name = "warm-up", .kind = BENCH_ALIAS },
    { "seconds", 0, "S",
      "maximum seconds for one figure; reduces the repetitions if they take long", BENCH_SECONDS,
      &bench.seconds, 0, 0, NULL },
};

static struct bench_option options[OPTIONS];
static struct argp_option parsed[OPTIONS]; /* the same, for argp */
static char help[OPTIONS][200];

static void set(const struct bench_option *o, const char *text)
{
    switch (o->kind) {
    case BENCH_NUMBER:
        *(unsigned long *)o->to = number_of(o, text);
        break;
    case BENCH_NUMBERS:
        *(struct bench_list *)o->to = bench_numbers(o->name, text, o->low, o->high);
        break;
    case BENCH_EITHER:
        *(bool *)o->to = is_second_word(o, text);
        break;
    case BENCH_TEXT:
        *(const char **)o->to = text;
        break;
    case BENCH_SECONDS:
        *(double *)o->to = seconds_of(text);
        break;
    case BENCH_FIGURE:
        *(const char **)o->to = figure_called(text);
        break;
    case BENCH_FIGURES:
        list_figures();
        break;
    case BENCH_ALIAS:
        break;
    }
}

/* Sets the default of a list, and describes the option for --help. */
static void describe(const struct bench_option *o, char *text, size_t room)
{
    int length = snprintf(text, room, "%s", o->help);

    text += length;
    room -= (size_t)length;
    if (o->kind == BENCH_NUMBER)
        snprintf(text, room, " (default %lu)", *(unsigned long *)o->to);
    else if (o->kind == BENCH_SECONDS)
        snprintf(text, room, " (default %g)", *(double *)o->to);
    else if (o->kind == BENCH_EITHER)
        snprintf(text, room, " (default %.*s)", (int)strcspn(o->preset, "|"), o->preset);
    else if (o->kind == BENCH_NUMBERS) {
        snprintf(text, room, " (default %s)", o->preset);
        set(o, o->preset);
    }
}

static void add_option(const struct bench_option *o)
{
    static int count;

    if (count == OPTIONS - 1)
        abort();
    bool alias = o->kind == BENCH_ALIAS;
    options[count] = *o;
    if (!alias)
        describe(o, help[count], sizeof help[0]);
    if (o->key == 0)
        options[count].key = NO_LETTER + count;
    parsed[count] = (struct argp_option){ o->name,
                                          alias ? 0 : options[count].key,
                                          o->arg,
                                          alias ? OPTION_ALIAS : 0,
                                          alias ? NULL : help[count],
                                          0 };
    count++;
}

/* ---- Only node 0 prints: all nodes get the same arguments ------------------------------------ */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    for (const struct bench_option *o = options; o->name != NULL; o++)
        if (o->key == key) {
            set(o, arg);
            return 0;
        }
    if (key == ARGP_KEY_ARG)
        bench_fail(2, "%s: no argument is expected; see --help", arg);
    if (key == ARGP_KEY_ERROR)
        bench_fail(2, "%s: no such option, or its value is missing; see --help",
                   state->argv[state->next - 1]);
    if (key == ARGP_KEY_INIT && bench_silenced)
        state->out_stream = state->err_stream = fopen("/dev/null", "we");
    return ARGP_ERR_UNKNOWN;
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

void bench_arguments(const struct bench_program *program, int argc, char **argv)
{
    const struct argp argp = { parsed, parse, NULL, program->what, NULL, NULL, NULL };
    const char *node = getenv("HLRC_NODE");

    bench = (struct bench_settings){ .program = program,
                                     .warmup = program->warmup,
                                     .repetitions = program->repetitions,
                                     .seconds = program->seconds };
    for (size_t i = 0; i < (program->figures != NULL ? BENCH_COUNT(common) : 1); i++)
        add_option(&common[i]);
    for (const struct bench_option *o = program->options; o->name != NULL; o++)
        add_option(o);
    bench_silenced = node != NULL && strcmp(node, "0") != 0;
    error_t error =
        argp_parse(&argp, argc, argv, asks_for_help(argc, argv) ? 0 : ARGP_NO_ERRS, NULL, NULL);
    if (error != 0)
        bench_fail(2, "the arguments cannot be read: %s; see --help", strerror(error));
    bench_silenced = false;
}
