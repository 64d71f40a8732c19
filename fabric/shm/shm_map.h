/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm_map.h - memory objects of nodes of one machine that other nodes map, and copies within them.
 *
 * Peers open each other's objects through /proc/PID/fd. That needs one user and one process
 * namespace (locality.h), but no name that could be left over, and works under every launcher.
 */
#ifndef FABRIC_SHM_MAP_H
#define FABRIC_SHM_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

/* Identifies one of a node's memory objects to the others. */
struct shm_ticket {
    int32_t pid, fd;
};

/* Makes a zero-filled object of `size` bytes; its descriptor, or a negative errno. */
int shm_make_object(size_t size);

/* Maps an object, excluded from core dumps and from forked children. 0 or a negative errno. All
 * mappings made here are unmapped by addresses_unmap. */
int shm_map_object(int fd, size_t size, char **base);

/* Maps the object of a peer, which must keep its descriptor open. 0 or a negative errno; -ENOENT:
 * that process has ended, or is hidden. Allowed in a fault handler. */
int shm_map_peer(const struct shm_ticket *t, size_t size, char **base);

/* Reports through job->fail, with a remedy, that this node could not map the object of another,
 * although both are on one machine (locality.h); returns rc. */
int shm_peer_refused(const struct fabric_job *job, int node, const struct shm_ticket *t,
                     size_t size, int rc);

/* Maps the objects of `size` bytes of all other nodes for which near[node], into base[node]; `fd`
 * is this node's. Collective: 0, or the error of one node, which it has reported through job->fail.
 * The second exchange keeps every object's descriptor open until all have opened it. */
int shm_map_near(const struct fabric_job *job, const bool *near, int fd, size_t size, char **base);

/* Copies so that every aligned 8 bytes arrive whole [fabric.whole-word] if source and destination
 * have the same alignment. */
void shm_copy(void *dst, const void *src, size_t len);

#endif
