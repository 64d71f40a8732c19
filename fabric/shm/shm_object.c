/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shm_object.c - see shm_object.h for the invariants. */
#include "fabric/shm/shm_object.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/clock.h"

#define SPARE_BYTES 4096
/* The job ends in less time. Its launcher reports the cause, which this node does not know. */
#define ENDED_WAIT_MS 2000

/* ---- spare mappings ---- */

void shm_spares_make(struct shm_spares *s, int nodes, int objects)
{
    uint32_t most = (uint32_t)(nodes - 1) * (uint32_t)objects,
             count = most < SPARES_MOST ? most : SPARES_MOST;
    *s = (struct shm_spares){ 0 };
    if (count == 0)
        return;
    void *at = mmap(NULL, (size_t)count * SPARE_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return;
    s->at = at;
    s->count = count;
    for (uint32_t i = 0; i < count; i += 2) /* splits the area into mappings */
        (void)mprotect(s->at + (size_t)i * SPARE_BYTES, SPARE_BYTES, PROT_READ);
}

void shm_spares_end(struct shm_spares *s)
{
    uint32_t given = atomic_load(&s->given);
    if (given < s->count)
        munmap(s->at + (size_t)given * SPARE_BYTES, (size_t)(s->count - given) * SPARE_BYTES);
    *s = (struct shm_spares){ 0 };
}

static bool shm_object_give_back(struct shm_spares *s)
{
    uint32_t i = atomic_load(&s->given);
    while (i < s->count && !atomic_compare_exchange_weak(&s->given, &i, i + 1))
        continue;
    return i < s->count && munmap(s->at + (size_t)i * SPARE_BYTES, SPARE_BYTES) == 0;
}

/* ---- objects ---- */

int shm_object_make(struct shm_object *o, const struct fabric_job *job, size_t size)
{
    char *base;
    int fd = shm_make_object(size), rc = fd < 0 ? fd : shm_map_object(fd, size, &base);
    o->size = size;
    o->fd = fd;
    if (rc == 0)
        o->base[job->node] = base;
    else if (fd >= 0)
        close(fd);
    o->ticket[job->node] = (struct shm_ticket){ getpid(), rc < 0 ? rc : fd };
    return rc;
}

int shm_object_share(struct shm_object *o, const struct fabric_job *job)
{
    struct shm_ticket mine = o->ticket[job->node];
    int rc = job->exchange(job->ctx, &mine, sizeof mine, o->ticket);
    for (int n = 0; n < job->nodes && rc == 0; n++)
        rc = o->ticket[n].fd < 0 ? o->ticket[n].fd : 0;
    return rc;
}

/* If the peer has ended without a goodbye, waits: the launcher reports the reason and ends the
 * job. */
static int shm_object_map_peer(const struct shm_ticket *t, size_t size, struct shm_spares *s,
                               char **base)
{
    int64_t begun = clock_ms();
    const struct timespec nap = { .tv_nsec = 10000000 };
    int rc = shm_map_peer(t, size, base);
    while ((rc == -ENOMEM && shm_object_give_back(s)) ||
           (rc == -ENOENT && clock_ms() - begun < ENDED_WAIT_MS)) {
        if (rc == -ENOENT)
            (void)nanosleep(&nap, NULL);
        rc = shm_map_peer(t, size, base);
    }
    return rc;
}

/* Sets the base unless another thread has; returns the one that is set. */
static char *shm_object_base_keep(struct shm_object *o, int peer, char *mine)
{
    char *first = NULL;
    if (atomic_compare_exchange_strong(&o->base[peer], &first, mine))
        return mine;
    addresses_unmap(mine, o->size);
    return first;
}

char *shm_object_map(struct shm_object *o, const struct fabric_job *job, struct shm_spares *s,
                     int peer)
{
    char *mine;
    int rc = shm_object_map_peer(&o->ticket[peer], o->size, s, &mine);
    if (rc) {
        shm_peer_refused(job, peer, &o->ticket[peer], o->size, rc);
        abort(); /* no handler to report it */
    }
    return shm_object_base_keep(o, peer, mine);
}

char *shm_object_find(struct shm_object *o, int peer)
{
    char *base = atomic_load_explicit(&o->base[peer], memory_order_acquire);
    if (base || shm_map_peer(&o->ticket[peer], o->size, &base) != 0)
        return base;
    return shm_object_base_keep(o, peer, base);
}

int shm_object_try(struct shm_object *o, const struct fabric_job *job, int peer)
{
    char *base;
    int rc = shm_map_peer(&o->ticket[peer], o->size, &base);
    if (rc)
        return shm_peer_refused(job, peer, &o->ticket[peer], o->size, rc);
    addresses_unmap(base, o->size);
    return 0;
}

void shm_object_end(struct shm_object *o, const struct fabric_job *job)
{
    for (int n = 0; n < job->nodes; n++) {
        char *base = atomic_load(&o->base[n]);
        if (base)
            addresses_unmap(base, o->size);
        if (base && n == job->node)
            close(o->fd);
        atomic_store(&o->base[n], NULL);
    }
}
