/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.h - numbers of things that are few of many, in the order in which they were met. */
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

/* map_index - the index of a key: the count before, for one that is new */
uint32_t map_index(struct map *m, uint32_t key, bool *is_new);
/* map_find - the same; UINT32_MAX where it is not */
uint32_t map_find(const struct map *m, uint32_t key);
void map_clear(struct map *m);
void map_free(struct map *m);

/* grow - an array with room for `least`, zeros where there was none */
void *grow(void *array, uint32_t *room, uint32_t least, size_t size);

#endif
