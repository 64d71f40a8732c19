/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The heap's arithmetic over plain memory: size classes, runs of free pages against a model of one
 * byte per page, superblocks, and threads' caches against a model. The invariants are those of
 * hlrc/heap/heap_runs.h, hlrc/heap/heap_arena.h and hlrc/heap/heap_cache.h.
 */
#include "hlrc/heap/heap_arena.h"
#include "hlrc/heap/heap_cache.h"
#include "hlrc/heap/heap_runs.h"
#include "tests/unit/rng.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t rng_state = 1;

/* ---- classes ---- */

static void classes_grow(void)
{
    assert_int_equal(heap_runs_class_size(0), 16);
    assert_int_equal(heap_runs_class_size(HEAP_CLASSES - 1), HEAP_SMALL_MAX);
    for (int c = 1; c < HEAP_CLASSES; c++) {
        uint32_t before = heap_runs_class_size(c - 1), size = heap_runs_class_size(c);
        assert_true(size > before);
        assert_int_equal(size % HEAP_GRAIN, 0);
        assert_true(size - before <= 16 || (size - before) * 9 <= size);
    }
}

static void class_is_the_smallest(void)
{
    for (size_t size = 1; size <= HEAP_SMALL_MAX; size++) {
        int c = heap_runs_class_for(size, 1);
        assert_in_range(c, 0, HEAP_CLASSES - 1);
        assert_true(heap_runs_class_size(c) >= size);
        assert_true(c == 0 || heap_runs_class_size(c - 1) < size);
    }
    assert_int_equal(heap_runs_class_for(HEAP_SMALL_MAX + 1, 1), -1);
    assert_int_equal(heap_runs_class_for(SIZE_MAX, 16), -1);
}

static void class_is_aligned(void)
{
    for (size_t align = 1; align <= 4096; align *= 2) {
        for (size_t size = 1; size <= HEAP_SMALL_MAX; size += 1 + size / 50) {
            int c = heap_runs_class_for(size, align);
            assert_in_range(c, 0, HEAP_CLASSES - 1);
            assert_true(heap_runs_class_size(c) >= size && heap_runs_class_size(c) % align == 0);
        }
    }
    assert_int_equal(heap_runs_class_for(1, 8192), -1);
}

/* ---- runs, against a model ---- */

#define PAGES 300u

enum { TAKEN, CLEAN, DIRTY };

static unsigned char model[PAGES];
static struct heap_runs *list;

static void begin(void)
{
    if (!list)
        list = malloc(sizeof *list + PAGES * sizeof list->run[0]);
    assert_non_null(list);
    heap_runs_init(list, 0, PAGES);
    memset(model, CLEAN, sizeof model);
}

/* And that the list says what the model says. */
static void compare(void)
{
    unsigned char seen[PAGES] = { TAKEN };
    uint32_t total = 0, longest = 0, here = 0;
    for (uint32_t i = 0; i < list->used; i++) {
        const struct heap_runs_run *e = &list->run[i];
        assert_true(e->count > 0 && e->clean <= 1 && e->start + e->count <= PAGES);
        if (i > 0) {
            uint32_t end = e[-1].start + e[-1].count;
            assert_true(end <= e->start);
            assert_true(end < e->start || e[-1].clean != e->clean);
        }
        memset(seen + e->start, e->clean ? CLEAN : DIRTY, e->count);
    }
    assert_memory_equal(seen, model, PAGES);
    for (uint32_t p = 0; p < PAGES; p++) {
        here = model[p] == TAKEN ? 0 : here + 1;
        longest = here > longest ? here : longest;
        total += model[p] != TAKEN;
    }
    assert_int_equal(heap_runs_total(list), total);
    assert_int_equal(heap_runs_largest(list), longest);
}

/* Where the model finds room; PAGES: nowhere. */

static uint32_t model_fit(uint32_t count, uint32_t align, uint32_t skew)
{
    for (uint32_t p = 0; p + count <= PAGES; p++) {
        uint32_t k = 0;
        while ((p + skew) % align == 0 && k < count && model[p + k] != TAKEN)
            k++;
        if (k == count)
            return p;
    }
    return PAGES;
}

