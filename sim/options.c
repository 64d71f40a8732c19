/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/options.h"

#include "base/clock.h"
#include "base/fold.h"
#include "sim/fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_MAX  1000000
#define WORDS_MAX 64

struct options_values {
    unsigned count;
    uint64_t value[SIM_VALUES_MAX];
};

/* A parsed command line. */
struct options_line {
    const struct sim_command *command;
    struct options_values of[SIM_OPTIONS_MAX];
    const struct sim_figure *figure;
    bool tables, help, speed;
};

struct progress {
    uint64_t done, of, events;
    bool shown;
};

/* ---- values ---- */

static void options_names_text(const struct sim_option *o, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; o->names[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", o->names[i]);
}

static uint64_t options_name_value(const struct sim_command *c, const struct sim_option *o,
                                   const char *word)
{
    char known[256];

    for (size_t i = 0; o->names[i] != NULL; i++)
        if (strcmp(o->names[i], word) == 0)
            return i;
    options_names_text(o, known, sizeof known);
    fail_with(SIM_WRONG_USE, "%s: --%s %s: unknown; choose from %s", c->name, o->name, word, known);
}

static uint64_t options_number_value(const struct sim_command *c, const struct sim_option *o,
                                     const char *word)
{
    char *end;

    errno = 0;
    uint64_t n = strtoull(word, &end, 10);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || n < o->least || n > o->most)
        fail_with(SIM_WRONG_USE, "%s: --%s %s: not a number from %llu to %llu%s%s; give one",
                  c->name, o->name, word, (unsigned long long)o->least, (unsigned long long)o->most,
                  o->unit[0] != '\0' ? " in " : "", o->unit);
    return n;
}

/* Parses a comma-separated list. */
static struct options_values options_values_read(const struct sim_command *c,
                                                 const struct sim_option *o, const char *text)
{
    struct options_values v = { 0 };
    char word[64];

    for (;;) {
        size_t len = strcspn(text, ",");

        if (len >= sizeof word)
            fail_with(SIM_WRONG_USE, "%s: --%s: a value of %zu characters; at most %zu", c->name,
                      o->name, len, sizeof word - 1);
        if (v.count == SIM_VALUES_MAX)
            fail_with(SIM_WRONG_USE, "%s: --%s: more than %d values; run it more often", c->name,
                      o->name, SIM_VALUES_MAX);
        memcpy(word, text, len);
        word[len] = '\0';
        v.value[v.count++] =
            o->names != NULL ? options_name_value(c, o, word) : options_number_value(c, o, word);
        if (text[len] == '\0')
            return v;
        text += len + 1;
    }
}

/* ---- command lines ---- */

static void options_line_init(struct options_line *line, const struct sim_command *c)
{
    *line = (struct options_line){ .command = c };
    for (size_t i = 0; c->options[i].name != NULL; i++) {
        line->of[i].count = 1;
        line->of[i].value[0] = SIM_NOT_GIVEN;
        if (c->options[i].initial != NULL)
            line->of[i] = options_values_read(c, &c->options[i], c->options[i].initial);
    }
}

static const struct sim_figure *options_figure_named(const struct sim_command *c, const char *name)
{
    char known[256] = "";
    size_t used = 0;

    for (const struct sim_figure *f = c->figures; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0)
            return f;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                     used > 0 ? ", " : "", f->name);
    }
    fail_with(SIM_WRONG_USE, "%s: --figure %s: unknown; choose from %s", c->name, name, known);
}

/* Reads an option without a value; false if WORD is none. */
static bool options_flag_read(struct options_line *line, const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        line->help = true;
    else if (strcmp(word, "--speed") == 0)
        line->speed = true;
    else if (strcmp(word, "--tables") == 0 && line->command->tables != NULL)
        line->tables = true;
    else
        return false;
    return true;
}

