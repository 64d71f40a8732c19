/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* close.c - the program's calls that close descriptors leave HLRC's open (descriptors.h). A forked
 * child may close them. */
#include <errno.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/start/descriptors.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* ---- by node 0 ---- */

static int close_one(int fd)
{
    if (start_is_child || !descriptors_is_own((unsigned)fd))
        return close(fd);
    errno = EBADF;
    return -1;
}

static int close_many(unsigned first, unsigned last, int flags)
{
    unsigned from = first, fd = first < DESCRIPTORS_LEAST ? DESCRIPTORS_LEAST : first;
    int rc = 0;
    for (; !start_is_child && rc == 0 && fd < DESCRIPTORS_END && fd <= last; fd++) {
        if (!descriptors_is_own(fd))
            continue;
        if (fd > from)
            rc = close_range(from, fd - 1, flags);
        from = fd + 1;
    }
    return rc == 0 && from <= last ? close_range(from, last, flags) : rc;
}

/* ---- the program's calls ---- */

int __wrap_close(int fd)
{
    delegate_point();
    int rc = delegate_is_away() ? (int)DELEGATE(close_one, fd) : close_one(fd);
    delegate_point();
    return rc;
}

int __wrap_close_range(unsigned first, unsigned last, int flags)
{
    if (first > last)
        return close_range(first, last, flags);
    return delegate_is_away() ? (int)DELEGATE(close_many, first, last, flags)
                              : close_many(first, last, flags);
}

void __wrap_closefrom(int first)
{
    (void)__wrap_close_range(first < 0 ? 0 : (unsigned)first, ~0U, 0);
}
