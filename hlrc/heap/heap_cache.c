/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_cache.c - see heap_cache.h for the invariants. */
#include "hlrc/heap/heap_cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/heap/heap_runs.h"

struct heap_cache {
    uint64_t generation; /* of the heap */
    struct heap_cache *next;
    struct heap_cache_class {
        uint32_t count;
        void *blocks[HEAP_CACHE_BLOCKS]; /* the last freed is the last */
    } of[HEAP_CLASSES];
};

static _Thread_local struct heap_cache *mine;
static uint64_t generation;
static uint32_t most_of[HEAP_CLASSES];
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
    mine = NULL;
}

void heap_cache_init(void)
{
    generation++;
    for (int class = 0; class < HEAP_CLASSES; class ++) {
        uint32_t most = HEAP_CACHE_BYTES / heap_runs_class_size(class);
        most_of[class] = most < HEAP_CACHE_BLOCKS ? most : HEAP_CACHE_BLOCKS;
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
    return mine = c;
}

static struct heap_cache *heap_cache_mine(void)
{
    struct heap_cache *c = mine ? mine : heap_cache_make();
    if (c && c->generation != generation)
        *c = (struct heap_cache){ .generation = generation };
    return c;
}

void *heap_cache_take(int class)
{
    struct heap_cache *c = mine;
    if (!c || c->generation != generation || c->of[class].count == 0)
        return NULL;
    return c->of[class].blocks[--c->of[class].count];
}

static bool heap_cache_has(const struct heap_cache_class *k, const void *ptr)
{
    bool has = false;
    for (uint32_t i = 0; i < k->count; i++)
        has |= k->blocks[i] == ptr;
    return has;
}

bool heap_cache_keep(int class, void *ptr)
{
    struct heap_cache *c = mine;
    if (!c || c->generation != generation || c->of[class].count >= most_of[class])
        return false;
    struct heap_cache_class *k = &c->of[class];
    if (heap_cache_has(k, ptr))
        return false;
    k->blocks[k->count++] = ptr;
    return true;
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
    struct heap_cache *c = heap_cache_mine();
    uint32_t most = most_of[class], given_up = 0;
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
    struct heap_cache *c = mine;
    if (!c || c->generation != generation)
        return 0;
    uint32_t count = c->of[class].count;
    heap_cache_give_up(&c->of[class], count, out);
    return count;
}
