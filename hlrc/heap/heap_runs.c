/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_runs.c - see heap_runs.h for the invariants. */
#include "hlrc/heap/heap_runs.h"

#include <string.h>

static uint32_t heap_runs_end_of(const struct heap_runs_run *e)
{
    return e->start + e->count;
}

void heap_runs_init(struct heap_runs *r, uint32_t start, uint32_t count)
{
    r->used = 0;
    if (count)
        r->run[r->used++] = (struct heap_runs_run){ .start = start, .count = count, .clean = 1 };
}

/* Index of the first record that ends after `page`. */
static uint32_t heap_runs_find(const struct heap_runs *r, uint32_t page)
{
    uint32_t low = 0, high = r->used;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (heap_runs_end_of(&r->run[mid]) > page)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Replaces [at, at + old) by `count` records. */
static void heap_runs_replace(struct heap_runs *r, uint32_t at, uint32_t old,
                              const struct heap_runs_run *with, uint32_t count)
{
    if (count != old)
        memmove(&r->run[at + count], &r->run[at + old], (r->used - at - old) * sizeof r->run[0]);
    for (uint32_t i = 0; i < count; i++)
        r->run[at + i] = with[i];
    if (count != old)
        r->used = r->used + count - old;
}

static void heap_runs_widen(struct heap_runs_taken *t, uint32_t from, uint32_t to)
{
    if (t->dirty_count == 0)
        t->dirty_start = from;
    t->dirty_count = to - t->dirty_start;
}

/* Cuts [start, end) out of the records; all of it is free, and record `i` is the first to overlap
 * it. */
static void heap_runs_cut(struct heap_runs *r, uint32_t i, uint32_t start, uint32_t end,
                          struct heap_runs_taken *out)
{
    struct heap_runs_run left = r->run[i], right = left, rest[2];
    uint32_t j = i, pieces = 0;
    *out = (struct heap_runs_taken){ .start = start };
    for (; j < r->used && r->run[j].start < end; j++) {
        right = r->run[j];
        if (!right.clean)
            heap_runs_widen(out, right.start > start ? right.start : start,
                            heap_runs_end_of(&right) < end ? heap_runs_end_of(&right) : end);
    }
    if (left.start < start) {
        left.count = start - left.start;
        rest[pieces++] = left;
    }
    if (heap_runs_end_of(&right) > end) {
        right.count = heap_runs_end_of(&right) - end;
        right.start = end;
        rest[pieces++] = right;
    }
    heap_runs_replace(r, i, j - i, rest, pieces);
}

/* Start of a block at or after `page`; 64 bits, since it may lie beyond the largest page
 * number. */
static uint64_t heap_runs_aligned(uint32_t page, uint64_t align, uint64_t skew)
{
    return ((page + skew + align - 1) & ~(align - 1)) - skew;
}

bool heap_runs_take(struct heap_runs *r, uint32_t count, uint64_t align, uint64_t skew,
                    struct heap_runs_taken *out)
{
    for (uint32_t i = 0, j; i < r->used; i = j) {
        for (j = i + 1; j < r->used && r->run[j].start == heap_runs_end_of(&r->run[j - 1]); j++)
            ;
        uint64_t start = heap_runs_aligned(r->run[i].start, align, skew);
        if (start + count > heap_runs_end_of(&r->run[j - 1]))
            continue;
        while (heap_runs_end_of(&r->run[i]) <= start)
            i++;
        heap_runs_cut(r, i, (uint32_t)start, (uint32_t)start + count, out);
        return true;
    }
    return false;
}

bool heap_runs_give(struct heap_runs *r, uint32_t start, uint32_t count, bool clean)
{
    struct heap_runs_run whole = { .start = start, .count = count, .clean = clean };
    uint32_t i = heap_runs_find(r, start), old = 0;
    if (i < r->used && r->run[i].start < start + count)
        return false;
    if (i < r->used && r->run[i].start == start + count && r->run[i].clean == clean) {
        whole.count += r->run[i].count;
        old = 1;
    }
    if (i > 0 && heap_runs_end_of(&r->run[i - 1]) == start && r->run[i - 1].clean == clean) {
        i--;
        whole.start = r->run[i].start;
        whole.count += r->run[i].count;
        old++;
    }
    heap_runs_replace(r, i, old, &whole, 1);
    return true;
}

uint32_t heap_runs_total(const struct heap_runs *r)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < r->used; i++)
        sum += r->run[i].count;
    return sum;
}

uint32_t heap_runs_largest(const struct heap_runs *r)
{
    uint32_t best = 0, here = 0;
    for (uint32_t i = 0; i < r->used; i++) {
        bool touches = i > 0 && r->run[i].start == heap_runs_end_of(&r->run[i - 1]);
        here = r->run[i].count + (touches ? here : 0);
        if (here > best)
            best = here;
    }
    return best;
}

int heap_runs_class_for(size_t size, size_t align)
{
    if (size > HEAP_SMALL_MAX || align > 4096)
        return -1;
    int class = heap_runs_class_of((uint32_t)size);
    if (align <= HEAP_GRAIN)
        return class;
    while (class < HEAP_CLASSES && heap_runs_class_size(class) % align != 0)
        class ++;
    return class < HEAP_CLASSES ? class : -1;
}
