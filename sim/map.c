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
    map_free(&old);
}

uint32_t map_index(struct map *m, uint32_t key, bool *is_new)
{
    if (m->count * 2 >= m->room)
        map_widen(m);
    uint32_t at = map_place_of(m, key);
    *is_new = m->slot[at] == 0;
    if (*is_new) {
        m->slot[at] = ++m->count;
        m->key[at] = key;
    }
    return m->slot[at] - 1;
}

void map_free(struct map *m)
{
    free(m->slot);
    free(m->key);
}

uint32_t map_find(const struct map *m, uint32_t key)
{
    return m->room == 0 ? UINT32_MAX : m->slot[map_place_of(m, key)] - 1;
}

void map_clear(struct map *m)
{
    if (m->count > 0)
        memset(m->slot, 0, m->room * sizeof *m->slot);
    m->count = 0;
}
