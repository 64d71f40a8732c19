/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * messages.c - messages of a program on the standard error, to the system's log, and in other
 * languages: node 0 has the streams, the log and the catalogs (delegate.h). Texts are formatted by
 * the caller. Texts of catalogs are memory of node 0: the program gets shared copies, which are
 * kept, one for each text.
 */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <libintl.h>
#include <locale.h>
#include <nl_types.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/process/stdio_format.h"
#include "compat/start/heap.h"
#include "compat/start/image.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

_Noreturn void __wrap_exit(int status);

/* Begins with the va_list `args` after `last`. */
#define VARIADIC(name, parameters, last, call) \
    void __wrap_##name parameters              \
    {                                          \
        va_list args;                          \
        va_start(args, last);                  \
        call;                                  \
        va_end(args);                          \
    }

/* ---- warnings; by node 0: ---- */

static int messages_warn(long error, const char *text, int bytes)
{
    errno = (int)error;
    text ? warn("%.*s", bytes, text) : warn(NULL);
    return 0;
}

static int messages_warnx(long unused, const char *text, int bytes)
{
    (void)unused;
    text ? warnx("%.*s", bytes, text) : warnx(NULL);
    return 0;
}

static void messages_put(delegate_fn *put, long to, const char *format, va_list args)
{
    if (format)
        (void)stdio_format(put, to, format, args);
    else
        (void)delegate_call(put, (const long[DELEGATE_WORDS]){ to }, NULL);
}

void __wrap_vwarn(const char *format, va_list args)
{
    if (start_away)
        messages_put(DELEGATE_FN(messages_warn), errno, format, args);
    else
        vwarn(format, args);
}

void __wrap_vwarnx(const char *format, va_list args)
{
    if (start_away)
        messages_put(DELEGATE_FN(messages_warnx), 0, format, args);
    else
        vwarnx(format, args);
}

void __wrap_verr(int status, const char *format, va_list args)
{
    __wrap_vwarn(format, args);
    __wrap_exit(status);
}

void __wrap_verrx(int status, const char *format, va_list args)
{
    __wrap_vwarnx(format, args);
    __wrap_exit(status);
}

VARIADIC(warn, (const char *format, ...), format, __wrap_vwarn(format, args))
VARIADIC(warnx, (const char *format, ...), format, __wrap_vwarnx(format, args))
VARIADIC(err, (int status, const char *format, ...), format, __wrap_verr(status, format, args))
VARIADIC(errx, (int status, const char *format, ...), format, __wrap_verrx(status, format, args))

struct messages_error {
    int error;
    const char *file; /* NULL: none */
    unsigned line;
};

static int messages_error(const struct messages_error *e, const char *text, int bytes)
{
    if (e->file)
        error_at_line(0, e->error, e->file, e->line, "%.*s", bytes, text);
    else
        error(0, e->error, "%.*s", bytes, text);
    return 0;
}

static void messages_report(int status, const struct messages_error *e, const char *format,
                            va_list args)
{
    if (start_away)
        messages_put(DELEGATE_FN(messages_error), (long)e, format, args);
    if (start_away && status)
        __wrap_exit(status);
}

void __wrap_error(int status, int number, const char *format, ...)
{
    va_list args;
    struct messages_error e = { number, NULL, 0 };
    char *text = NULL;
    va_start(args, format);
    if (start_away)
        messages_report(status, &e, format, args);
    else if (vasprintf(&text, format, args) >= 0)
        error(status, number, "%s", text);
    va_end(args);
    free(text);
}

void __wrap_error_at_line(int status, int number, const char *file, unsigned line,
                          const char *format, ...)
{
    va_list args;
    struct messages_error e = { number, file, line };
    char *text = NULL;
    va_start(args, format);
    if (start_away)
        messages_report(status, &e, format, args);
    else if (vasprintf(&text, format, args) >= 0)
        error_at_line(status, number, file, line, "%s", text);
    va_end(args);
    free(text);
}

/* ---- the log ---- */

