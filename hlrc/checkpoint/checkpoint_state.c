/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_state.c - see checkpoint_state.h. */
#include "hlrc/checkpoint/checkpoint_state.h"

#include <errno.h>
#include <hlrc.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_arena.h"
#include "hlrc/heap/heap_tables.h"
#include "hlrc/rma/window.h"
#include "hlrc/sync/atomic.h"
#include "hlrc/sync/handles.h"

/* Of hlrc_protect, in the order of the calls. */
struct checkpoint_state_piece {
    void *at;
    size_t len;
};
static struct checkpoint_state_piece *pieces;
static uint32_t piece_count;

/* What a node loads of a file. */
enum {
    LOAD_NUMBERS = 1, /* what has been assigned, and words */
    LOAD_BLOCKS = 2,  /* the heap's blocks, and numbers that were freed */
    LOAD_PIECES = 4,
    LOAD_WINDOWS = 8,       /* and compares their places */
    LOAD_WINDOWS_NONE = 16, /* there may be none: the number of nodes is another one */
};

/* Numbers of each kind that all saved nodes had assigned are below these. */
static uint32_t numbers_end[HANDLES_KINDS];

int hlrc_protect(void *ptr, size_t len)
{
    call_check("hlrc_protect");
    call_check_given("hlrc_protect", "ptr", ptr);
    if (engine_in_space(ptr) || len == 0)
        return -EINVAL;
    uint32_t i = 0;
    while (i < piece_count && pieces[i].at != ptr)
        i++;
    if (i == piece_count) {
        struct checkpoint_state_piece *more = realloc(pieces, (i + 1) * sizeof *more);
        if (!more)
            return -ENOMEM;
        pieces = more;
        piece_count++;
    }
    pieces[i] = (struct checkpoint_state_piece){ ptr, len };
    return 0;
}

void checkpoint_state_end(void)
{
    free(pieces);
    pieces = NULL;
    piece_count = 0;
}

static uint32_t checkpoint_state_get_count(struct checkpoint_file *f)
{
    uint32_t count = 0;
    checkpoint_file_get(f, &count, sizeof count);
    return count;
}

/* ---- numbers and words ---- */

static void checkpoint_state_save_numbers(struct checkpoint_file *f)
{
    for (int kind = 0; kind < HANDLES_KINDS; kind++) {
        const struct handles *h = handles_of((enum handles_kind)kind);
        uint32_t end = handles_end(h);
        checkpoint_file_put(f, &end, sizeof end);
        checkpoint_file_put(f, &h->count, sizeof h->count);
        checkpoint_file_put(f, h->returned, h->count * sizeof *h->returned);
    }
}

static void checkpoint_state_load_numbers(struct checkpoint_file *f, unsigned what)
{
    for (int kind = 0; kind < HANDLES_KINDS; kind++) {
        uint32_t end = checkpoint_state_get_count(f), number = 0;
        if ((what & LOAD_NUMBERS) && end > numbers_end[kind])
            numbers_end[kind] = end;
        for (uint32_t n = checkpoint_state_get_count(f); n > 0; n--) {
            checkpoint_file_get(f, &number, sizeof number);
            if (what & LOAD_BLOCKS)
                handles_give(handles_of((enum handles_kind)kind), number);
        }
    }
}

static void checkpoint_state_save_words(struct checkpoint_file *f)
{
    uint32_t nodes = (uint32_t)engine.nodes, first = (uint32_t)engine.node;
    uint32_t end = handles_end(handles_of(HANDLES_ATOMICS));
    uint32_t count = end > first ? (end - first + nodes - 1) / nodes : 0;
    checkpoint_file_put(f, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = atomic_load(atomic_word_here(first + i * nodes));
        checkpoint_file_put(f, &value, sizeof value);
    }
}

static void checkpoint_state_load_words(struct checkpoint_file *f, unsigned what, uint32_t node,
                                        uint32_t nodes)
{
    uint32_t count = checkpoint_state_get_count(f), here = (uint32_t)engine.nodes;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = 0, word = node + (uint64_t)i * nodes;
        checkpoint_file_get(f, &value, sizeof value);
        if ((what & LOAD_NUMBERS) && word % here == (uint32_t)engine.node &&
            word / here < ATOMIC_WORDS)
            atomic_store(atomic_word_here((uint32_t)word), value);
    }
}

/* ---- the heap ---- */

/* A superblock; then its map. */
struct checkpoint_state_super {
    uint32_t first, pages, class, fresh, dirty, words;
};

