/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounce.c - see bounce.h. */
#include "hlrc/system/bounce.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/reserve.h"

#define ROOM_BYTES ((size_t)256 << 10)
#define SLOTS_MOST 1100u

struct bounce_map {
    struct bounce_map *next;
    size_t bytes;
    _Alignas(16) char at[];
};

static char *rooms; /* one for each slot */
/* Written by the slot's thread and by a handler that interrupts it. The handler restores the
 * value, or never returns: then the room is not used again. */
static volatile bool taken[SLOTS_MOST];
static uint32_t room_count;

int bounce_init(uint32_t slots)
{
    room_count = slots < SLOTS_MOST ? slots : SLOTS_MOST;
    rooms = reserve(room_count * ROOM_BYTES);
    return rooms ? 0 : -ENOMEM;
}

void bounce_begin(struct bounce *b, uint32_t slot)
{
    b->used = 0;
    b->maps = NULL;
    b->room = BOUNCE_NONE;
    b->slot = slot;
}

static void *system_bounce_map(struct bounce *b, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - sizeof(struct bounce_map))
        return NULL;
    bytes += sizeof(struct bounce_map);
    struct bounce_map *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    m->bytes = bytes;
    m->next = b->maps;
    b->maps = m;
    return m->at;
}

void *bounce_take(struct bounce *b, size_t bytes)
{
    if (bytes <= sizeof b->near_bytes - b->used) {
        char *at = b->near_bytes + b->used;
        b->used += (bytes + 15) & ~(size_t)15;
        return at;
    }
    if (bytes <= ROOM_BYTES && b->slot < room_count && !taken[b->slot]) {
        taken[b->slot] = true;
        b->room = b->slot;
        return rooms + b->slot * ROOM_BYTES;
    }
    return system_bounce_map(b, bytes);
}

void bounce_end(struct bounce *b)
{
    while (b->maps) {
        struct bounce_map *m = b->maps;
        b->maps = m->next;
        munmap(m, m->bytes);
    }
    if (b->room != BOUNCE_NONE)
        taken[b->room] = false;
}