static void check_dirty(const struct heap_runs_taken *t, uint32_t count)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t p = t->start; p < t->start + count; p++) {
        if (model[p] == DIRTY) {
            low = p < low ? p : low;
            high = p + 1;
        }
    }
    assert_int_equal(t->dirty_count, high ? high - low : 0);
    if (high)
        assert_int_equal(t->dirty_start, low);
}

static bool take(uint32_t count, uint32_t align, uint32_t skew, uint32_t *start)
{
    struct heap_runs_taken t;
    uint32_t expected = model_fit(count, align, skew);
    bool ok = heap_runs_take(list, count, align, skew, &t);
    assert_int_equal(ok, expected != PAGES);
    if (ok) {
        assert_int_equal(t.start, expected);
        check_dirty(&t, count);
        memset(model + t.start, TAKEN, count);
        *start = t.start;
    }
    compare();
    return ok;
}

static void give(uint32_t start, uint32_t count, bool clean)
{
    assert_true(heap_runs_give(list, start, count, clean));
    memset(model + start, clean ? CLEAN : DIRTY, count);
    compare();
}

static void runs_edges(void)
{
    uint32_t a, b;
    begin();
    assert_true(take(PAGES, 1, 0, &a));
    assert_false(take(1, 1, 0, &b));
    give(0, 1, false);
    give(PAGES - 1, 1, true);
    assert_false(heap_runs_give(list, 0, 1, false));
    assert_false(heap_runs_give(list, PAGES - 2, 2, false));
    assert_false(heap_runs_give(list, 0, PAGES, true));
    compare();
    give(1, PAGES - 2, true);
    assert_true(take(PAGES, 1, 0, &a)); /* of a dirty and a clean record */
    begin();
    assert_false(take(1, 1u << 18, 7, &a)); /* the only aligned page lies behind the end */
    assert_true(take(1, 1u << 18, 0, &a));
    assert_int_equal(a, 0);
}

static void runs_random(void)
{
    for (int round = 0; round < 20; round++) {
        uint32_t start[PAGES], count[PAGES], held = 0;
        begin();
        for (int i = 0; i < 1000; i++) {
            uint32_t n = 1 + rng(1 + rng(40));
            if (rng(2) && take(n, 1u << rng(5), rng(16), &start[held])) {
                count[held++] = n;
            } else if (held) {
                uint32_t k = rng(held--);
                give(start[k], count[k], rng(2));
                start[k] = start[held];
                count[k] = count[held];
            }
        }
    }
}

/* The worst list has a record for each page. */
static void runs_worst(void)
{
    uint32_t a;
    begin();
    assert_true(take(PAGES, 1, 0, &a));
    for (uint32_t p = 0; p < PAGES; p += 2)
        give(p, 1, true);
    for (uint32_t p = 1; p < PAGES; p += 2)
        give(p, 1, false);
    assert_int_equal(list->used, PAGES);
    assert_true(take(PAGES, 1, 0, &a));
    assert_int_equal(list->used, 0);
}

/* ---- superblocks ---- */

#define LARGEST (HEAP_CLASSES - 1)

static struct heap_arena arena;

static struct heap_arena_super *add(int class, uint32_t pages, uint32_t first, bool dirty)
{
    struct heap_arena_super *s = heap_arena_super_new(class, pages);
    assert_non_null(s);
    heap_arena_add(&arena, s, first, dirty);
    return s;
}

static void arena_hands_out_each_block_once(void)
{
    for (int class = 0; class < HEAP_CLASSES; class ++) {
        assert_int_equal(heap_arena_init(&arena, 128, 2), 0);
        uint32_t size = heap_runs_class_size(class),
                 pages = size * 4 > 65536 ? size * 4 / 4096 : 16;
        struct heap_arena_block b;
        assert_false(heap_arena_take(&arena, class, &b));
        struct heap_arena_super *s = add(class, pages, 32, false);
        uint64_t before = 0;
        for (uint32_t i = 0; i < s->blocks; i++) {
            assert_true(heap_arena_take(&arena, class, &b));
            assert_false(b.used);
            assert_true(b.offset >= 32 * 4096 && b.offset + size <= (32 + pages) * 4096ull);
            assert_true(i == 0 || b.offset == before + size);
            assert_ptr_equal(heap_arena_super(&arena, (uint32_t)(b.offset / 4096)), s);
            before = b.offset;
        }
        assert_false(heap_arena_take(&arena, class, &b));
        /* what is left over is no more than an eighth */
        assert_true(size * 8 >= 4096 * pages - s->blocks * size);
        heap_arena_end(&arena);
    }
}

