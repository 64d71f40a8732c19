/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * state.c - variables that the C library keeps for the process: the environment, locale, names of
 * users. Node 0 has them (delegate.h). Results in memory of the C library are copied to shared
 * memory, one result for each function, as in the C library.
 */
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void state_begin(void)
{
    if (start_sharing)
        results = start_shared_memory(sizeof *results, "results of the C library");
}

__attribute__((constructor)) static void state_at_start(void)
{
    start_at_begin(state_begin);
}
