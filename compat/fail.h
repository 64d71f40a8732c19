/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.h - ends a program that misuses an interface of another system. */
#ifndef COMPAT_FAIL_H
#define COMPAT_FAIL_H

/* Prints one line on stderr, after the program's own output, and exits with status 1, which ends
 * the job. Adds the newline; cuts the message after 511 bytes. */
_Noreturn void fail_compat_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), visibility("hidden")));

#endif
