/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.c - see map.h. */
#include "sim/map.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

void *map_grow(void *array, uint32_t *room, uint32_t least, size_t size)
{
    uint32_t before = *room;

    if (least <= before)
        return array;
    *room = before * 2 > least ? before * 2 : least + 15;
    array = fail_realloc(array, *room, size);
    memset((char *)array + before * size, 0, (*room - before) * size);
    return array;
}

static uint32_t map_place_of(const struct map *m, uint32_t key)
{
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (m->room - 1);

    while (m->slot[at] != 0 && m->key[at] != key)
        at = (at + 1) & (m->room - 1);
    return at;
}

static void map_widen(struct map *m)
{
    struct map old = *m;

    m->room = old.room == 0 ? 64 : old.room * 2;
    m->slot = fail_alloc(m->room, sizeof *m->slot);
    m->key = fail_alloc(m->room, sizeof *m->key);
    for (uint32_t i = 0; i < old.room; i++) {
        if (old.slot[i] == 0)
            continue;
        uint32_t at = map_place_of(m, old.key[i]);
        m->slot[at] = old.slot[i];
        m->key[at] = old.key[i];
    }
    free(old.slot);
    free(old.key);
}

static void *map_new(struct map *m, size_t size)
{
    m->value = map_grow(m->value, &m->value_room, m->count + 1, sizeof *m->value);
    if (m->count == m->made)
        return m->value[m->made++] = fail_alloc(1, size);
    return memset(m->value[m->count], 0, size);
}

void *map_at(struct map *m, uint32_t key, size_t size)
{
    if (m->count * 2 >= m->room)
        map_widen(m);
    uint32_t at = map_place_of(m, key);
    if (m->slot[at] != 0)
        return m->value[m->slot[at] - 1];
    void *value = map_new(m, size);
    m->slot[at] = ++m->count;
    m->key[at] = key;
    return value;
}

void map_free(struct map *m)
{
    for (uint32_t i = 0; i < m->made; i++)
        free(m->value[i]);
    free(m->slot);
    free(m->key);
    free(m->value);
}

void *map_find(const struct map *m, uint32_t key)
{
    uint32_t at = m->room == 0 ? 0 : m->slot[map_place_of(m, key)];

    return at == 0 ? NULL : m->value[at - 1];
}

void map_clear(struct map *m)
{
    if (m->count > 0)
        memset(m->slot, 0, m->room * sizeof *m->slot);
    m->count = 0;
}
