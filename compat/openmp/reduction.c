/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reduction.c - see reduction.h. */
#include "compat/openmp/reduction.h"

#include <stdbool.h>
#include <string.h>

#include "compat/start/heap.h"
#include "compat/start/start.h"

enum { COUNT, BYTES, COPIES, ALLOCATOR, NEXT, HEAD, END, VARIABLES };

static uintptr_t *reduction_next_of(const uintptr_t *data)
{
    return (uintptr_t *)data[NEXT];
}

static void reduction_link_to(uintptr_t *data, uintptr_t *around)
{
    uintptr_t *last = data;
    while (reduction_next_of(last))
        last = reduction_next_of(last);
    last[NEXT] = (uintptr_t)around;
    data[HEAD] = 1;
}

static void reduction_make_copies(uintptr_t *d, unsigned threads)
{
    size_t align = d[COPIES] < 16 ? 16 : d[COPIES], bytes = d[BYTES] * threads;
    char *copies = heap_aligned_alloc(align, (bytes + align - 1) & ~(align - 1));
    if (!copies)
        start_fail("OpenMP: no shared memory for %zu bytes of a reduction; raise --memory", bytes);
    memset(copies, 0, bytes);
    d[COPIES] = (uintptr_t)copies;
    d[END] = d[COPIES] + bytes;
}

void reduction_register(uintptr_t *data, uintptr_t *around, unsigned threads)
{
    for (uintptr_t *d = data; d; d = reduction_next_of(d)) {
        reduction_make_copies(d, threads);
        d[HEAD] = 0;
    }
    reduction_link_to(data, around);
}

void reduction_register_like(uintptr_t *data, uintptr_t *around, const uintptr_t *first)
{
    for (uintptr_t *d = data; d; d = reduction_next_of(d), first = reduction_next_of(first)) {
        d[COPIES] = first[COPIES];
        d[END] = first[END];
        d[HEAD] = 0;
    }
    reduction_link_to(data, around);
}

void reduction_free(const uintptr_t *data)
{
    const uintptr_t *d = data;
    do {
        heap_free((void *)d[COPIES]);
        d = reduction_next_of(d);
    } while (d && !d[HEAD]);
}

static const uintptr_t *reduction_variable_of(const uintptr_t *d, uintptr_t k)
{
    return &d[VARIABLES + 3 * k];
}

static bool reduction_find_variable(const uintptr_t *d, uintptr_t address, uintptr_t *offset)
{
    for (uintptr_t k = 0; k < d[COUNT]; k++)
        if (reduction_variable_of(d, k)[0] == address) {
            *offset = reduction_variable_of(d, k)[1];
            return true;
        }
    return false;
}

static bool reduction_find_copy(const uintptr_t *d, uintptr_t address, uintptr_t *offset)
{
    if (address < d[COPIES] || address >= d[END])
        return false;
    *offset = (address - d[COPIES]) % d[BYTES];
    return true;
}

static uintptr_t reduction_variable_at(const uintptr_t *d, uintptr_t offset)
{
    for (uintptr_t k = 0; k < d[COUNT]; k++)
        if (reduction_variable_of(d, k)[1] == offset)
            return reduction_variable_of(d, k)[0];
    return 0;
}

void *reduction_find(const uintptr_t *data, const void *of, unsigned thread, void **variable)
{
    uintptr_t address = (uintptr_t)of, offset = 0;
    const uintptr_t *d = data; /* inner groups come first */
    while (d && !reduction_find_variable(d, address, &offset))
        d = reduction_next_of(d);
    if (!d)
        for (d = data; d && !reduction_find_copy(d, address, &offset);)
            d = reduction_next_of(d);
    if (!d)
        start_fail("omp in_reduction: no enclosing task reduction has the variable at %p", of);
    if (variable)
        *variable = (void *)reduction_variable_at(d, offset);
    return (void *)(d[COPIES] + thread * d[BYTES] + offset);
}

const uintptr_t *reduction_find_words(const uintptr_t *data, const void *of, unsigned thread,
                                      void **copy)
{
    void *variable;
    *copy = reduction_find(data, of, thread, &variable);
    for (const uintptr_t *d = data; d; d = reduction_next_of(d)) /* inner groups first */
        for (uintptr_t k = 0; k < d[COUNT]; k++)
            if (reduction_variable_of(d, k)[0] == (uintptr_t)variable)
                return reduction_variable_of(d, k);
    start_fail("omp in_reduction: no enclosing task reduction has the variable at %p", of);
}