static uint32_t checkpoint_state_map_words(const struct heap_arena_super *s)
{
    return (s->blocks + 63) / 64;
}

static void checkpoint_state_save_list(struct checkpoint_file *f, const struct heap_arena_super *s)
{
    for (; s; s = s->next) {
        struct checkpoint_state_super head = { s->first, s->pages, s->class,
                                               s->fresh, s->dirty, checkpoint_state_map_words(s) };
        checkpoint_file_put(f, &head, sizeof head);
        checkpoint_file_put(f, s->map, head.words * sizeof *s->map);
    }
}

static void checkpoint_state_save_heap(struct checkpoint_file *f)
{
    const struct heap_arena *a = heap_tables()->arena;
    const struct checkpoint_state_super end = { 0 };
    for (int class = 0; class < HEAP_CLASSES; class ++) {
        checkpoint_state_save_list(f, a->usable[class]);
        checkpoint_state_save_list(f, a->full[class]);
    }
    checkpoint_file_put(f, &end, sizeof end);
}

static struct heap_arena_super *checkpoint_state_super_new(const struct checkpoint_state_super *h)
{
    if (h->class >= HEAP_CLASSES || h->pages > 255 || h->first >= engine_heap_pages() ||
        h->pages > engine_heap_pages() - h->first)
        return NULL;
    struct heap_arena_super *s = heap_arena_super_new((int)h->class, h->pages);
    if (s && checkpoint_state_map_words(s) == h->words)
        return s;
    free(s);
    return NULL;
}

static void checkpoint_state_load_heap(struct checkpoint_file *f, unsigned what)
{
    bool own = what & LOAD_BLOCKS;
    struct checkpoint_state_super head = { 0 };
    for (;;) {
        checkpoint_file_get(f, &head, sizeof head);
        if (checkpoint_file_status(f) != 0 || head.pages == 0)
            return;
        struct heap_arena_super *s = own ? checkpoint_state_super_new(&head) : NULL;
        if (!s) {
            if (own)
                checkpoint_file_fail(f, -EBADMSG);
            checkpoint_file_skip(f, head.words * sizeof(uint64_t));
            continue;
        }
        checkpoint_file_get(f, s->map, head.words * sizeof *s->map);
        s->fresh = head.fresh;
        s->left = 0;
        for (uint32_t w = 0; w < head.words; w++)
            s->left += (uint32_t)__builtin_popcountll(s->map[w]);
        heap_arena_add(heap_tables()->arena, s, head.first, head.dirty != 0);
    }
}

static void checkpoint_state_adopt_list(const struct heap_arena_super *s)
{
    struct heap_tables_entry *all =
        (void *)(engine.app + ((size_t)heap_tables()->directory << PAGE_SHIFT));
    for (; s; s = s->next)
        for (uint32_t i = 0; i < s->pages; i++)
            if (all[s->first + i].owner != (unsigned)engine.node)
                all[s->first + i].owner = (unsigned)engine.node & 1023;
}

void checkpoint_state_adopt(void)
{
    const struct heap_arena *a = heap_tables()->arena;
    for (int class = 0; class < HEAP_CLASSES; class ++) {
        checkpoint_state_adopt_list(a->usable[class]);
        checkpoint_state_adopt_list(a->full[class]);
    }
}

/* ---- private memory and windows ---- */

static void checkpoint_state_save_pieces(struct checkpoint_file *f)
{
    checkpoint_file_put(f, &piece_count, sizeof piece_count);
    for (uint32_t i = 0; i < piece_count; i++) {
        uint64_t len = pieces[i].len;
        checkpoint_file_put(f, &len, sizeof len);
        checkpoint_file_put(f, pieces[i].at, pieces[i].len);
    }
}

static void checkpoint_state_load_pieces(struct checkpoint_file *f, unsigned what)
{
    bool own = what & LOAD_PIECES;
    uint32_t count = checkpoint_state_get_count(f);
    if (own && checkpoint_file_status(f) == 0 && count != piece_count)
        diag_fatal(1,
                   "hlrc_checkpoint: the program has called hlrc_protect for %u pieces, and %u are "
                   "in the checkpoint; protect the same before the first hlrc_checkpoint",
                   piece_count, count);
    for (uint32_t i = 0; i < count && checkpoint_file_status(f) == 0; i++) {
        uint64_t len = 0;
        checkpoint_file_get(f, &len, sizeof len);
        if (own && checkpoint_file_status(f) == 0 && len != pieces[i].len)
            diag_fatal(1,
                       "hlrc_checkpoint: piece %u of hlrc_protect has %zu bytes, and %llu in the "
                       "checkpoint; protect the same before the first hlrc_checkpoint",
                       i, pieces[i].len, (unsigned long long)len);
        if (own)
            checkpoint_file_get(f, pieces[i].at, len);
        else
            checkpoint_file_skip(f, len);
    }
}

