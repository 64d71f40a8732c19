/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_DIAG_H
#define HLRC_DIAG_H

/*
 * What the runtime says to the user: one line each, "hlrc: " or, in a job of several nodes, "hlrc:
 * node 2: " before it. Write cause, value, limit and remedy.
 *
 *   DG1  Every line is one write(2), or one message to the launcher, of at most DIAG_LINE_MAX
 *        bytes.
 *   DG2  All of these may be called in a signal handler and by several threads at once: nothing
 *        allocates, nothing takes a lock. In a format use %s %d %u %x %p %zu and their long forms
 *        only.
 *   DG3  Of all fatal lines in a process the first one counts; of those in a job, the first to
 *        reach hlrcrun.
 *   DG4  A line that begins with a comma goes on with the name of the node: "hlrc: node 2, thread
 *        1: ..."; where the node is not named the comma is left out.
 */

#include <stdbool.h>

enum { DIAG_LINE_MAX = 1024 };

/* Of a job that stood still; 124 is what timeout(1) has, too. */
enum { STATUS_DEADLOCK = 123, STATUS_TIMEOUT = 124 };

/* Who speaks, and where fatal lines go. */
struct diag_sink {
    int node, nodes;
    /* NULL: to standard error, as all others; keeps to DG2 */
    void (*report)(int status, const char *line);
    /* more of what was reported; NULL: to standard error */
    void (*detail)(const char *line);
};

/* diag_set_sink - from now on; NULL: a single process again. The sink stays as it is until the next
 * call. */
void diag_set_sink(const struct diag_sink *sink);

/* diag_fatal - print the line, end the process with _exit(status); under hlrcrun that ends the
 * job */
_Noreturn void diag_fatal(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * diag_report - print the line as diag_fatal() does but return, for a caller who ends the process
 * by other means (a signal that dumps core: status 128 + signal) or returns an error from
 * hlrc_init().
 */
void diag_report(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * diag_detail - a line that belongs to the fatal one, behind it; only where that was this thread's
 * and counts (DG3)
 */
void diag_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* diag_join - what stands between the name of the node and the line (DG4); `line` is moved on where
 * nothing stands before it */
const char *diag_join(bool named, const char **line);

void diag_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* diag_job - a line of the job, not of this node: no node is named before it */
void diag_job(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
