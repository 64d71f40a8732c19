/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.h - start and ends of a program that uses an interface of another system. */
#ifndef COMPAT_FAIL_H
#define COMPAT_FAIL_H

/* Prints one line on stderr, after the program's own output, and exits with status 1, which ends
 * the job. Adds the newline; cuts the message after 511 bytes. */
_Noreturn void fail_job(const char *format, ...)
    __attribute__((format(printf, 1, 2), visibility("hidden")));

/* Joins the job, or exits with status 1. Calls `leave` on exit(0), also by return from main, which
 * is a normal end; any other ends the job. `call` begins messages. */
void fail_join(const char *call, void (*leave)(void)) __attribute__((visibility("hidden")));

#endif
