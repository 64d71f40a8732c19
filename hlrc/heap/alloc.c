/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* alloc.c - hlrc_alloc: every kind of allocation by one call. */
#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/sites.h"

#define ALLOC_FLAGS (HLRC_ALLOC_ALL | HLRC_ALLOC_PLACED | HLRC_ALLOC_UNINITIALIZED)

/* False if the options are not valid, or ask for what this library does not know: fields beyond its
 * own are zeros. */
static bool alloc_read_options(const struct hlrc_alloc_options *given,
                               struct hlrc_alloc_options *known)
{
    memset(known, 0, sizeof *known);
    if (!given)
        return true;
    size_t least = offsetof(struct hlrc_alloc_options, flags) + sizeof known->flags;
    if (given->size < least)
        return false;
    memcpy(known, given, given->size < sizeof *known ? given->size : sizeof *known);
    for (size_t i = sizeof *known; i < given->size; i++)
        if (((const char *)given)[i] != 0)
            return false;
    if (known->flags & ~(unsigned)ALLOC_FLAGS)
        return false;
    return !(known->flags & HLRC_ALLOC_PLACED) || (known->flags & HLRC_ALLOC_ALL);
}

/* Memory of all nodes begins at a page. */
static void *alloc_all(size_t size, const struct hlrc_alloc_options *o)
{
    if ((o->align & (o->align - 1)) != 0 || o->align > PAGE_SIZE) {
        errno = EINVAL;
        return NULL;
    }
    return o->flags & HLRC_ALLOC_PLACED ? hlrc_alloc_placed(size, o->placement, o->unit)
                                        : hlrc_malloc_all(size);
}

void *hlrc_alloc(size_t size, const struct hlrc_alloc_options *options)
{
    struct hlrc_alloc_options o;
    call_check("hlrc_alloc");
    if (!alloc_read_options(options, &o)) {
        errno = EINVAL;
        return NULL;
    }
    size_t align = o.align ? o.align : 16;
    void *ptr = o.flags & HLRC_ALLOC_ALL             ? alloc_all(size, &o)
                : o.flags & HLRC_ALLOC_UNINITIALIZED ? hlrc_alloc_uninitialized(align, size)
                                                     : hlrc_aligned_alloc(align, size);
    sites_note(ptr, size, __builtin_return_address(0));
    return ptr;
}
