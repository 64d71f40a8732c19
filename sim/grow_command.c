/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grow_command.c - see commands.h. */
#include "sim/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "sim/fail.h"
#include "sim/growth.h"

#define OFF_MOST 5 /* percent of pages that may differ between a law and its traces */

struct grow_command_wish {
    const char *out, *trace[GROWTH_TRACES];
    struct growth_wish growth;
};

static struct growth growth;
static struct trace traces[GROWTH_TRACES];

/* ---- the command line ---- */

/* NAME=VALUE */
static void grow_command_set(const char *option, const char *text)
{
    size_t length = strcspn(text, "=");
    int at = law_param(growth.law, text, length);
    const struct law_param *p = &growth.law->param[at];
    int64_t value;

    if (text[length] == '\0' ||
        parse_number(text + length + 1, "", INT64_MIN, INT64_MAX, &value) != 0)
        fail_with(SIM_WRONG_USE,
                  "%s %s: give a parameter of the law and a whole number, as "
                  "size=1024",
                  option, text);
    if (at < 0)
        fail_with(SIM_WRONG_USE, "%s %s: the law has no such parameter; doc/growth.md lists them",
                  option, text);
    if (value < p->least || value > p->most)
        fail_with(SIM_WRONG_USE, "%s %s: give a number from %" PRId64 " to %" PRId64, option, text,
                  p->least, p->most);
    growth.param[at] = value;
}

static uint32_t grow_command_nodes_of(const char *text)
{
    int64_t value;

    if (parse_number(text, "", 2, TRACE_NODES_MAX, &value) != 0)
        fail_with(SIM_WRONG_USE, "--nodes %s: give a number from 2 to %u", text, TRACE_NODES_MAX);
    return (uint32_t)value;
}

static void grow_command_add_file(struct grow_command_wish *w, const char *name, bool is_check)
{
    if (growth.traces == GROWTH_TRACES)
        fail_with(SIM_WRONG_USE, "grow: %s: there are more than %d traces; give fewer", name,
                  GROWTH_TRACES);
    growth.is_check[growth.traces] = is_check;
    w->trace[growth.traces++] = name;
}

static void grow_command_take(struct grow_command_wish *w, char **argv, int *i)
{
    const char *word = argv[*i], *next = argv[*i + 1];

    if (strcmp(word, "--weak") == 0)
        w->growth.weak = true;
    else if (strcmp(word, "--traced-options") == 0)
        w->growth.traced_options = true;
    else if (word[0] != '-')
        grow_command_add_file(w, word, false);
    else if (next == NULL)
        fail_with(SIM_WRONG_USE,
                  "grow: %s: not understood, or it lacks a value; see hlrc_sim --help", word);
    else if (strcmp(word, "--nodes") == 0)
        w->growth.nodes = grow_command_nodes_of(argv[++*i]);
    else if (strcmp(word, "--check") == 0)
        grow_command_add_file(w, argv[++*i], true);
    else if (strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0)
        w->out = argv[++*i];
    else if (strcmp(word, "--law") == 0 || strcmp(word, "--set") == 0 ||
             strcmp(word, "--grow") == 0)
        ++*i; /* processed separately: the law first, then --set */
    else
        fail_with(SIM_WRONG_USE, "grow: %s: not understood; see hlrc_sim --help", word);
}

static void grow_command_each(int argc, char **argv, const char *option,
                              void (*fn)(const char *option, const char *text))
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            fn(option, argv[++i]);
}

static void grow_command_set_law(const char *option, const char *name)
{
    growth.law = law_named(name);
    if (growth.law == NULL)
        fail_with(SIM_WRONG_USE, "%s %s: there is no such law; give one of %s", option, name,
                  law_names());
    law_defaults(growth.law, growth.param);
}

/* Whether there is a trace to derive something from. */
static bool grow_command_has_trace(void)
{
    bool any = false;

    for (uint32_t i = 0; i < growth.traces; i++)
        any = any || !growth.is_check[i];
    return any;
}

static struct grow_command_wish grow_command_parse(int argc, char **argv)
{
    struct grow_command_wish w = { 0 };

    for (int i = 1; i < argc; i++)
        grow_command_take(&w, argv, &i);
    grow_command_each(argc, argv, "--law", grow_command_set_law);
    if (growth.law == NULL || !grow_command_has_trace() || (w.growth.nodes != 0) != (w.out != NULL))
        fail_with(SIM_WRONG_USE,
                  "grow: it takes --law NAME, files of --trace-sim and, to write one, "
                  "--nodes N and -o FILE; see hlrc_sim --help");
    grow_command_each(argc, argv, "--set", grow_command_set);
    return w;
}

/* ---- differences between the law and its traces ---- */

static uint64_t grow_command_mean_us(uint64_t ns, uint64_t count)
{
    return count == 0 ? 0 : (ns / count + 500) / 1000;
}

