/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memory.h - see memory.c. */
#ifndef COMPAT_MEMORY_H
#define COMPAT_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <wchar.h>

/* The C library has scanned `count` items: makes the texts that it has allocated for %m shared. */
void memory_share_scanned(const void *format, bool wide, int count, va_list args);

#endif
