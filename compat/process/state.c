/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * state.c - variables that the C library keeps for the process: the environment, times, locale,
 * options of the command line, users. Node 0 has them (delegate.h). Results in memory of the C
 * library are copied to shared memory, one result for each function, as in the C library.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/process/inherit.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#define TEXT_BYTES 4096

/* In shared memory. */
static struct state_results {
    char asctime[TEXT_BYTES / 16], ctime[TEXT_BYTES / 16], zones[2][TEXT_BYTES / 16];
    struct tm localtime, gmtime;
    char pseudo_terminal[TEXT_BYTES];
    char **environment;
    char locale[TEXT_BYTES], login[TEXT_BYTES], ttyname[TEXT_BYTES];
} * results;

static char *state_copy(char *to, const char *text, size_t room)
{
    if (!text)
        return NULL;
    size_t bytes = strnlen(text, room - 1);
    memcpy(to, text, bytes);
    to[bytes] = '\0';
    return to;
}
#define RESULT(field, text) state_copy(results->field, text, sizeof results->field)

/* ---- the environment: its texts are shared memory (start.c) ---- */

/* Calls by node 0, after which the caller's node has the same environ. */
#define ENVIRONMENT(name, call, parameters, arguments, words)                     \
    static int there_##name parameters                                            \
    {                                                                             \
        int rc = call arguments;                                                  \
        results->environment = start_shared_environment();                        \
        return rc;                                                                \
    }                                                                             \
    int __wrap_##name parameters                                                  \
    {                                                                             \
        if (!start_sharing)                                                       \
            return name arguments;                                                \
        if (!delegate_is_away())                                                  \
            return call arguments;                                                \
        int rc = (int)delegate_call(DELEGATE_FN(there_##name),                    \
                                    (const long[DELEGATE_WORDS]){ words }, NULL); \
        environ = results->environment;                                           \
        return rc;                                                                \
    }
ENVIRONMENT(putenv, putenv, (char *text), (text), WORDS((long)text))
ENVIRONMENT(unsetenv, unsetenv, (const char *name), (name), WORDS((long)name))
ENVIRONMENT(clearenv, clearenv, (void), (), WORDS(0))

static int state_setenv(const char *name, const char *value, int replace)
{
    if (!name || !*name || strchr(name, '=')) {
        errno = EINVAL;
        return -1;
    }
    if (!replace && getenv(name))
        return 0;
    size_t bytes = strlen(name), more = strlen(value);
    char *text = heap_malloc(bytes + more + 2);
    if (!text)
        return -1;
    memcpy(text, name, bytes);
    text[bytes] = '=';
    memcpy(text + bytes + 1, value, more + 1);
    return putenv(text); /* as in the C library the text is kept for good */
}
ENVIRONMENT(setenv, state_setenv, (const char *name, const char *value, int replace),
            (name, value, replace), WORDS((long)name, (long)value, replace))

/* ---- time ---- */

struct state_zone {
    long west;
    int summer;
    char names[2][TEXT_BYTES / 16];
};

static void state_get_zone(struct state_zone *z)
{
    tzset();
    z->west = timezone;
    z->summer = daylight;
    for (int i = 0; i < 2; i++)
        (void)state_copy(z->names[i], tzname[i], sizeof z->names[i]);
}

/* The variables of the caller's node are set, too. */
void __wrap_tzset(void)
{
    static char names[2][TEXT_BYTES / 16]; /* of this node */
    struct state_zone z;
    if (!start_away) {
        tzset();
        return;
    }
    (void)DELEGATE(state_get_zone, (long)&z);
    timezone = z.west;
    daylight = z.summer;
    for (int i = 0; i < 2; i++)
        tzname[i] = strcpy(names[i], z.names[i]);
}

static struct tm *state_tm(struct tm *to, const struct tm *from)
{
    if (!from)
        return NULL;
    char *zone = results->zones[from->tm_isdst > 0];
    *to = *from;
    to->tm_zone = state_copy(zone, from->tm_zone, sizeof results->zones[0]);
    return to;
}

HERE(struct tm *, localtime, (const time_t *time), (time), WORDS((long)time))
{
    return state_tm(&results->localtime, localtime(time));
}

HERE(struct tm *, gmtime, (const time_t *time), (time), WORDS((long)time))
{
    return state_tm(&results->gmtime, gmtime(time));
}

HERE(char *, ctime, (const time_t *time), (time), WORDS((long)time))
{
    return RESULT(ctime, ctime(time));
}

HERE(char *, asctime, (const struct tm *time), (time), WORDS((long)time))
{
    return RESULT(asctime, asctime(time));
}

/* ---- random numbers that are no words ---- */

static void state_drand48(double *out)
{
    *out = drand48();
}

double __wrap_drand48(void)
{
    double value;
    if (!start_away)
        return drand48();
    (void)DELEGATE(state_drand48, (long)&value);
    return value;
}

/* ---- names ---- */

HERE(char *, getlogin, (void), (), WORDS(0))
{
    return RESULT(login, getlogin());
}

HERE(char *, ttyname, (int fd), (fd), WORDS(fd))
{
    return RESULT(ttyname, ttyname(fd));
}

HERE(char *, ptsname, (int fd), (fd), WORDS(fd))
{
    return RESULT(pseudo_terminal, ptsname(fd));
}

/* The caller's node has it, too: there are functions that do not look for node 0's. */
char *__wrap_setlocale(int category, const char *locale);
static char *state_setlocale(int category, const char *locale)
{
    const char *now = setlocale(category, locale);
    if (locale)
        inherit_locale_changed();
    return RESULT(locale, now);
}

char *__wrap_setlocale(int category, const char *locale)
{
    if (!start_sharing)
        return setlocale(category, locale);
    if (!start_away)
        return state_setlocale(category, locale);
    char *text = (char *)DELEGATE(state_setlocale, category, (long)locale);
    if (text && locale)
        (void)setlocale(category, locale);
    return text;
}

/* ---- options of the command line ---- */

typedef int state_option_fn(int, char *const *, const char *, const struct option *, int *);

/* The C library's variables of the caller's node. */
struct state_options {
    char *arg;
    int index, errors, option;
    bool set; /* by the program, since the last call there */
    state_option_fn *fn;
    const struct option *words;
    int *word;
};

static int state_short_option(int argc, char *const *argv, const char *letters,
                              const struct option *words, int *index)
{
    (void)words, (void)index;
    return getopt(argc, argv, letters);
}

static int state_next_option(int argc, char **argv, const char *letters, struct state_options *o)
{
    if (o->set) {
        optind = o->index;
        opterr = o->errors;
    }
    int found = o->fn(argc, argv, letters, o->words, o->word);
    o->arg = optarg;
    o->index = optind;
    o->errors = opterr;
    o->option = optopt;
    return found;
}

static int state_option(state_option_fn *fn, int argc, char *const *argv, const char *letters,
                        const struct option *words, int *word)
{
    if (!start_away)
        return fn(argc, argv, letters, words, word);
    struct state_options o = {
        .index = optind, .errors = opterr, .fn = fn, .words = words, .word = word
    };
    o.set = optind != inherit_options.index || opterr != inherit_options.errors;
    int found = (int)DELEGATE(state_next_option, argc, (long)argv, (long)letters, (long)&o);
    optarg = o.arg;
    optind = o.index;
    opterr = o.errors;
    optopt = o.option;
    inherit_options = (struct inherit_options){ optind, opterr };
    return found;
}

int __wrap_getopt(int argc, char **argv, const char *letters)
{
    return state_option(state_short_option, argc, argv, letters, NULL, NULL);
}

int __wrap_getopt_long(int argc, char *const *argv, const char *letters, const struct option *words,
                       int *word)
{
    return state_option(getopt_long, argc, argv, letters, words, word);
}

int __wrap_getopt_long_only(int argc, char *const *argv, const char *letters,
                            const struct option *words, int *word)
{
    return state_option(getopt_long_only, argc, argv, letters, words, word);
}

static void state_begin(void)
{
    if (start_sharing)
        results = start_shared_memory(sizeof *results, "results of the C library");
}

__attribute__((constructor)) static void state_at_start(void)
{
    start_at_begin(state_begin);
}
