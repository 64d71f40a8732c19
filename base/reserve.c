/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reserve.c - see reserve.h. */
#include "base/reserve.h"

#include <sys/mman.h>

void *reserve(size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
#ifndef HLRC_DEBUG
    /* a core dump shows the program: to walk tables of gigabytes takes longer than all else */
    (void)madvise(at, bytes, MADV_DONTDUMP);
#endif
    return at;
}

void reserve_end(void *at, size_t bytes)
{
    if (at)
        munmap(at, bytes);
}
