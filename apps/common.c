/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * common.c - see common.h.
 *
 * The command line is parsed after joining the job, so that only one node reports errors and every
 * node leaves by hlrc_finalize(); exiting without it counts as a crash. For the same reason argp
 * is prevented from calling exit().
 */
#include "apps/common.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FAILED 1
#define STATUS_USAGE  2
#define OPTIONS       16 /* of a program, at most */
#define PROGRESS_S    0.5

struct app app = { .nodes = 1, .seed = APP_SEED, .verify = true, .hints = true };

/* Option keys without a short form. */
enum { KEY_JSON = 0x1000, KEY_SEED, KEY_VERIFY, KEY_NO_VERIFY, KEY_NO_HINTS, KEY_USAGE };

static const struct argp_option common_options[] = {
    { 0, 0, 0, 0, "Common to all applications:", 10 },
    { "json", KEY_JSON, "FILE", 0, "Write the result to FILE", 10 },
    { "seed", KEY_SEED, "N", 0, "Seed of the random numbers (default 314159265)", 10 },
    { "verify", KEY_VERIFY, 0, 0, "Verify the result (default)", 10 },
    { "no-verify", KEY_NO_VERIFY, 0, 0, "Do not verify the result", 10 },
    { "no-hints", KEY_NO_HINTS, 0, 0, "Let every page fault: no hlrc_prefetch, no hlrc_touch", 10 },
    { "help", '?', 0, 0, "Give this help list", -1 },
    { "usage", KEY_USAGE, 0, 0, "Give a short usage message", -1 },
    { 0 },
};

/* Time of the next progress report; INFINITY if there is no terminal. */
static double progress_at;

static _Noreturn void leave(int status)
{
    hlrc_finalize();
    exit(status);
}

/* ---- values of options ---- */

static uint64_t app_option_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
    const char *digits = strncmp(text, "2^", 2) == 0 ? text + 2 : text;
    uint64_t value;
    char *rest;

    errno = 0;
    value = strtoull(digits, &rest, 10);
    if (digits[0] < '0' || digits[0] > '9' || *rest != '\0')
        app_usage_error("--%s %s: not a number; write one such as 65536 or 2^16", option, text);
    if (errno == 0 && digits != text)
        value = value < 64 ? UINT64_C(1) << value : UINT64_MAX;
    if (errno != 0 || value < min || value > max)
        app_usage_error("--%s %s: out of range; choose %" PRIu64 " to %" PRIu64, option, text, min,
                        max);
    return value;
}

static double app_option_real(const char *option, const char *text, double min, double max)
{
    char *rest;
    double value = strtod(text, &rest);

    if (rest == text || *rest != '\0')
        app_usage_error("--%s %s: not a number; write one such as 0.5", option, text);
    if (!(value >= min && value <= max))
        app_usage_error("--%s %s: out of range; choose %g to %g", option, text, min, max);
    return value;
}

static uint64_t app_option_power(const char *option, const char *text, uint64_t min, uint64_t max)
{
    uint64_t value = app_option_number(option, text, min, max);

    if ((value & (value - 1)) != 0)
        app_usage_error("--%s %s: not a power of two; choose one such as 2^%u", option, text,
                        app_log2(value));
    return value;
}

static uint64_t app_option_choice(const char *option, const char *text, const char *const *words)
{
    char all[160];
    size_t used = 0;

    for (uint64_t i = 0; words[i] != NULL; i++) {
        const char *before = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        if (strcmp(words[i], text) == 0)
            return i;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", before, words[i]);
    }
    app_usage_error("--%s %s: unknown; choose %s", option, text, all);
}

static void app_option_store(void *at, size_t size, uint64_t value)
{
    if (size == sizeof(bool))
        *(bool *)at = value != 0;
    else if (size == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)value;
    else
        *(uint64_t *)at = value;
}

static void app_option_take(const struct app_option *o, void *problem, const char *text)
{
    void *at = (char *)problem + o->offset;

    if (o->call != NULL)
        o->call(problem, text);
    switch (o->kind) {
    case APP_INTEGER:
        app_option_store(at, o->size, app_option_number(o->name, text, o->min, o->max));
        return;
    case APP_POWER_OF_TWO:
        app_option_store(at, o->size, app_option_power(o->name, text, o->min, o->max));
        return;
    case APP_CHOICE:
        app_option_store(at, o->size, app_option_choice(o->name, text, o->words));
        return;
    case APP_DOUBLE:
        *(double *)at = app_option_real(o->name, text, o->low, o->high);
        return;
    case APP_STRING:
        *(const char **)at = text;
        return;
    case APP_NOT_STORED:
        return;
    }
}