static void options_read(struct options_line *line, const char *name, size_t len, const char *value)
{
    const struct sim_command *c = line->command;

    for (size_t i = 0; c->options[i].name != NULL; i++)
        if (strncmp(c->options[i].name, name, len) == 0 && c->options[i].name[len] == '\0') {
            line->of[i] = options_values_read(c, &c->options[i], value);
            return;
        }
    if (len != strlen("figure") || strncmp(name, "figure", len) != 0)
        fail_with(SIM_WRONG_USE, "%s: --%.*s: no such option; see hlrc_sim %s --help", c->name,
                  (int)len, name, c->name);
    line->figure = options_figure_named(c, value);
}

static void options_line_read(struct options_line *line, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];

        if (options_flag_read(line, word))
            continue;
        if (strncmp(word, "--", 2) != 0)
            fail_with(SIM_WRONG_USE, "%s: %s: no such argument; see hlrc_sim %s --help",
                      line->command->name, word, line->command->name);
        size_t len = strcspn(word + 2, "=");
        const char *value = word[2 + len] == '=' ? word + 3 + len : argv[i + 1];
        if (value == NULL || (word[2 + len] == '\0' && ++i >= argc))
            fail_with(SIM_WRONG_USE, "%s: %s: no value; see hlrc_sim %s --help",
                      line->command->name, word, line->command->name);
        options_read(line, word + 2, len, value);
    }
}

/* Reads the words of a figure's line, then the user's, which override them. */
static void options_line_of_figure(struct options_line *line, const char *text, int argc,
                                   char **argv)
{
    char copy[256], *words[WORDS_MAX], *at = NULL;
    int count = 0;

    snprintf(copy, sizeof copy, "%s", text);
    for (char *w = strtok_r(copy, " ", &at); w != NULL && count < WORDS_MAX - 1;
         w = strtok_r(NULL, " ", &at))
        words[count++] = w;
    words[count] = NULL;
    options_line_read(line, count, words);
    options_line_read(line, argc, argv);
}

/* ---- runs ---- */

static uint64_t options_runs_of(const struct options_line *line)
{
    uint64_t runs = 1;

    for (size_t i = 0; line->command->options[i].name != NULL; i++) {
        runs *= line->of[i].count;
        if (runs > RUNS_MAX)
            fail_with(SIM_WRONG_USE, "%s: more than %d runs; give shorter lists",
                      line->command->name, RUNS_MAX);
    }
    return runs;
}

/* Computes the values of one run. */
static void options_values_of(const struct options_line *line, uint64_t run, uint64_t *value)
{
    size_t count = 0;

    while (line->command->options[count].name != NULL)
        count++;
    for (size_t i = count; i-- > 0;) {
        value[i] = line->of[i].value[run % line->of[i].count];
        run /= line->of[i].count;
    }
}

static void options_check_all(const struct options_line *line)
{
    uint64_t value[SIM_OPTIONS_MAX], runs = options_runs_of(line);

    for (uint64_t run = 0; run < runs; run++) {
        options_values_of(line, run, value);
        line->command->check(value);
    }
}

static void options_run_all(const struct options_line *line, struct progress *p)
{
    uint64_t value[SIM_OPTIONS_MAX], runs = options_runs_of(line);

    for (uint64_t run = 0; run < runs; run++) {
        if (p->shown)
            fprintf(stderr, "\rhlrc_sim: %llu of %llu\033[K", (unsigned long long)p->done + 1,
                    (unsigned long long)p->of);
        options_values_of(line, run, value);
        p->events += line->command->run(value);
        p->done++;
    }
}

/* Runs all lines of the figure, or the given line; all are checked before the first run. */
static void options_each_line(const struct options_line *given, int argc, char **argv,
                              struct progress *p)
{
    static const char *const none[] = { "", NULL };
    const char *const *texts = given->figure != NULL ? given->figure->lines : none;
    struct options_line line;

    for (int look = 1; look >= 0; look--)
        for (size_t i = 0; texts[i] != NULL; i++) {
            options_line_init(&line, given->command);
            options_line_of_figure(&line, texts[i], argc, argv);
            if (look) {
                options_check_all(&line);
                p->of += options_runs_of(&line);
            } else {
                options_run_all(&line, p);
            }
        }
}

