/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_cache.c - see heap_cache.h for the invariants. */
#include "hlrc/heap/heap_cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/heap/heap_runs.h"

_Thread_local struct heap_cache *heap_cache_mine;
uint64_t heap_cache_generation;
uint32_t heap_cache_most[HEAP_CLASSES];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards: */
static struct heap_cache *left;                           /* by threads that ended */
static pthread_key_t key;
static bool has_key;

/* Destructor of the key. */
static void heap_cache_leave(void *arg)
{
    struct heap_cache *c = arg;
    pthread_mutex_lock(&mutex);
    c->next = left;
    left = c;
    pthread_mutex_unlock(&mutex);
    heap_cache_mine = NULL;
}

void heap_cache_init(void)
{
    heap_cache_generation++;
    for (int class = 0; class < HEAP_CLASSES; class ++) {
        uint32_t most = HEAP_CACHE_BYTES / heap_runs_class_size(class);
        heap_cache_most[class] = most < HEAP_CACHE_BLOCKS ? most : HEAP_CACHE_BLOCKS;
    }
    if (!has_key)
        has_key = pthread_key_create(&key, heap_cache_leave) == 0;
}

/* The calling thread's, NULL without memory. */
static struct heap_cache *heap_cache_make(void)
{
    pthread_mutex_lock(&mutex);
    struct heap_cache *c = left;
    if (c)
        left = c->next;
    pthread_mutex_unlock(&mutex);
    if (!c && has_key)
        c = calloc(1, sizeof *c);
    if (c && pthread_setspecific(key, c) != 0) {
        heap_cache_leave(c);
        return NULL;
    }
    return heap_cache_mine = c;
}

static struct heap_cache *heap_cache_own(void)
{
    struct heap_cache *c = heap_cache_mine ? heap_cache_mine : heap_cache_make();
    if (c && c->generation != heap_cache_generation)
        *c = (struct heap_cache){ .generation = heap_cache_generation };
    return c;
}

/* Gives up the oldest `count`. */
static void heap_cache_give_up(struct heap_cache_class *k, uint32_t count, void **out)
{
    memcpy(out, k->blocks, count * sizeof *out);
    k->count -= count;
    memmove(k->blocks, k->blocks + count, k->count * sizeof *out);
}

uint32_t heap_cache_give(int class, void *ptr, void **out)
{
    struct heap_cache *c = heap_cache_own();
    uint32_t most = heap_cache_most[class], given_up = 0;
    if (!c || most == 0) {
        *out = ptr;
        return 1;
    }
    struct heap_cache_class *k = &c->of[class];
    if (heap_cache_has(k, ptr))
        return HEAP_CACHE_TWICE;
    if (k->count >= most) {
        given_up = (most + 1) / 2;
        heap_cache_give_up(k, given_up, out);
    }
    k->blocks[k->count++] = ptr;
    return given_up;
}

uint32_t heap_cache_empty(int class, void **out)
{
    struct heap_cache *c = heap_cache_current();
    if (!c)
        return 0;
    uint32_t count = c->of[class].count;
    heap_cache_give_up(&c->of[class], count, out);
    return count;
}

/* ---- runs of pages ---- */

static void *heap_cache_remove_run(struct heap_cache *c, uint32_t at)
{
    struct heap_cache_run *r = &c->runs[at];
    void *ptr = r->ptr;
    c->run_pages -= r->pages;
    c->run_count--;
    memmove(r, r + 1, (c->run_count - at) * sizeof *r);
    return ptr;
}

void *heap_cache_take_run(uint32_t pages)
{
    struct heap_cache *c = heap_cache_current();
    for (uint32_t i = c ? c->run_count : 0; i-- > 0;)
        if (c->runs[i].pages >= pages && c->runs[i].pages - pages <= pages / 8)
            return heap_cache_remove_run(c, i);
    return NULL;
}

bool heap_cache_has_run(const void *ptr)
{
    const struct heap_cache *c = heap_cache_current();
    for (uint32_t i = 0; c && i < c->run_count; i++)
        if (c->runs[i].ptr == ptr)
            return true;
    return false;
}

bool heap_cache_keep_run(void *ptr, uint32_t pages, uint32_t most)
{
    struct heap_cache *c = heap_cache_own();
    if (!c || c->run_count == HEAP_CACHE_RUNS || c->run_pages + pages > most ||
        heap_cache_has_run(ptr))
        return false;
    c->runs[c->run_count++] = (struct heap_cache_run){ ptr, pages };
    c->run_pages += pages;
    return true;
}

void *heap_cache_drop_run(void)
{
    struct heap_cache *c = heap_cache_current();
    return c && c->run_count > 0 ? heap_cache_remove_run(c, 0) : NULL;
}
