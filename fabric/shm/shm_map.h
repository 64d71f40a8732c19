/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm_map.h - memory objects that nodes of one machine map of each other, and copies within them.
 *
 * Peers open each other's objects through /proc/PID/fd, which needs one user and one process
 * namespace (locality.h), and no name that could be left behind; by whichever launcher.
 */
#ifndef FABRIC_SHM_MAP_H
#define FABRIC_SHM_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

/* What a node tells the others of one of its memory objects. */
struct shm_ticket {
    int32_t pid, fd;
};

/* Makes a zero-filled object of `size` bytes; its descriptor, or a negative errno. */
int shm_make_object(size_t size);

/* Maps an object, left out of core dumps and of forked children. 0 or a negative errno. All that is
 * mapped here is unmapped by addresses_unmap. */
int shm_map_object(int fd, size_t size, char **base);

/* Maps the object of a peer, which keeps its descriptor open meanwhile. 0 or a negative errno;
 * -ENOENT: that process has ended, or is hidden. Allowed in a fault handler. */
int shm_map_peer(const struct shm_ticket *t, size_t size, char **base);

/* The nodes are together (locality.h), and yet one could not map what belongs to another: says so
 * through job->fail, with what helps, and returns rc. */
int shm_peer_refused(const struct fabric_job *job, int node, const struct shm_ticket *t,
                     size_t size, int rc);

/* Copies so that every aligned 8 bytes arrive whole (F5 of fabric.h) where source and destination
 * are aligned alike. */
void shm_copy(void *dst, const void *src, size_t len);

#endif
