/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fresh.c - see fresh.h. */
#include "compat/start/fresh.h"

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the C library's heap on x86-64: chunks of up to TCACHED bytes are cached by threads. */
#define ALIGN    16
#define SMALLEST 24
#define TCACHED  1032
#define AT_TOP   ((size_t)64 << 10) /* allocated where the heap grows */
#define UNUSED   ((size_t)8 << 10)  /* of that, the part that malloc_trim may leave */
#define HIDDEN   4096               /* chunks at most; a bound for other allocators */

struct fresh_hidden {
    struct fresh_hidden *next;
};

/* Allocates the free chunks of at least `size` bytes, and the cached ones of that size. They lie
 * below `top`, where the heap grows, and are never freed. */
static void fresh_hide_size(size_t size, const char *top)
{
    static struct fresh_hidden *hidden; /* reachable: no leak */
    static int count;
    while (count < HIDDEN) {
        struct fresh_hidden *chunk = malloc(size);
        if (!chunk)
            return;
        if ((const char *)chunk >= top) {
            void *larger = realloc(chunk, 2 * TCACHED); /* in place; free does not cache that */
            free(larger ? larger : chunk);
            return;
        }
        chunk->next = hidden;
        hidden = chunk;
        count++;
    }
}

/* The last chunk, which the program's first allocations are taken from, is cleared: its first
 * pages here, and the rest by the system, which gets it back. */
void fresh_hide_freed(void)
{
    const char *top = (const char *)sbrk(0) - mallinfo2().keepcost;
    fresh_hide_size(TCACHED + ALIGN, top);
    for (size_t size = TCACHED; size >= SMALLEST; size -= ALIGN)
        fresh_hide_size(size, top);
    void *last = malloc(AT_TOP);
    if (last)
        explicit_bzero(last, UNUSED); /* memset would be optimised away */
    free(last);
    (void)malloc_trim(0);
}
