/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.h - maps sparse keys to dense indices, in the order of first use. */
#ifndef SIM_MAP_H
#define SIM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    uint32_t *slot; /* index + 1 */
    uint32_t *key;
    uint32_t room, count;
};

/* map_index - the index of a key; a new key gets the previous count */
uint32_t map_index(struct map *m, uint32_t key, bool *is_new);
/* map_find - the same; UINT32_MAX if absent */
uint32_t map_find(const struct map *m, uint32_t key);
void map_clear(struct map *m);
void map_free(struct map *m);

/* grow - an array with room for `least` elements; new ones are zero */
void *map_grow(void *array, uint32_t *room, uint32_t least, size_t size);

#endif
