/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kept.c - see kept.h. */
#include "compat/openmp/kept.h"

#include <string.h>

#include "compat/openmp/team.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

struct kept *kept_make(struct region *r, size_t bytes)
{
    size_t size = (sizeof(struct kept) + bytes + 63) & ~(size_t)63;
    struct kept *k = heap_aligned_alloc(64, size);
    if (!k)
        start_fail("OpenMP: no shared memory for a construct's %zu bytes; raise --memory", size);
    memset(k, 0, size);
    k->next = r->kept;
    r->kept = k;
    return k;
}

static void splice(struct kept **from, struct kept **to)
{
    while (*from) {
        struct kept *k = *from;
        *from = k->next;
        k->next = *to;
        *to = k;
    }
}

void kept_leave(struct region *r)
{
    if (!r->kept)
        return;
    splice(&r->kept, &r->kept_over);
    if (!r->shared)
        kept_free(r);
}

void kept_free(struct region *r)
{
    while (r->kept_over) {
        struct kept *k = r->kept_over;
        r->kept_over = k->next;
        heap_free(k);
    }
}
