/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/diag.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Written by hlrc_init() and hlrc_finalize(); read by all threads that report. */
static _Atomic(const struct diag_sink *) diag_sink;

/* The thread whose fatal line counts; 0: none yet. */
static atomic_int diag_owner;

/*
 * glibc's vsnprintf neither allocates nor locks for the conversions that diag.h allows, so signal
 * handlers may use it here. A line stays one line whatever the arguments contain.
 */
static size_t diag_line_format(char *line, size_t size, const char *fmt, va_list args)
{
    int len = vsnprintf(line, size, fmt, args);
    size_t used = len < 0 ? 0 : (size_t)len < size ? (size_t)len : size - 1;

    for (size_t i = 0; i < used; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = ' ';
    return used;
}

const char *diag_join(bool named, const char **line)
{
    if (**line != ',')
        return named ? ": " : "";
    if (!named)
        *line += strspn(*line, ", ");
    return "";
}

static void diag_line_write(const struct diag_sink *sink, const char *line)
{
    char text[DIAG_LINE_MAX + 32];
    bool named = sink != NULL && sink->nodes > 1;
    const char *join = diag_join(named, &line);
    int len;

    if (named)
        len = snprintf(text, sizeof text, "hlrc: node %d%s%s\n", sink->node, join, line);
    else
        len = snprintf(text, sizeof text, "hlrc: %s\n", line);
    if (len > 0 && write(STDERR_FILENO, text, (size_t)len) < 0)
        return; /* standard error is closed */
}

static void diag_line_print(const struct diag_sink *sink, const char *fmt, va_list args)
{
    char line[DIAG_LINE_MAX];

    diag_line_format(line, sizeof line, fmt, args);
    diag_line_write(sink, line);
}

static void diag_line_report(int status, const char *line)
{
    const struct diag_sink *sink = atomic_load(&diag_sink);

    if (sink != NULL && sink->report != NULL)
        sink->report(status, line);
    else
        diag_line_write(sink, line);
}

/* True for the first thread that reports a fatal line. */
static bool diag_owner_claim(void)
{
    int nobody = 0;

    return atomic_compare_exchange_strong(&diag_owner, &nobody, (int)gettid());
}

void diag_set_sink(const struct diag_sink *sink)
{
    atomic_store(&diag_sink, sink);
    atomic_store(&diag_owner, 0);
}

void diag_report(int status, const char *fmt, ...)
{
    char line[DIAG_LINE_MAX];
    va_list args;

    if (!diag_owner_claim())
        return;
    va_start(args, fmt);
    diag_line_format(line, sizeof line, fmt, args);
    va_end(args);
    diag_line_report(status, line);
}

_Noreturn void diag_fatal(int status, const char *fmt, ...)
{
    char line[DIAG_LINE_MAX];
    va_list args;

    if (diag_owner_claim()) {
        va_start(args, fmt);
        diag_line_format(line, sizeof line, fmt, args);
        va_end(args);
        diag_line_report(status, line);
    } else if (atomic_load(&diag_owner) != (int)gettid()) {
        /* Another thread is ending the process, perhaps by a signal that dumps core: wait for
         * it. */
        nanosleep(&(struct timespec){ .tv_sec = 2 }, NULL);
    }
    _exit(status);
}

void diag_detail(const char *fmt, ...)
{
    const struct diag_sink *sink = atomic_load(&diag_sink);
    char line[DIAG_LINE_MAX];
    va_list args;

    if (atomic_load(&diag_owner) != (int)gettid())
        return;
    va_start(args, fmt);
    diag_line_format(line, sizeof line, fmt, args);
    va_end(args);
    if (sink != NULL && sink->detail != NULL)
        sink->detail(line);
    else
        diag_line_write(sink, line);
}

void diag_warn(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    diag_line_print(atomic_load(&diag_sink), fmt, args);
    va_end(args);
}

void diag_job(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    diag_line_print(NULL, fmt, args);
    va_end(args);
}

/* Handlers registered earlier run after this one: the C library continues with them. */
static void diag_exit_leave(int status, void *instead)
{
    if (status == 0)
        exit((int)(intptr_t)instead);
}

void diag_exit_status(int status)
{
    (void)on_exit(diag_exit_leave, (void *)(intptr_t)status);
}
