/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dirty.c - see dirty.h for the invariants. */
#include "hlrc/memory/dirty.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"

static spin_lock_word lock;    /* guards list and dirty_count */
static uint32_t *list, *taken; /* swapped by dirty_take */
static uint32_t *tail;         /* scratch of dirty_take */
_Atomic uint32_t dirty_count;  /* also read without the lock: dirty_any */

_Atomic bool dirty_reads;

#define LIST_BYTES ((size_t)engine.pages * sizeof *list)

int dirty_init(void)
{
    list = reserve(LIST_BYTES);
    taken = reserve(LIST_BYTES);
    tail = reserve(LIST_BYTES);
    atomic_store(&dirty_count, 0);
    atomic_store(&dirty_reads, false);
    return list && taken && tail ? 0 : -ENOMEM;
}

void dirty_end(void)
{
    reserve_end(list, LIST_BYTES);
    reserve_end(taken, LIST_BYTES);
    reserve_end(tail, LIST_BYTES);
    list = taken = tail = NULL;
}

void dirty_add(uint32_t page)
{
    spin_lock(&lock);
    uint32_t n = atomic_load_explicit(&dirty_count, memory_order_relaxed);
    list[n] = page;
    atomic_store_explicit(&dirty_count, n + 1, memory_order_relaxed);
    spin_unlock(&lock);
}

static int dirty_by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Merges two sorted parts, pages[0, m) and pages[m, n). */
static void dirty_merge_parts(uint32_t *pages, uint32_t m, uint32_t n)
{
    uint32_t a = m, b = n - m, out = n;
    memcpy(tail, pages + m, b * sizeof *pages);
    while (a > 0 && b > 0)
        pages[--out] = pages[a - 1] > tail[b - 1] ? pages[--a] : tail[--b];
    memcpy(pages, tail, b * sizeof *pages);
}

/* Pages that the last flush retained come first, in order; then pages written since, unsorted. */
static void dirty_sort_pages(uint32_t *pages, uint32_t n)
{
    uint32_t m = 1;
    while (m < n && pages[m - 1] < pages[m])
        m++;
    if (m >= n)
        return;
    qsort(pages + m, n - m, sizeof *pages, dirty_by_number);
    dirty_merge_parts(pages, m, n);
}

uint32_t dirty_take(const uint32_t **out)
{
    spin_lock(&lock);
    uint32_t n = atomic_load_explicit(&dirty_count, memory_order_relaxed), *all = list;
    list = taken;
    taken = all;
    atomic_store_explicit(&dirty_count, 0, memory_order_release); /* [interval.covers-dirty] */
    spin_unlock(&lock);
    dirty_sort_pages(all, n);
    *out = all;
    return n;
}
