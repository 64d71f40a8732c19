/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_arena.c - see heap_arena.h for the invariants. */
#include "hlrc/heap/heap_arena.h"

#include <errno.h>
#include <stdlib.h>

#include "base/reserve.h"

static size_t heap_arena_table_bytes(const struct heap_arena *a)
{
    return (size_t)a->pages * sizeof(struct heap_arena_super *);
}

int heap_arena_init(struct heap_arena *a, uint32_t pages, uint32_t empty_max)
{
    *a = (struct heap_arena){ .pages = pages, .empty_max = empty_max };
    a->of_page =
        reserve(heap_arena_table_bytes(a)); /* takes memory only for pages of small blocks */
    return a->of_page ? 0 : -ENOMEM;
}

static void heap_arena_free_list(struct heap_arena_super *s)
{
    while (s) {
        struct heap_arena_super *next = s->next;
        free(s);
        s = next;
    }
}

void heap_arena_end(struct heap_arena *a)
{
    for (int c = 0; c < HEAP_CLASSES; c++) {
        heap_arena_free_list(a->usable[c]);
        heap_arena_free_list(a->full[c]);
    }
    reserve_end(a->of_page, heap_arena_table_bytes(a));
    *a = (struct heap_arena){ 0 };
}

int heap_arena_clear(struct heap_arena *a)
{
    uint32_t pages = a->pages, empty_max = a->empty_max;
    heap_arena_end(a);
    return heap_arena_init(a, pages, empty_max);
}

static void heap_arena_link_first(struct heap_arena_super **head, struct heap_arena_super *s)
{
    s->prev = NULL;
    s->next = *head;
    if (*head)
        (*head)->prev = s;
    *head = s;
}

static void heap_arena_unlink_from(struct heap_arena_super **head, struct heap_arena_super *s)
{
    if (s->prev)
        s->prev->next = s->next;
    else
        *head = s->next;
    if (s->next)
        s->next->prev = s->prev;
}

struct heap_arena_super *heap_arena_super_new(int class, uint32_t pages)
{
    uint32_t blocks = pages * 4096u / heap_runs_class_size(class), words = (blocks + 63) / 64;
    struct heap_arena_super *s = calloc(1, sizeof *s + words * sizeof s->map[0]);
    if (!s)
        return NULL;
    s->class = (uint8_t) class;
    s->inverse = UINT32_MAX / heap_runs_class_size(class) + 1;
    s->pages = pages;
    s->blocks = s->left = blocks;
    for (uint32_t b = 0; b < blocks; b++)
        s->map[b / 64] |= UINT64_C(1) << b % 64;
    return s;
}

void heap_arena_add(struct heap_arena *a, struct heap_arena_super *s, uint32_t first, bool dirty)
{
    s->first = first;
    s->dirty = dirty;
    for (uint32_t i = 0; i < s->pages; i++)
        a->of_page[first + i] = s;
    heap_arena_link_first(s->left ? &a->usable[s->class] : &a->full[s->class], s);
    a->empty += s->left == s->blocks;
}

void heap_arena_remove(struct heap_arena *a, struct heap_arena_super *s)
{
    a->empty -= s->left == s->blocks;
    heap_arena_unlink_from(s->left ? &a->usable[s->class] : &a->full[s->class], s);
    for (uint32_t i = 0; i < s->pages; i++)
        a->of_page[s->first + i] = NULL;
    free(s);
}

bool heap_arena_take(struct heap_arena *a, int class, struct heap_arena_block *out)
{
    struct heap_arena_super *s = a->usable[class];
    if (!s)
        return false;
    while (s->map[s->hint] == 0)
        s->hint++;
    uint64_t *word = &s->map[s->hint];
    uint32_t block = s->hint * 64 + (uint32_t)__builtin_ctzll(*word);
    *word &= *word - 1;
    a->empty -= s->left == s->blocks;
    if (--s->left == 0) {
        heap_arena_unlink_from(&a->usable[class], s);
        heap_arena_link_first(&a->full[class], s);
    }
    out->used = s->dirty || block < s->fresh;
    if (block >= s->fresh)
        s->fresh = block + 1;
    out->offset = (uint64_t)s->first * 4096u + (uint64_t)block * heap_runs_class_size(class);
    return true;
}

enum heap_arena_status heap_arena_give_block(struct heap_arena *a, struct heap_arena_super *s,
                                             uint32_t block)
{
    if (block >= s->fresh)
        return ARENA_NO_BLOCK;
    uint64_t bit = UINT64_C(1) << block % 64;
    if (s->map[block / 64] & bit)
        return ARENA_FREE_ALREADY;
    s->map[block / 64] |= bit;
    if (block / 64 < s->hint)
        s->hint = block / 64;
    if (s->left++ == 0) {
        heap_arena_unlink_from(&a->full[s->class], s);
        heap_arena_link_first(&a->usable[s->class], s);
    }
    if (s->left < s->blocks)
        return ARENA_OK;
    a->empty++;
    bool only = a->usable[s->class] == s && s->next == NULL;
    return only && a->empty <= a->empty_max ? ARENA_OK : ARENA_EMPTIED;
}

enum heap_arena_status heap_arena_give(struct heap_arena *a, struct heap_arena_super *s,
                                       uint64_t offset)
{
    uint32_t block = heap_arena_block_at(s, offset);
    return block == UINT32_MAX ? ARENA_NO_BLOCK : heap_arena_give_block(a, s, block);
}

struct heap_arena_super *heap_arena_empty(const struct heap_arena *a, int class)
{
    struct heap_arena_super *s = a->usable[class];
    while (s && s->left != s->blocks)
        s = s->next;
    return s;
}