static void checkpoint_state_save_windows(struct checkpoint_file *f)
{
    uint32_t count = arena.top;
    checkpoint_file_put(f, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        const struct window *w = &arena.window[i];
        uint64_t place[2] = { w->begin, w->end };
        checkpoint_file_put(f, place, sizeof place);
        if (place[1] > 0)
            checkpoint_file_put(f, arena.base + place[0], place[1] - place[0]);
    }
}

_Noreturn static void checkpoint_state_other_windows(void)
{
    diag_fatal(1, "hlrc_checkpoint: the program has made other windows than the checkpoint has; "
                  "make the same, on as many nodes, before the first hlrc_checkpoint");
}

static void checkpoint_state_load_windows(struct checkpoint_file *f, unsigned what)
{
    uint32_t count = checkpoint_state_get_count(f);
    bool own = what & LOAD_WINDOWS, none = what & LOAD_WINDOWS_NONE;
    if (checkpoint_file_status(f) == 0 && ((own && count != arena.top) || (none && count > 0)))
        checkpoint_state_other_windows();
    for (uint32_t i = 0; i < count && checkpoint_file_status(f) == 0; i++) {
        const struct window *w = &arena.window[i];
        uint64_t place[2] = { 0, 0 };
        checkpoint_file_get(f, place, sizeof place);
        if (own && checkpoint_file_status(f) == 0 && (place[0] != w->begin || place[1] != w->end))
            checkpoint_state_other_windows();
        if (own && place[1] > 0)
            checkpoint_file_get(f, arena.base + place[0], place[1] - place[0]);
        else if (place[1] > 0)
            checkpoint_file_skip(f, place[1] - place[0]);
    }
}

/* ---- all of it ---- */

void checkpoint_state_save(struct checkpoint_file *f)
{
    checkpoint_state_save_numbers(f);
    checkpoint_state_save_words(f);
    checkpoint_state_save_heap(f);
    checkpoint_state_save_pieces(f);
    checkpoint_state_save_windows(f);
}

int checkpoint_state_load_begin(void)
{
    for (int kind = 0; kind < HANDLES_KINDS; kind++) {
        handles_of((enum handles_kind)kind)->count = 0;
        numbers_end[kind] = 0;
    }
    return heap_arena_clear(heap_tables()->arena);
}

static void checkpoint_state_read(struct checkpoint_file *f, unsigned what, uint32_t node,
                                  uint32_t nodes)
{
    checkpoint_state_load_numbers(f, what);
    checkpoint_state_load_words(f, what, node, nodes);
    checkpoint_state_load_heap(f, what);
    checkpoint_state_load_pieces(f, what);
    checkpoint_state_load_windows(f, what);
}

void checkpoint_state_load(struct checkpoint_file *f, uint32_t node, uint32_t nodes)
{
    uint32_t me = (uint32_t)engine.node, here = (uint32_t)engine.nodes;
    unsigned what = LOAD_NUMBERS;
    what |= node % here == me ? LOAD_BLOCKS : 0;
    what |= me % nodes == node ? LOAD_PIECES : 0;
    what |= nodes != here ? LOAD_WINDOWS_NONE : node == me ? LOAD_WINDOWS : 0;
    checkpoint_state_read(f, what, node, nodes);
}

void checkpoint_state_skip(struct checkpoint_file *f)
{
    checkpoint_state_read(f, 0, 0, 1);
}

/* The largest of all nodes: a node may have loaded its own file only. */
static int checkpoint_state_agree(void)
{
    static uint32_t all[NODES_MAX][HANDLES_KINDS];
    int rc = boot_exchange(engine.boot, numbers_end, sizeof numbers_end, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        for (int kind = 0; kind < HANDLES_KINDS; kind++)
            if (all[n][kind] > numbers_end[kind])
                numbers_end[kind] = all[n][kind];
    return rc;
}

int checkpoint_state_load_end(void)
{
    int rc = checkpoint_state_agree();
    for (int kind = 0; kind < HANDLES_KINDS && rc == 0; kind++)
        rc = handles_resume(handles_of((enum handles_kind)kind), numbers_end[kind]);
    return rc;
}
