/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stdio_format.h - see stdio.c. */
#ifndef COMPAT_STDIO_FORMAT_H
#define COMPAT_STDIO_FORMAT_H

#include <stdarg.h>

#include "compat/process/delegate.h"

/* Formats on this node. Node 0 performs put(to, text, bytes), whose result is returned; the text
 * does not end in a zero. */
int stdio_format(delegate_fn *put, long to, const char *format, va_list args);

#endif
