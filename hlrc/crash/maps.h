/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps.h - the mappings of a process, read without allocating; for crash.c, one thread at a
 * time. */
#ifndef HLRC_MAPS_H
#define HLRC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MAP_NAME_MAX 512

struct maps_mapping {
    uintptr_t start, end;
    bool readable, writable, executable;
    uint64_t offset;         /* in the file */
    char name[MAP_NAME_MAX]; /* of the file, "[heap]", ...; "" for none */
};

/* Calls `show` for each mapping of the process (0: this one), by ascending address, until it
 * returns false. False if the mappings cannot be read. */
bool maps_walk(pid_t pid, bool (*show)(const struct maps_mapping *mapping, void *arg), void *arg);

/* The mapping that contains an address of this process; false: none. *above: start of the next
 * one, *below: end of the previous one; 0 for none. Both may be NULL. */
bool maps_find(uintptr_t address, struct maps_mapping *out, uintptr_t *below, uintptr_t *above);

#endif