static void arena_refuses_what_is_no_block(void)
{
    struct heap_arena_block b;
    assert_int_equal(heap_arena_init(&arena, 128, 2), 0);
    struct heap_arena_super *s = add(3, 16, 0, false);
    assert_int_equal(heap_arena_give(&arena, s, 0), ARENA_NO_BLOCK); /* never handed out */
    assert_true(heap_arena_take(&arena, 3, &b));
    assert_int_equal(heap_arena_give(&arena, s, 16), ARENA_NO_BLOCK);
    assert_int_equal(heap_arena_give(&arena, s, 0), ARENA_OK);
    assert_int_equal(heap_arena_give(&arena, s, 0), ARENA_FREE_ALREADY);
    assert_true(heap_arena_take(&arena, 3, &b));
    assert_true(b.used);
    heap_arena_end(&arena);
}

static void arena_keeps_one_empty(void)
{
    struct heap_arena_block b;
    assert_int_equal(heap_arena_init(&arena, 128, 2), 0);
    struct heap_arena_super *one = add(LARGEST, 16, 0, false); /* two blocks */
    assert_int_equal(one->blocks, 2);
    assert_ptr_equal(heap_arena_empty(&arena, LARGEST), one);
    assert_true(heap_arena_take(&arena, LARGEST, &b) && heap_arena_take(&arena, LARGEST, &b));
    struct heap_arena_super *two = add(LARGEST, 16, 16, true);
    assert_true(heap_arena_take(&arena, LARGEST, &b) && b.used &&
                heap_arena_take(&arena, LARGEST, &b) && b.used);
    assert_null(heap_arena_empty(&arena, LARGEST));
    assert_int_equal(heap_arena_give(&arena, one, 0), ARENA_OK);
    assert_int_equal(heap_arena_give(&arena, one, 32768), ARENA_OK); /* the class has no other */
    assert_int_equal(heap_arena_give(&arena, two, 0), ARENA_OK);
    assert_int_equal(heap_arena_give(&arena, two, 32768), ARENA_EMPTIED);
    heap_arena_remove(&arena, two);
    assert_null(heap_arena_super(&arena, 16));
    assert_ptr_equal(heap_arena_empty(&arena, LARGEST), one);
    heap_arena_end(&arena);
}

static void arena_keeps_few_empty(void)
{
    struct heap_arena_block b[4];
    struct heap_arena_super *s[4];
    assert_int_equal(heap_arena_init(&arena, 128, 2), 0);
    for (int c = 0; c < 4; c++) {
        s[c] = add(c, 1, (uint32_t)c, false);
        assert_true(heap_arena_take(&arena, c, &b[c]));
    }
    assert_int_equal(arena.empty, 0);
    assert_int_equal(heap_arena_give_block(&arena, s[0], 0), ARENA_OK);
    assert_int_equal(heap_arena_give_block(&arena, s[1], 0), ARENA_OK);
    /* two are kept already */
    assert_int_equal(heap_arena_give_block(&arena, s[2], 0), ARENA_EMPTIED);
    heap_arena_remove(&arena, s[2]);
    assert_true(heap_arena_take(&arena, 0, &b[0]));
    assert_int_equal(heap_arena_give_block(&arena, s[3], 0), ARENA_OK);
    assert_int_equal(arena.empty, 2);
    heap_arena_end(&arena);
}

