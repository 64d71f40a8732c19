/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* failure.h - how an operation whose result is not checked ends the job. For transports. */
#ifndef FABRIC_FAILURE_H
#define FABRIC_FAILURE_H

#include "fabric/fabric.h"

/* Prints the line through `fail` (of struct fabric_job), or to stderr if that is NULL, and ends
 * the process. */
_Noreturn void failure_fabric_fail(void (*fail)(const char *line), const char *line);

/* The same for an operation that this transport lacks: "read", "compare-and-swap". */
_Noreturn void failure_fabric_lacks(const struct fabric *f, const char *what);

#endif
