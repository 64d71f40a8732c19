/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* place.c - see place.h. */
#include "compat/treadmarks/place.h"

#include <link.h>

struct place_search {
    uintptr_t addr;
    size_t size;
    bool writable;
    struct tmk_place *place;
    void *found;
};

/* FNV-1a. */
static uint64_t place_hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3;
    return h;
}

static int place_holds(struct dl_phdr_info *info, size_t len, void *arg)
{
    (void)len;
    struct place_search *s = arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || (s->writable && !(segment->p_flags & PF_W)))
            continue;
        if (s->addr < from || s->size > segment->p_memsz ||
            s->addr - from > segment->p_memsz - s->size)
            continue;
        s->place->object = place_hash(info->dlpi_name);
        s->place->offset = s->addr - info->dlpi_addr;
        return 1;
    }
    return 0;
}

bool place_find(const void *addr, size_t size, bool writable, struct tmk_place *place)
{
    struct place_search s = {
        .addr = (uintptr_t)addr, .size = size, .writable = writable, .place = place
    };
    return dl_iterate_phdr(place_holds, &s) == 1;
}

static int place_is_object(struct dl_phdr_info *info, size_t len, void *arg)
{
    (void)len;
    struct place_search *s = arg;
    if (place_hash(info->dlpi_name) != s->place->object)
        return 0;
    s->found = (void *)(info->dlpi_addr + s->place->offset);
    return 1;
}

void *place_here(const struct tmk_place *place)
{
    struct tmk_place copy = *place;
    struct place_search s = { .place = &copy };
    return dl_iterate_phdr(place_is_object, &s) == 1 ? s.found : NULL;
}
