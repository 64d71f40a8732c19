/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_DIAG_H
#define HLRC_DIAG_H

/*
 * Messages to the user: one line each, with "hlrc: " or, in a job of several nodes, "hlrc: node 2:
 * " before it. Write cause, value, limit and remedy.
 *
 *   - Every line is one write(2), or one message to the launcher, of at most DIAG_LINE_MAX bytes.
 *   - All functions here may be called in a signal handler and by several threads at once: they
 *     neither allocate nor take a lock. A format uses only %s %d %u %x %p %zu and their long forms.
 *   - The first fatal line in a process counts; in a job, the first that reaches hlrcrun.
 *   - A line that begins with a comma continues the name of the node: "hlrc: node 2, thread 1:
 *     ..."; if the node is not named the comma is left out.
 */

#include <stdbool.h>

enum { DIAG_LINE_MAX = 1024 };

/* Status of a job that is deadlocked; 124 is the status of timeout(1) as well. Instead of 0: races
 * were found; an output file was not written (EX_IOERR); the job can be continued from a
 * checkpoint. */
enum {
    STATUS_RACES = 66,
    STATUS_OUTPUT = 74,
    STATUS_CONTINUE = 85,
    STATUS_DEADLOCK = 123,
    STATUS_TIMEOUT = 124
};

/* The node that reports, and where fatal lines go. */
struct diag_sink {
    int node, nodes;
    /* NULL: to standard error, as all others; allowed in a signal handler */
    void (*report)(int status, const char *line);
    /* more lines of a report; NULL: to standard error */
    void (*detail)(const char *line);
};

/* diag_set_sink - from now on; NULL: back to a single process. The sink must not change until the
 * next call. */
void diag_set_sink(const struct diag_sink *sink);

/* diag_fatal - print the line, end the process with _exit(status); under hlrcrun that ends the
 * job */
_Noreturn void diag_fatal(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * diag_report - print the line as diag_fatal() does but return, for a caller that ends the process
 * otherwise (a signal that dumps core: status 128 + signal) or returns an error from hlrc_init().
 */
void diag_report(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * diag_detail - a further line of the fatal one; only if this thread reported that line and it
 * counts
 */
void diag_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* diag_join - the text between the name of the node and the line; advances `line` past the comma if
 * no name is printed before it */
const char *diag_join(bool named, const char **line);

void diag_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* diag_exit_status - an exit of this process with status 0 has this one instead. Not in a signal
 * handler. */
void diag_exit_status(int status);

/* diag_job - a line of the job, not of this node: names no node */
void diag_job(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
