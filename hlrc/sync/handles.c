/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handles.c - see handles.h. */
#include "hlrc/sync/handles.h"

#include <errno.h>
#include <stdlib.h>

#include "hlrc/core/engine.h"

void handles_init(struct handles *h, uint32_t first, uint32_t per_node)
{
    uint32_t nodes = (uint32_t)engine.nodes;
    free(h->returned);
    *h = (struct handles){ .first = (first + nodes - 1) / nodes * nodes,
                           .limit = first + per_node * nodes };
}

int handles_take(struct handles *h, uint32_t *number)
{
    int rc = 0;
    spin_lock(&h->lock);
    uint64_t fresh =
        (uint64_t)h->first + (uint64_t)h->made * (uint64_t)engine.nodes + (uint64_t)engine.node;
    if (h->count) {
        *number = h->returned[--h->count];
    } else if (fresh < h->limit) {
        *number = (uint32_t)fresh;
        h->made++;
    } else {
        rc = -ENOMEM;
    }
    spin_unlock(&h->lock);
    return rc;
}

void handles_give(struct handles *h, uint32_t number)
{
    spin_lock(&h->lock);
    if (h->count == h->room) {
        uint32_t room = h->room ? 2 * h->room : 64;
        uint32_t *more = realloc(h->returned, room * sizeof *more);
        if (more) {
            h->returned = more;
            h->room = room;
        }
    }
    if (h->count < h->room) /* without memory the number is lost, which is harmless */
        h->returned[h->count++] = number;
    spin_unlock(&h->lock);
}
