/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm_object.h - a memory object on every node; another node maps it when it first uses it.
 *
 * Invariants
 *   - An object's descriptor stays open until all nodes have closed the fabric, so a peer may open
 *     it at any time before.
 *   - `base` of a peer is set once. Several threads may map at the same time: one of them sets it,
 *     the others undo their mapping.
 *   - Mapping allocates nothing, takes no lock and prints nothing: allowed in a fault handler.
 *   - The system limits the number of mappings of a process, and the application's view may have
 *     taken all of them (page_view.h) when a peer is first used. So spare mappings are reserved at
 *     start, and one is released for each mapping that finds no room: as many as this fabric may
 *     need, up to SPARES_MOST.
 */
#ifndef FABRIC_SHM_OBJECT_H
#define FABRIC_SHM_OBJECT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/shm/shm_map.h"

#define SPARES_MOST 256

/* `count` mappings of a page each, of which the first `given` have been released. */
struct shm_spares {
    char *at;
    uint32_t count;
    _Atomic uint32_t given;
};

/* After sharing, all fields except `base` of peers are constant. */
struct shm_object {
    size_t size;
    int fd;                              /* of this node */
    struct shm_ticket ticket[NODES_MAX]; /* by node */
    char *_Atomic base[NODES_MAX];       /* by node; a peer's is NULL until it is used */
};

/* Reserves spares for `nodes` nodes with `objects` objects each; none if that fails. */
void shm_spares_make(struct shm_spares *s, int nodes, int objects);
void shm_spares_end(struct shm_spares *s);

/* Makes this node's object; 0 or a negative errno, which shm_object_share reports to the
 * others. */
int shm_object_make(struct shm_object *o, const struct fabric_job *job, size_t size);

/* Collective: 0 if every node has made its object, else the error of one. The earlier contents of
 * this node's object are visible before a peer can map it. */
int shm_object_share(struct shm_object *o, const struct fabric_job *job);

/* Maps the object of a peer: its base. Ends the job with a line on failure. */
char *shm_object_map(struct shm_object *o, const struct fabric_job *job, struct shm_spares *s,
                     int peer);

/* The same without waiting or message: NULL if it cannot be mapped now; its owner may have
 * ended. */
char *shm_object_find(struct shm_object *o, int peer);

/* Whether a peer's object can be opened: 0, or a negative errno after a line through job->fail. */
int shm_object_try(struct shm_object *o, const struct fabric_job *job, int peer);

void shm_object_end(struct shm_object *o, const struct fabric_job *job);

#endif
