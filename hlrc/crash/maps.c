/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps.c - see maps.h. */
#include "hlrc/crash/maps.h"

#include <stddef.h>
#include <string.h>

#include "base/procfs.h"

static void maps_copy_map(const struct procfs_map *map, struct maps_mapping *out)
{
    size_t len = strnlen(map->name, sizeof out->name - 1);
    *out = (struct maps_mapping){ .start = map->begin,
                                  .end = map->end,
                                  .readable = map->readable,
                                  .writable = map->writable,
                                  .executable = map->executable,
                                  .offset = map->offset };
    memcpy(out->name, map->name, len);
}

bool maps_walk(pid_t pid, bool (*show)(const struct maps_mapping *mapping, void *arg), void *arg)
{
    static struct procfs_maps maps;
    static struct maps_mapping mapping;
    struct procfs_map map;
    if (!procfs_maps_open(&maps, pid))
        return false;
    while (procfs_maps_next(&maps, &map)) {
        maps_copy_map(&map, &mapping);
        if (!show(&mapping, arg))
            break;
    }
    procfs_maps_close(&maps);
    return true;
}

struct maps_search {
    uintptr_t address, below, above;
    struct maps_mapping *out;
    bool found;
};

static bool maps_look(const struct maps_mapping *mapping, void *arg)
{
    struct maps_search *s = arg;
    if (mapping->end <= s->address) {
        s->below = mapping->end;
        return true;
    }
    s->found = mapping->start <= s->address;
    if (s->found)
        *s->out = *mapping;
    else
        s->above = mapping->start;
    return false;
}

bool maps_find(uintptr_t address, struct maps_mapping *out, uintptr_t *below, uintptr_t *above)
{
    struct maps_search s = { .address = address, .out = out };
    (void)maps_walk(0, maps_look, &s);
    if (below)
        *below = s.below;
    if (above)
        *above = s.above;
    return s.found;
}
