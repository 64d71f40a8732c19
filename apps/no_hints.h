/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* no_hints.h - the hints of hlrc.h as no-ops, for programs that link no HLRC: sequential.h,
 * native.h. */
#ifndef APPS_NO_HINTS_H
#define APPS_NO_HINTS_H

#include <stddef.h>

static inline int hlrc_prefetch(const void *addr, size_t len)
{
    (void)addr;
    (void)len;
    return 0;
}

static inline int hlrc_touch(void *addr, size_t len, int write)
{
    (void)addr;
    (void)len;
    (void)write;
    return 0;
}

#endif
