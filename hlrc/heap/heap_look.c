/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_look.c - see heap_look.h. */
#include "hlrc/heap/heap_look.h"

#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_tables.h"
#include "hlrc/memory/page.h"

#define NOTE_FREED (UINT64_C(1) << 63)

/* By first page: bytes of a block of hlrc_malloc_all, with NOTE_FREED after it was freed; 0:
 * none. */
static uint64_t *notes;

static size_t heap_look_notes_bytes(void)
{
    return (size_t)engine_heap_pages() * sizeof *notes;
}

void heap_look_end(void)
{
    reserve_end(notes, heap_look_notes_bytes());
    notes = NULL;
}

void heap_note_all(const void *ptr, size_t size)
{
    if (!notes)
        notes = reserve(heap_look_notes_bytes());
    if (!notes)
        return; /* a crash report there has less detail */
    uint64_t *note = &notes[engine_page_of(ptr)];
    *note = size ? size : *note | NOTE_FREED;
}

static void *heap_look_address_of(uint32_t page)
{
    return engine.app + ((size_t)page << PAGE_SHIFT);
}

/* For the page that contains this byte of shared space. */
static bool heap_look_believed(size_t offset)
{
    return engine.alone || !(page_at((uint32_t)(offset >> PAGE_SHIFT))->flags & PAGE_STALE);
}

static bool heap_look_read_entry(const struct heap_tables *t, uint32_t page,
                                 struct heap_tables_entry *out)
{
    size_t offset = ((size_t)t->directory << PAGE_SHIFT) + (size_t)page * sizeof *out;
    if (!heap_look_believed(offset))
        return false;
    *out = *(const struct heap_tables_entry *)(const void *)(engine.mem + offset);
    return true;
}

static bool heap_look_in_outbox(const struct heap_tables *t, const void *block)
{
    uint32_t count = atomic_load(t->outbox_count);
    for (uint32_t i = 0; i < count; i++)
        if (t->outbox[i] == block)
            return true;
    return false;
}

static bool heap_look_is_marked(const struct heap_tables *t, uint32_t first, uint32_t block)
{
    size_t words = PAGE_SIZE / HEAP_GRAIN / 64; /* of a page */
    size_t offset = ((size_t)t->marks << PAGE_SHIFT) + ((size_t)first * words + block / 64) * 8;
    const uint64_t *word = (const void *)(engine.mem + offset);
    return heap_look_believed(offset) && (*word >> block % 64 & 1);
}

static struct heap_place heap_look_in_super(uint32_t first, uint32_t size, const void *addr,
                                            uint32_t *block)
{
    size_t offset = (size_t)((const char *)addr - (const char *)heap_look_address_of(first));
    *block = (uint32_t)(offset / size);
    return (struct heap_place){ .what = HEAP_LIVE,
                                .block = (const char *)heap_look_address_of(first) +
                                         (size_t)*block * size,
                                .size = size };
}

static struct heap_place heap_look_own(const struct heap_tables *t,
                                       const struct heap_arena_super *s, const void *addr)
{
    uint32_t block;
    struct heap_place place =
        heap_look_in_super(s->first, heap_runs_class_size(s->class), addr, &block);
    if (block >= s->fresh || block >= s->blocks)
        place.what = HEAP_UNUSED;
    else if ((s->map[block / 64] >> block % 64 & 1) || heap_look_is_marked(t, s->first, block))
        place.what = HEAP_FREED;
    return place;
}

static struct heap_place heap_look_foreign(const struct heap_tables *t,
                                           const struct heap_tables_entry *e, uint32_t page,
                                           const void *addr)
{
    uint32_t block, first = page - e->index;
    struct heap_place place =
        heap_look_in_super(first, heap_runs_class_size(e->kind - KIND_SMALL), addr, &block);
    if (heap_look_in_outbox(t, place.block) || heap_look_is_marked(t, first, block))
        place.what = HEAP_FREED;
    return place;
}

/* The record of the block that contains the page; false: there is none in this state. */
static bool heap_look_noted(uint32_t page, bool freed, struct heap_place *out)
{
    for (uint32_t at = page; notes; at--) {
        uint64_t size = notes[at] & ~NOTE_FREED;
        bool is_freed = notes[at] & NOTE_FREED;
        if (size != 0 && is_freed == freed && page - at <= (size - 1) >> PAGE_SHIFT) {
            *out = (struct heap_place){ .what = freed ? HEAP_FREED_ALL : HEAP_ALL,
                                        .block = heap_look_address_of(at),
                                        .size = (size_t)size };
            return true;
        }
        if (at == 0)
            break;
    }
    return false;
}

/* Searches the list of free runs for a page. */
static struct heap_place heap_look_free(const struct heap_tables *t, uint32_t page)
{
    const struct heap_runs *runs = (const void *)(engine.mem + t->runs);
    struct heap_place place = { .what = HEAP_UNKNOWN };
    if (heap_look_noted(page, true, &place) || !heap_look_believed(0))
        return place;
    for (uint32_t i = 0; i < runs->used && i < engine_heap_pages(); i++) {
        const struct heap_runs_run *r = &runs->run[i];
        if (!heap_look_believed(t->runs + (size_t)((const char *)r - (const char *)runs)))
            break;
        if (page >= r->start && page - r->start < r->count) {
            place.what = r->clean ? HEAP_UNUSED : HEAP_FREED;
            break;
        }
    }
    return place;
}

/* A page at which nothing begins: inside a run, or free. */
static struct heap_place heap_look_inside(const struct heap_tables *t, uint32_t page)
{
    struct heap_tables_entry e;
    for (uint32_t at = page; at >= t->first && heap_look_read_entry(t, at, &e); at--) {
        if (e.kind == KIND_NONE)
            continue;
        if (e.kind < KIND_SMALL && page - at < e.value)
            return (struct heap_place){ .what = e.kind == KIND_ALL ? HEAP_ALL : HEAP_LIVE,
                                        .block = heap_look_address_of(at),
                                        .size = (size_t)e.value << PAGE_SHIFT };
        break;
    }
    return heap_look_free(t, page);
}

struct heap_place heap_look(const void *addr)
{
    const struct heap_tables *t = heap_tables();
    uint32_t page = engine_page_of(addr);
    struct heap_tables_entry e;
    if (!t)
        return (struct heap_place){ .what = HEAP_UNKNOWN };
    if (page < t->first)
        return (struct heap_place){ .what = HEAP_TABLES };
    const struct heap_arena_super *s = heap_arena_super(t->arena, page);
    struct heap_place place;
    if (s)
        return heap_look_own(t, s, addr);
    if (heap_look_noted(page, false, &place))
        return place;
    if (!heap_look_read_entry(t, page, &e)) {
        place = heap_look_free(t, page);
        place.doubtful = place.what != HEAP_UNKNOWN;
        return place;
    }
    return e.kind >= KIND_SMALL ? heap_look_foreign(t, &e, page, addr) : heap_look_inside(t, page);
}
