/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exceptions.h - see exceptions.c. */
#ifndef COMPAT_EXCEPTIONS_H
#define COMPAT_EXCEPTIONS_H

#include <stdbool.h>

/* Has the calling thread caught an exception whose handler has not ended, or thrown one? */
bool exceptions_are_under_way(void);

#endif
