/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_near.c - the mixed fabric: peers on the same machine exchange pages by memory that both
 * map; see verbs.h.
 *
 * Only reads and writes are copies. Events use the adapter, so that a sleeper sleeps on one
 * object; atomics do too, since the adapter's need not be atomic against the CPU's.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/addresses.h"
#include "fabric/locality.h"
#include "fabric/shm/shm_map.h"
#include "fabric/verbs/verbs_parts.h"

/* Boot id and namespaces decide which peers are near (locality.h), not the host's name. */
int verbs_near_find(struct verbs_fabric *v)
{
    struct locality mine, *all = calloc((size_t)v->job.nodes, sizeof *all);
    if (!all)
        return -ENOMEM;
    locality_here(&mine);
    int rc = v->job.exchange(v->job.ctx, &mine, sizeof mine, all);
    v->mixed = true;
    for (int n = 0; n < v->job.nodes && rc == 0; n++)
        v->peer[n].near = locality_apart(&mine, &all[n]) == NULL;
    free(all);
    return rc;
}

/* The second exchange keeps every object's descriptor open until all have opened it. */
int verbs_near_map(struct verbs_fabric *v, struct verbs_window *w)
{
    struct shm_ticket mine = { getpid(), w->fd }, all[NODES_MAX];
    int32_t done = 0, every[NODES_MAX];
    if (!v->mixed)
        return 0;
    int rc = v->job.exchange(v->job.ctx, &mine, sizeof mine, all);
    if (rc)
        return rc;
    for (int n = 0; n < v->job.nodes && done == 0; n++) {
        if (n == v->job.node)
            w->near[n] = w->base;
        else if (v->peer[n].near)
            done = shm_map_peer(&all[n], w->size, &w->near[n]);
        if (done)
            done = shm_peer_refused(&v->job, n, &all[n], w->size, done);
    }
    rc = v->job.exchange(v->job.ctx, &done, sizeof done, every);
    for (int n = 0; n < v->job.nodes && rc == 0; n++)
        rc = every[n];
    return rc;
}

void verbs_near_unmap(struct verbs_fabric *v, struct verbs_window *w)
{
    for (int n = 0; n < v->job.nodes; n++)
        if (w->near[n] && n != v->job.node)
            addresses_unmap(w->near[n], w->size);
}
