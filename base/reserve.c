/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reserve.c - see reserve.h. */
#include "base/reserve.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/addresses.h"
#include "base/limits.h"

void *reserve(size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *at = addresses_map(bytes, PROT_READ | PROT_WRITE, flags, -1);
    if (at == MAP_FAILED)
        return NULL;
#ifndef HLRC_DEBUG
    /* a core dump is for the program; walking gigabytes of tables would take most of its time */
    (void)madvise(at, bytes, MADV_DONTDUMP);
#endif
    return at;
}

void reserve_end(void *at, size_t bytes)
{
    if (at)
        addresses_unmap(at, bytes);
}

size_t reserve_touched(const void *at, size_t from, size_t bytes)
{
    unsigned char present[1024];
    size_t page = from / PAGE_SIZE, pages = (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
    while (page < pages) {
        size_t n = pages - page < sizeof present ? pages - page : sizeof present;
        char *first = (char *)(uintptr_t)at + page * PAGE_SIZE;
        if (mincore(first, n * PAGE_SIZE, present) != 0)
            return from;
        for (size_t i = 0; i < n; i++)
            if (present[i] & 1)
                return (page + i) * PAGE_SIZE > from ? (page + i) * PAGE_SIZE : from;
        page += n;
    }
    return bytes;
}
