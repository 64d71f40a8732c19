/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.h - maps sparse keys to values, and arrays that grow. */
#ifndef SIM_MAP_H
#define SIM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    uint32_t *slot; /* index + 1 */
    uint32_t *key;
    void **value; /* in the order of first use; `made` of them are allocated */
    uint32_t room, count, made, value_room;
};

/* map_at - the value of a key, of SIZE bytes; of a new key: all 0. It stays where it is. */
void *map_at(struct map *m, uint32_t key, size_t size);
/* map_find - the same; NULL if absent */
void *map_find(const struct map *m, uint32_t key);
void map_clear(struct map *m);
void map_free(struct map *m);

/* map_grow - an array with room for `least` elements; new ones are zero */
void *map_grow(void *array, uint32_t *room, uint32_t least, size_t size);

/* MAP_PUSH - a new element at the end of an array of that count and room */
#define MAP_PUSH(array, count, room) \
    ((array) = map_grow((array), &(room), (count) + 1, sizeof *(array)), &(array)[(count)++])

#endif
