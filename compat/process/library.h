/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* library.h - see library.c. */
#ifndef COMPAT_LIBRARY_H
#define COMPAT_LIBRARY_H

#include <stdbool.h>

/* The calling code runs the program, or a library for it, on another node than 0. */
bool library_is_away(void);

#endif