static void arena_random(void)
{
    enum { CLASS = 4, SUPERS = 6, HELD = 2000 };
    static uint64_t held[HELD];
    uint32_t count = 0;
    assert_int_equal(heap_arena_init(&arena, 128, 2), 0);
    static unsigned char live[SUPERS * 4096 / 80 + 1], touched[sizeof live];
    for (uint32_t s = 0; s < SUPERS; s++)
        add(CLASS, 1, s, false);
    for (int i = 0; i < 200000; i++) {
        struct heap_arena_block b;
        if (rng(2) && heap_arena_take(&arena, CLASS, &b)) {
            uint64_t id = b.offset / 4096 * 51 + b.offset % 4096 / 80;
            assert_int_equal(b.offset % 4096 % 80, 0);
            assert_false(live[id]);
            assert_int_equal(b.used, touched[id]);
            live[id] = touched[id] = 1;
            held[count++] = b.offset;
        } else if (count) {
            uint32_t k = rng(count--);
            live[held[k] / 4096 * 51 + held[k] % 4096 / 80] = 0;
            struct heap_arena_super *s = heap_arena_super(&arena, (uint32_t)(held[k] / 4096));
            assert_in_range(heap_arena_give(&arena, s, held[k] % 4096), ARENA_OK, ARENA_EMPTIED);
            held[k] = held[count];
        }
        uint32_t page = rng(SUPERS), at = rng(4096);
        bool begins = at % 80 == 0 && at / 80 < 51 && live[page * 51 + at / 80];
        assert_int_equal(heap_arena_is_live(heap_arena_super(&arena, page), at), begins);
    }
    heap_arena_end(&arena);
}

/* ---- caches ---- */

#define CACHED 3 /* a class */
static char blocks[200];

/* The model: which blocks are in the cache. */
static void cache_holds_what_it_keeps(void)
{
    bool in[sizeof blocks] = { false };
    uint32_t count = 0;
    void *out[HEAP_CACHE_BLOCKS], *ptr;
    heap_cache_init();
    assert_null(heap_cache_take(CACHED));
    for (int step = 0; step < 100000; step++) {
        size_t b = rng(sizeof blocks);
        if (rng(5) < 2) {
            assert_true((ptr = heap_cache_take(CACHED)) ? count > 0 : count == 0);
            if (ptr) {
                assert_true(in[(char *)ptr - blocks]);
                in[(char *)ptr - blocks] = false;
                count--;
            }
        } else if (in[b]) {
            assert_false(heap_cache_keep(CACHED, &blocks[b]));
            assert_int_equal(heap_cache_give(CACHED, &blocks[b], out), HEAP_CACHE_TWICE);
        } else {
            uint32_t given_up =
                heap_cache_keep(CACHED, &blocks[b]) ? 0 : heap_cache_give(CACHED, &blocks[b], out);
            assert_true(given_up == 0 || count == HEAP_CACHE_BLOCKS);
            for (uint32_t i = 0; i < given_up; i++) {
                assert_true(in[(char *)out[i] - blocks]);
                in[(char *)out[i] - blocks] = false;
            }
            in[b] = true;
            count += 1 - given_up;
            assert_in_range(count, 1, HEAP_CACHE_BLOCKS);
        }
    }
    assert_int_equal(heap_cache_empty(CACHED, out), count);
    assert_null(heap_cache_take(CACHED));
}

/* Leaves the block in its cache; returns what it found there. */
static void *cache_of_thread(void *block)
{
    void *out[HEAP_CACHE_BLOCKS];
    assert_int_equal(heap_cache_give(CACHED, block, out), 0);
    assert_ptr_equal(heap_cache_take(CACHED), block);
    void *found = heap_cache_take(CACHED);
    assert_null(heap_cache_take(CACHED));
    assert_int_equal(heap_cache_give(CACHED, block, out), 0);
    return found;
}

static void *cache_in_thread(void *ptr)
{
    pthread_t thread;
    void *found;
    assert_int_equal(pthread_create(&thread, NULL, cache_of_thread, ptr), 0);
    assert_int_equal(pthread_join(thread, &found), 0);
    return found;
}