/* ---- the command line ---- */

struct own {
    const struct app_option *options;
    void *problem;
};

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
    const struct own *own = state->input;

    for (const struct app_option *o = own->options; o->name != NULL; o++)
        if (o->key == key) {
            app_option_take(o, own->problem, arg);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static bool help_given;

static void help(struct argp_state *state, unsigned flags)
{
    argp_state_help(state, stdout, flags);
    help_given = true;
    state->next = state->argc;
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case KEY_JSON:
        app.json = arg;
        return 0;
    case KEY_SEED:
        app.seed = app_option_number("seed", arg, 1, APP_RANDOM_MASK);
        return 0;
    case KEY_VERIFY:
        app.verify = true;
        return 0;
    case KEY_NO_VERIFY:
        app.verify = false;
        return 0;
    case KEY_NO_HINTS:
        app.hints = false;
        return 0;
    case '?':
        help(state, ARGP_HELP_STD_HELP);
        return 0;
    case KEY_USAGE:
        help(state, ARGP_HELP_USAGE);
        return 0;
    case ARGP_KEY_ARG:
        app_usage_error("argument '%s': none is taken; see --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(const struct app_option *options, const char *doc, int argc, char **argv,
                  void *problem)
{
    struct argp_option rows[OPTIONS + 1] = { 0 };
    struct own input = { options, problem };
    const struct argp own = { .options = rows, .parser = parse_own };
    const struct argp_child children[] = { { &own, 0, NULL, 0 }, { 0 } };
    const struct argp all = {
        .options = common_options, .parser = parse_common, .doc = doc, .children = children
    };
    unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (app.node == 0 ? 0 : ARGP_NO_ERRS);

    for (size_t i = 0; i < OPTIONS && options[i].name != NULL; i++)
        rows[i] = (struct argp_option){ options[i].name,  options[i].key,
                                        options[i].value, 0,
                                        options[i].help,  0 };
    if (argp_parse(&all, argc, argv, flags, NULL, &input) != 0)
        leave(STATUS_USAGE);
    if (help_given)
        leave(0);
}

void app_begin(const char *name, const char *doc, const struct app_option *options, void *problem,
               int argc, char **argv)
{
    bool terminal;

    app.name = name;
    if (hlrc_init(&argc, &argv) != 0)
        exit(STATUS_FAILED);
    app.node = hlrc_node_id();
    app.nodes = hlrc_node_count();
    /* under hlrcrun standard error is always a pipe, even if it ends at a terminal */
    terminal = isatty(STDERR_FILENO) == 1 || getenv("HLRC_TERMINAL") != NULL;
    progress_at = app.node == 0 && terminal ? app_now() + PROGRESS_S : INFINITY;
    parse(options, doc, argc, argv, problem);
}

void app_usage_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (app.node == 0) {
        fprintf(stderr, "%s: ", app.name);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
    }
    va_end(args);
    leave(STATUS_USAGE);
}

const void *app_class(const char *text, const void *table, size_t row, const char *choices)
{
    const char *found = table;

    while (*found != '\0' && (*found != (text[0] & ~0x20) || text[1] != '\0'))
        found += row;
    if (*found == '\0')
        app_usage_error("--class %s: unknown; choose %s", text, choices);
    return found;
}

void app_no_memory(const char *what, size_t size)
{
    fprintf(stderr, "%s: no memory for %s: %zu bytes; choose a smaller size\n", app.name, what,
            size);
    exit(STATUS_FAILED);
}

void *app_shared(const char *what, size_t size)
{
    void *p = hlrc_malloc_all(size);

    (void)what;
    if (p != NULL)
        return p;
    leave(STATUS_FAILED); /* the runtime has reported the error and the remedy */
}

void *app_private(const char *what, size_t size)
{
    size_t whole = (size + 63) & ~(size_t)63;
    void *p = aligned_alloc(64, whole != 0 ? whole : 64);

    if (p == NULL)
        app_no_memory(what, size);
    return p;
}

void *app_zeros(const char *what, size_t size)
{
    return memset(app_private(what, size), 0, size);
}

void app_protect(void *p, size_t size)
{
    if (size > 0 && hlrc_protect(p, size) != 0)
        app_no_memory("the list of protected memory", size);
}

void app_steps_begin(struct app_steps *s)
{
    *s = (struct app_steps){ .begun = app_now() };
    app_protect(s, sizeof *s);
}

double app_steps_seconds(const struct app_steps *s)
{
    return app_now() - s->begun;
}

bool app_steps_save(struct app_steps *s, int (*checkpoint)(void))
{
    s->spent = app_steps_seconds(s);
    if (checkpoint() != 1)
        return false;
    s->begun = app_now() - s->spent;
    return true;
}

const char *app_source(const char *input)
{
    static char text[80];

    if (input != NULL)
        APP_PRINT(text, "from %.60s", input);
    else
        APP_PRINT(text, "seed %" PRIu64, app.seed);
    return text;
}

int app_unwritten(const char *option, const char *path)
{
    fprintf(stderr, "%s: --%s %s: %s; name a file that can be written\n", app.name, option, path,
            strerror(errno));
    return STATUS_FAILED;
}

static const char *protocol(void)
{
    const char *name = getenv("HLRC_PROTOCOL");

    return name != NULL && *name != '\0' ? name : "ardmar";
}

static void print_result(const struct app_result *r)
{
    const char *verdict = !app.verify ? "NOT PERFORMED" : r->verified ? "SUCCESSFUL" : "FAILED";

    printf("%-4s %s\n", app.name, r->problem);
    printf("  nodes         %d, protocol %s, pages of %ld bytes\n", app.nodes, protocol(),
           sysconf(_SC_PAGESIZE));
    printf("  time          %.6f s, %.1f Mop/s%s%s\n", r->time_s, r->mops,
           r->rate[0] != '\0' ? ", " : "", r->rate);
    printf("  checksum      %s\n", r->checksum);
    printf("  verification  %s", verdict);
    if (app.verify)
        printf(" (%s)", r->evidence);
    putchar('\n');
    fflush(stdout);
}

/* Returns the exit status. */
static int write_json(const struct app_result *r)
{
    FILE *f = fopen(app.json, "w");
    bool good = f != NULL;

    if (good) {
        fprintf(f,
                "{\"app\": \"%s\", \"size\": \"%s\", \"nodes\": %d, \"protocol\": \"%s\", "
                "\"time_s\": %.9f, "
                "\"verified\": %s, \"checksum\": \"%s\"}\n",
                app.name, r->size, app.nodes, protocol(), r->time_s,
                app.verify && r->verified ? "true" : "false", r->checksum);
        good = !ferror(f);
        good = fclose(f) == 0 && good;
    }
    return good ? 0 : app_unwritten("json", app.json);
}

int app_end(const struct app_result *result)
{
    int status = 0;

    if (app.node == 0) {
        print_result(result);
        status = app.verify && !result->verified ? STATUS_FAILED : 0;
        status |= app.json != NULL ? write_json(result) : 0;
    }
    hlrc_finalize();
    return status;
}

/* The line ends in a carriage return, which also tells hlrcrun that it will be overwritten. */
void app_progress(uint64_t done, uint64_t total)
{
    static bool shown;
    double now = app_now();

    if (now >= progress_at && done < total) {
        fprintf(stderr, "%s: step %" PRIu64 " of %" PRIu64 "\033[K\r", app.name, done, total);
        progress_at = now + PROGRESS_S;
        shown = true;
    } else if (shown && done == total) {
        fputs("\033[K\r", stderr);
        shown = false;
    }
}

double app_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* First block of a node's part when `blocks` are distributed evenly. */
static size_t first_block(size_t blocks, int node)
{
    return blocks * (size_t)node / (size_t)app.nodes;
}

struct app_range app_part(size_t total, size_t unit, int node)
{
    size_t blocks = (total + unit - 1) / unit;
    size_t begin = first_block(blocks, node) * unit;
    size_t end = first_block(blocks, node + 1) * unit;

    return (struct app_range){ begin < total ? begin : total, end < total ? end : total };
}

int app_owner(size_t total, size_t unit, size_t index)
{
    size_t blocks = (total + unit - 1) / unit;
    int node = (int)(index / unit * (size_t)app.nodes / blocks);

    while (node + 1 < app.nodes && app_part(total, unit, node).end <= index)
        node++;
    return node;
}

/* Errors are left to the access itself: a hint affects only time. */
void app_will_read(const void *addr, size_t len)
{
    if (app.hints && len != 0)
        (void)hlrc_prefetch(addr, len);
}

void app_will_write(void *addr, size_t len)
{
    if (app.hints && len != 0)
        (void)hlrc_touch(addr, len, 1);
}

uint64_t app_random_skip(uint64_t seed, uint64_t count)
{
    uint64_t factor = UINT64_C(1220703125);
    uint64_t x = seed;

    for (; count != 0; count >>= 1) {
        if (count & 1)
            x = x * factor & APP_RANDOM_MASK;
        factor = factor * factor & APP_RANDOM_MASK;
    }
    return x;
}
