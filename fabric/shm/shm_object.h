/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm_object.h - a memory object on every node, which another node maps when it first uses it.
 *
 * Invariants
 *   SO1  An object's descriptor stays open until all nodes have closed the fabric, so a peer may
 *        open it at any time before.
 *   SO2  `base` of a peer is set once. Several threads may map at the same time: one of them sets
 *        it, the others undo what they did.
 *   SO3  Mapping allocates nothing, takes no lock and prints nothing: allowed in a fault handler.
 *   SO4  The system allows a process so many mappings, and the application's view may have taken
 *        all of them (page_view.h G3) by the time that a peer is first used. So some are set aside
 *        at start, and one is given back for each that finds no room: as many as this fabric can
 *        come to need, up to SPARES_MOST.
 */
#ifndef FABRIC_SHM_OBJECT_H
#define FABRIC_SHM_OBJECT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/shm/shm_map.h"

#define SPARES_MOST 256

/* SO4: `count` mappings of a page each, of which the first `given` are gone. */
struct shm_spares {
    char *at;
    uint32_t count;
    _Atomic uint32_t given;
};

/* All but `base` of peers is constant once it is shared. */
struct shm_object {
    size_t size;
    int fd;                              /* this node's */
    struct shm_ticket ticket[NODES_MAX]; /* by node */
    char *_Atomic base[NODES_MAX];       /* by node; a peer's: NULL until it is used (SO2) */
};

/* Sets aside what `nodes` nodes with so many objects each may need; none if it cannot. */
void shm_spares_make(struct shm_spares *s, int nodes, int objects);
void shm_spares_end(struct shm_spares *s);

/* Makes this node's object; 0 or a negative errno, which shm_object_share tells the others. */
int shm_object_make(struct shm_object *o, const struct fabric_job *job, size_t size);

/* Collective: 0 if every node has made its object, else the error of one. What is in the own object
 * by then is there before a peer can look. */
int shm_object_share(struct shm_object *o, const struct fabric_job *job);

/* Maps the object of a peer: its base. Ends the job with a line where that fails. */
char *shm_object_map(struct shm_object *o, const struct fabric_job *job, struct shm_spares *s,
                     int peer);

/* The same without waiting or complaint: NULL where it cannot be mapped now, its owner may have
 * ended. */
char *shm_object_find(struct shm_object *o, int peer);

/* Whether a peer's object can be opened: 0, or a negative errno after a line through job->fail. */
int shm_object_try(struct shm_object *o, const struct fabric_job *job, int peer);

void shm_object_end(struct shm_object *o, const struct fabric_job *job);

#endif
