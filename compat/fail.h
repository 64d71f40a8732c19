/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.h - the end of a program that has called an interface of another system wrongly. */
#ifndef COMPAT_FAIL_H
#define COMPAT_FAIL_H

/* Says one line on stderr, behind what the program has printed, and ends the process with status
 * 1; so ends the job. The newline is added; of more than 511 bytes the rest is cut off. */
_Noreturn void compat_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), visibility("hidden")));

#endif