/* By line of the law, the end (site 0) last. */
static void grow_command_print_times(uint32_t i, const char *name)
{
    for (uint32_t at = 1; at <= LAW_LINES; at++) {
        const struct growth_times *t = &growth.seen[i].at[at % LAW_LINES];
        const struct growth_line *l = &growth.line[at % LAW_LINES];
        if (t->count == 0)
            continue;
        uint64_t stated = (uint64_t)(l->constant * t->count +
                                     (uint64_t)(((__uint128_t)l->slope * t->work) >> 20));
        if (at < LAW_LINES)
            printf("%s,us_to_line_%" PRIu32, name, at);
        else
            printf("%s,us_to_end", name);
        printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", t->count,
               grow_command_mean_us((uint64_t)t->time, t->count),
               grow_command_mean_us(stated, t->count));
    }
}

static void grow_command_print_check(const struct grow_command_wish *w)
{
    puts("trace,what,count,traced,law");
    for (uint32_t i = 0; i < growth.traces; i++) {
        const struct growth_seen *s = &growth.seen[i];
        const char *name = w->trace[i];
        printf("%s,pages_loaded,,%" PRIu64 ",%" PRIu64 "\n", name, s->reads, s->reads_stated);
        printf("%s,pages_changed,,%" PRIu64 ",%" PRIu64 "\n", name, s->writes, s->writes_stated);
        printf("%s,pages_stored_to,,%" PRIu64 ",%" PRIu64 "\n", name, s->writes_stated, s->stated);
        grow_command_print_times(i, name);
    }
}

static void grow_command_check(const struct grow_command_wish *w)
{
    for (uint32_t i = 0; i < growth.traces; i++) {
        const struct growth_seen *s = &growth.seen[i];
        uint64_t off = s->reads - s->reads_stated + (s->writes - s->writes_stated) +
                       (s->stated - s->writes_stated);
        if (off * 100 > OFF_MOST * (s->reads + s->writes))
            fail_with(SIM_FAILED,
                      "%s: of %" PRIu64 " pages that are used %" PRIu64
                      " do not match the law, more than %d in 100; check that --set gives the size "
                      "of the run; doc/growth.md explains tracing",
                      w->trace[i], s->reads + s->writes, off, OFF_MOST);
    }
}

/* Refuses options by which pages are written or read without a fault: no trace shows that. */
static void grow_command_check_options(const struct trace *t, const char *name)
{
    static const struct {
        enum record_setting set;
        uint64_t value;
        const char *option;
    } plain[] = { { RECORD_SET_ahead, 0, "--ahead 0" },
                  { RECORD_SET_renew, 0, "--renew 0" },
                  { RECORD_SET_hot_pages, 0, "--hot-pages 0" },
                  { RECORD_SET_exclusive, 1, "--exclusive-pages off" } };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (t->set[plain[i].set] != plain[i].value)
            fail_with(
                SIM_FAILED,
                "%s: it was not traced with %s, and does not contain all pages that are used; "
                "doc/growth.md lists the options",
                name, plain[i].option);
}

static void grow_command_load_all(const struct grow_command_wish *w)
{
    for (uint32_t i = 0; i < growth.traces; i++) {
        trace_load(&traces[i], w->trace[i]);
        grow_command_check_options(&traces[i], w->trace[i]);
        growth.trace[i] = &traces[i];
        if (traces[i].set[RECORD_SET_page_bytes] != traces[0].set[RECORD_SET_page_bytes])
            fail_with(
                SIM_FAILED,
                "%s: its page size differs from the page size of %s; trace both with the same "
                "page size",
                w->trace[i], w->trace[0]);
    }
}

static void grow_command_write_out(const struct grow_command_wish *w)
{
    FILE *out = fopen(w->out, "wb");
    const char *wrong;

    if (out == NULL)
        fail_with(SIM_FAILED, "-o %s: %s; give a file that can be written", w->out,
                  strerror(errno));
    wrong = growth_write(&growth, &w->growth, out);
    if (wrong != NULL)
        fail_with(SIM_FAILED, "the law, with %" PRIu32 " nodes: %s; see doc/growth.md",
                  w->growth.nodes, wrong);
    if (ferror(out) || fclose(out) != 0)
        fail_with(SIM_FAILED, "-o %s: %s; free some room", w->out, strerror(errno));
}

int grow_command_main(int argc, char **argv)
{
    struct grow_command_wish w = grow_command_parse(argc, argv);
    const char *wrong;

    grow_command_load_all(&w);
    wrong = growth_fit(&growth);
    if (wrong != NULL)
        fail_with(SIM_FAILED,
                  "%s: node %" PRIu32 ": %s; check that --set gives the size of the run",
                  w.trace[growth.wrong_trace], growth.wrong_node, wrong);
    grow_command_print_check(&w);
    grow_command_check(&w);
    grow_command_each(argc, argv, "--grow", grow_command_set);
    if (w.out != NULL)
        grow_command_write_out(&w);
    for (uint32_t i = 0; i < growth.traces; i++)
        trace_free(&traces[i]);
    growth_free(&growth);
    return fail_flush();
}