int options_sim_command_main(const struct sim_command *command, int argc, char **argv)
{
    struct progress p = { .shown = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) };
    struct options_line given;
    int64_t start = clock_ns();

    options_line_init(&given, command);
    options_line_read(&given, argc - 1, argv + 1);
    if (given.help) {
        options_sim_command_help(stdout, command);
    } else if (given.tables) {
        command->tables();
    } else {
        puts(command->head);
        options_each_line(&given, argc - 1, argv + 1, &p);
    }
    if (p.shown)
        fprintf(stderr, "\r\033[K");
    double seconds = (double)(clock_ns() - start) / 1e9;
    if (given.speed)
        fprintf(stderr, "hlrc_sim: %llu events in %.3f s, %.2f million a second\n",
                (unsigned long long)p.events, seconds, (double)p.events / seconds / 1e6);
    return fail_flush();
}

/* ---- texts ---- */

static void options_range_text(const struct sim_option *o, char *text, size_t size)
{
    if (o->names != NULL)
        options_names_text(o, text, size);
    else
        snprintf(text, size, "%llu to %llu%s%s", (unsigned long long)o->least,
                 (unsigned long long)o->most, o->unit[0] != '\0' ? " " : "", o->unit);
}

void options_sim_command_help(FILE *out, const struct sim_command *c)
{
    char range[256], line[512];

    fprintf(out, "Usage: hlrc_sim %s [options]\n", c->name);
    fold_print(out, 0, 0, c->text);
    fputc('\n', out);
    for (const struct sim_option *o = c->options; o->name != NULL; o++) {
        options_range_text(o, range, sizeof range);
        snprintf(line, sizeof line, "%s (%s%s%s)", o->text, range,
                 o->initial != NULL ? "; default " : "", o->initial != NULL ? o->initial : "");
        fprintf(out, "  --%s VALUE\n        ", o->name);
        fold_print(out, 8, 8, line);
    }
    fputs("  --figure NAME\n        all runs of a figure; other options override its values\n",
          out);
    for (const struct sim_figure *f = c->figures; f->name != NULL; f++)
        fold_print(out, (size_t)fprintf(out, "          %-4s ", f->name), 15, f->text);
    if (c->tables != NULL)
        fputs("  --tables\n        results of the equations, without a simulation\n", out);
    fputs(
        "  --speed\n        print events and seconds on standard error\n  -h, --help\n        this "
        "text\n\nA value may be a list with commas; each combination is run.\n",
        out);
}

/* Writes hyphens and backslashes in troff's form. */
static void options_man_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(out, *text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
}

void options_sim_command_man(FILE *out, const struct sim_command *c)
{
    char range[256];

    fprintf(out, ".SH OPTIONS OF %s\n", c->name);
    for (const struct sim_option *o = c->options; o->name != NULL; o++) {
        options_range_text(o, range, sizeof range);
        fputs(".TP\n.BI \"\\-\\-", out);
        options_man_text(out, o->name);
        fputs(" \" VALUE\n", out);
        options_man_text(out, o->text);
        fputs(" (", out);
        options_man_text(out, range);
        if (o->initial != NULL) {
            fputs("; default ", out);
            options_man_text(out, o->initial);
        }
        fputs(").\n", out);
    }
    fputs(".TP\n.BI \"\\-\\-figure \" NAME\nAll runs of a figure of the paper:", out);
    for (const struct sim_figure *f = c->figures; f->name != NULL; f++) {
        fprintf(out, "%s ", f == c->figures ? "" : ";");
        options_man_text(out, f->name);
        fputs(", ", out);
        options_man_text(out, f->text);
    }
    fputs(".\n", out);
    if (c->tables != NULL)
        fputs(
            ".TP\n.B \\-\\-tables\nResults of the equations of the paper, without a simulation.\n",
            out);
}
