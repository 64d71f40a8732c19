/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: the smallest shared space works, as little as is left for the program; what does not
 * fit is refused by NULL and ENOMEM on all nodes alike, and nothing is lost by that.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

LITMUS("--memory 1M", 1, 2, 3, 8)

LITMUS_SET(MEMORY, "1M")

/* As many pages as there are, by hlrc_malloc_all. */
static uint64_t take_all(unsigned char **block)
{
    uint64_t count = 0;
    while (count < 256 && (block[count] = hlrc_malloc_all(PAGE)) != NULL)
        count++;
    expect(count < 256 && errno == ENOMEM, "errno is %s, not ENOMEM, after %ju pages",
           strerror(errno), (uintmax_t)count);
    return count;
}

void litmus_run(void)
{
    unsigned char *block[256];
    expect(hlrc_malloc_all(1 << 20) == NULL && errno == ENOMEM,
           "all of the space could be allocated");
    uint64_t first = 0;
    for (int round = 0; round < 2; round++) {
        uint64_t count = take_all(block);
        expect(count >= 32, "only %ju of 256 pages are left for the program", (uintmax_t)count);
        expect(round == 0 || count == first, "%ju pages at first, %ju after all were given back",
               (uintmax_t)first, (uintmax_t)count);
        first = count;
        for (uint64_t p = 0; p < count; p++)
            block[p][me] = (unsigned char)(p + (uint64_t)me);
        hlrc_barrier();
        for (uint64_t p = 0; p < count; p++)
            for (int n = 0; n < nodes; n++)
                expect(block[p][n] == (unsigned char)(p + (uint64_t)n), "page %ju, byte of node %d",
                       (uintmax_t)p, n);
        if (me == 0)
            expect(hlrc_malloc(PAGE) == NULL && errno == ENOMEM,
                   "hlrc_malloc finds room in a full space");
        hlrc_barrier();
        for (uint64_t p = 0; p < count; p++)
            hlrc_free_all(block[p]);
    }
}
