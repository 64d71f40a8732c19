/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_near.c - the mixed fabric: peers on the same machine exchange pages by memory that both
 * map; see verbs.h.
 *
 * Only reads and writes are copies. Events use the adapter, so that a sleeper sleeps on one
 * object; atomics do too, since the adapter's need not be atomic against the CPU's.
 */
#include "base/addresses.h"
#include "fabric/locality.h"
#include "fabric/shm/shm_map.h"
#include "fabric/verbs/verbs_parts.h"

int verbs_near_find(struct verbs_fabric *v)
{
    bool near[NODES_MAX];
    int rc = locality_near(&v->job, near);
    v->mixed = true;
    for (int n = 0; n < v->job.nodes && rc == 0; n++)
        v->peer[n].near = near[n];
    return rc;
}

int verbs_near_map(struct verbs_fabric *v, struct verbs_window *w)
{
    bool near[NODES_MAX];
    if (!v->mixed)
        return 0;
    for (int n = 0; n < v->job.nodes; n++)
        near[n] = v->peer[n].near;
    w->near[v->job.node] = w->base;
    return shm_map_near(&v->job, near, w->fd, w->size, w->near);
}

void verbs_near_unmap(struct verbs_fabric *v, struct verbs_window *w)
{
    for (int n = 0; n < v->job.nodes; n++)
        if (w->near[n] && n != v->job.node)
            addresses_unmap(w->near[n], w->size);
}