static void cache_is_left_to_the_next_thread(void)
{
    void *out[HEAP_CACHE_BLOCKS];
    heap_cache_init();
    assert_int_equal(heap_cache_give(CACHED, &blocks[0], out), 0);
    assert_null(cache_in_thread(&blocks[1]));
    assert_ptr_equal(cache_in_thread(&blocks[2]), &blocks[1]);
    assert_ptr_equal(heap_cache_take(CACHED), &blocks[0]);
    assert_int_equal(heap_cache_give(CACHED, &blocks[0], out), 0);
    heap_cache_init(); /* another heap */
    assert_null(heap_cache_take(CACHED));
    assert_null(cache_in_thread(&blocks[3]));
}

static void cache_of_large_blocks(void)
{
    void *out[HEAP_CACHE_BLOCKS];
    heap_cache_init();
    assert_int_equal(heap_cache_give(HEAP_CLASSES - 1, &blocks[0], out), 1);
    assert_ptr_equal(out[0], &blocks[0]);
    assert_null(heap_cache_take(HEAP_CLASSES - 1));
}

#define RUNS         40 /* the pages of run b, which is at blocks[b]: */
#define RUN_PAGES(b) ((uint32_t)(b) % 8 + 9)

/* The model: which runs are in the cache, and how many pages they have. */
static void cache_holds_what_runs_it_keeps(void)
{
    bool in[RUNS] = { false };
    uint32_t count = 0, pages = 0, most = 50;
    heap_cache_init();
    assert_null(heap_cache_take_run(9));
    for (int step = 0; step < 100000; step++) {
        size_t b = rng(RUNS);
        uint32_t wanted = RUN_PAGES(b);
        char *ptr = NULL;
        switch (rng(4)) {
        case 0:
            ptr = heap_cache_take_run(wanted);
            if (ptr)
                assert_in_range(RUN_PAGES(ptr - blocks), wanted, wanted + wanted / 8);
            for (size_t i = 0; i < RUNS && !ptr; i++)
                assert_false(in[i] && RUN_PAGES(i) == wanted);
            break;
        case 1:
            ptr = heap_cache_drop_run();
            assert_true((ptr != NULL) == (count > 0));
            break;
        default: {
            bool room = count < HEAP_CACHE_RUNS && pages + wanted <= most;
            assert_int_equal(heap_cache_has_run(&blocks[b]), in[b]);
            bool kept = heap_cache_keep_run(&blocks[b], wanted, most);
            assert_int_equal(kept, room && !in[b]);
            in[b] |= kept;
            count += kept;
            pages += kept ? wanted : 0;
        }
        }
        if (ptr) {
            assert_true(in[ptr - blocks]);
            in[ptr - blocks] = false;
            count--;
            pages -= RUN_PAGES(ptr - blocks);
        }
    }
    assert_true(heap_cache_keep_run(&blocks[RUNS], 1, most) || count == HEAP_CACHE_RUNS ||
                pages == most);
    heap_cache_init(); /* another heap */
    assert_null(heap_cache_drop_run());
}

/* The run that was freed first is given up first, the last is taken first. */
static void cache_runs_have_an_order(void)
{
    heap_cache_init();
    for (int b = 0; b < 3; b++)
        assert_true(heap_cache_keep_run(&blocks[b], 10, 100));
    assert_ptr_equal(heap_cache_take_run(10), &blocks[2]);
    assert_ptr_equal(heap_cache_drop_run(), &blocks[0]);
    assert_ptr_equal(heap_cache_take_run(10), &blocks[1]);
    assert_null(heap_cache_drop_run());
}

UNIT_MAIN(NULL, NULL, TEST(classes_grow), TEST(class_is_the_smallest), TEST(class_is_aligned),
          TEST(runs_edges), TEST(runs_random), TEST(runs_worst),
          TEST(arena_hands_out_each_block_once), TEST(arena_refuses_what_is_no_block),
          TEST(arena_keeps_one_empty), TEST(arena_keeps_few_empty), TEST(arena_random),
          TEST(cache_holds_what_it_keeps), TEST(cache_is_left_to_the_next_thread),
          TEST(cache_of_large_blocks), TEST(cache_holds_what_runs_it_keeps),
          TEST(cache_runs_have_an_order))
