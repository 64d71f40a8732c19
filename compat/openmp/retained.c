/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* retained.c - see retained.h. */
#include "compat/openmp/retained.h"

#include <string.h>

#include "compat/openmp/team.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

struct retained *retained_make(struct team_region *r, size_t bytes)
{
    size_t size = (sizeof(struct retained) + bytes + 63) & ~(size_t)63;
    struct retained *k = heap_aligned_alloc(64, size);
    if (!k)
        start_fail("OpenMP: no shared memory for a construct's %zu bytes; raise --memory", size);
    memset(k, 0, size);
    k->next = r->retained;
    r->retained = k;
    return k;
}

static void retained_splice(struct retained **from, struct retained **to)
{
    while (*from) {
        struct retained *k = *from;
        *from = k->next;
        k->next = *to;
        *to = k;
    }
}

void retained_leave(struct team_region *r)
{
    if (!r->retained)
        return;
    retained_splice(&r->retained, &r->retained_over);
    if (!r->shared)
        retained_free(r);
}

void retained_free(struct team_region *r)
{
    while (r->retained_over) {
        struct retained *k = r->retained_over;
        r->retained_over = k->next;
        heap_free(k);
    }
}