static int messages_log(int priority, const char *text, int bytes)
{
    syslog(priority, "%.*s", bytes, text);
    return 0;
}

void __wrap_vsyslog(int priority, const char *format, va_list args)
{
    if (start_away)
        (void)stdio_format(DELEGATE_FN(messages_log), priority, format, args);
    else
        vsyslog(priority, format, args);
}

void __wrap___vsyslog_chk(int priority, int flag, const char *format, va_list args)
{
    (void)flag;
    __wrap_vsyslog(priority, format, args);
}

VARIADIC(syslog, (int priority, const char *format, ...), format,
         __wrap_vsyslog(priority, format, args))
VARIADIC(__syslog_chk, (int priority, int flag, const char *format, ...), format,
         __wrap___vsyslog_chk(priority, flag, format, args))

/* ---- catalogs ---- */

#define BUCKETS 256

/* Of node 0. */
static struct messages_kept {
    const char *from;
    char *copy;
    struct messages_kept *next;
} * kept[BUCKETS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static char *messages_copy(const char *text)
{
    struct messages_kept **bucket = &kept[((uintptr_t)text >> 3) % BUCKETS], *k = *bucket;
    while (k && (k->from != text || strcmp(k->copy, text) != 0))
        k = k->next;
    if (!k && (k = malloc(sizeof *k))) {
        size_t bytes = strlen(text) + 1;
        *k = (struct messages_kept){ text, heap_malloc(bytes), *bucket };
        if (!k->copy)
            start_fail("no shared memory for a text of %zu bytes; raise --memory", bytes);
        memcpy(k->copy, text, bytes);
        *bucket = k;
    }
    return k ? k->copy : NULL;
}

/* The executable's texts, and the program's memory, all nodes have. */
static char *messages_shared(const char *text)
{
    if (!text || start_is_shared(text) || text < delegate_program_end)
        return (char *)(uintptr_t)text;
    pthread_mutex_lock(&mutex);
    char *copy = messages_copy(text);
    pthread_mutex_unlock(&mutex);
    return copy;
}

HERE(char *, catgets, (nl_catd catalog, int set, int number, const char *text),
     (catalog, set, number, text), WORDS((long)catalog, set, number, (long)text))
{
    return messages_shared(catgets(catalog, set, number, text));
}

HERE(char *, textdomain, (const char *domain), (domain), WORDS((long)domain))
{
    return messages_shared(textdomain(domain));
}

HERE(char *, bindtextdomain, (const char *domain, const char *folder), (domain, folder),
     WORDS((long)domain, (long)folder))
{
    return messages_shared(bindtextdomain(domain, folder));
}

HERE(char *, bind_textdomain_codeset, (const char *domain, const char *codeset), (domain, codeset),
     WORDS((long)domain, (long)codeset))
{
    return messages_shared(bind_textdomain_codeset(domain, codeset));
}

HERE(char *, dcgettext, (const char *domain, const char *id, int category), (domain, id, category),
     WORDS((long)domain, (long)id, category))
{
    return messages_shared(dcgettext(domain, id, category));
}

HERE(char *, dcngettext,
     (const char *domain, const char *id, const char *plural, unsigned long n, int category),
     (domain, id, plural, n, category),
     WORDS((long)domain, (long)id, (long)plural, (long)n, category))
{
    return messages_shared(dcngettext(domain, id, plural, n, category));
}

char *__wrap_dgettext(const char *domain, const char *id)
{
    return __wrap_dcgettext(domain, id, LC_MESSAGES);
}

char *__wrap_gettext(const char *id)
{
    return __wrap_dcgettext(NULL, id, LC_MESSAGES);
}

char *__wrap_dngettext(const char *domain, const char *id, const char *plural, unsigned long n)
{
    return __wrap_dcngettext(domain, id, plural, n, LC_MESSAGES);
}

char *__wrap_ngettext(const char *id, const char *plural, unsigned long n)
{
    return __wrap_dcngettext(NULL, id, plural, n, LC_MESSAGES);
}
