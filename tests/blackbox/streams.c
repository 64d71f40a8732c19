/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Broadcasts that are longer than the ring through which they go (heap/stream.h): from each node in
 * turn, one right behind the other, of lengths around those of a slot and of the ring, into private
 * memory and, slowly, into shared memory that faults page by page.
 */
#include "tests/litmus/litmus.h"

LITMUS("broadcasts that are longer than the ring", 2, 3, 5)

#define FIRST  1000ul /* bytes that travel with the call itself, at most */
#define PIECE  131072ul
#define RING   (8 * PIECE)
#define LONG   (4 * RING + 77)
#define BEHIND 64 /* bytes behind the buffer, which stay */

LITMUS_SET(AHEAD, "0")
LITMUS_SET(HOT_PAGES, "0")

static volatile unsigned char *shared;
static unsigned char *private;

/* Of byte i of the broadcast of this number. */
static unsigned char content(uint64_t number, uint64_t i)
{
    uint64_t z = (i / 8 + number * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return (unsigned char)(z >> (56 - 8 * (i % 4)));
}

static void expect_content(const volatile unsigned char *at, uint64_t len, uint64_t number,
                           int root)
{
    for (uint64_t i = 0; i < len; i++)
        if (at[i] != content(number, i))
            litmus_fail("byte %ju of %ju from node %d is %u, not %u", (uintmax_t)i, (uintmax_t)len,
                        root, at[i], content(number, i));
}

static void pass_on(uint64_t len, int root, uint64_t number, bool into_shared)
{
    volatile unsigned char *at = into_shared ? shared : private;
    for (uint64_t i = 0; i < len + BEHIND; i++)
        at[i] = me == root && i < len ? content(number, i) : 0xee;
    expect(hlrc_broadcast((void *)(uintptr_t)at, len, root) == 0, "hlrc_broadcast");
    expect_content(at, len, number, root);
    for (uint64_t i = len; i < len + BEHIND; i++)
        expect(at[i] == 0xee, "byte %ju behind a broadcast of %ju has changed", (uintmax_t)i,
               (uintmax_t)len);
}

void litmus_run(void)
{
    static const uint64_t lengths[] = {
        FIRST,        FIRST + 1,        FIRST + PIECE, FIRST + PIECE + 1, FIRST + RING - 1,
        FIRST + RING, FIRST + RING + 1, LONG
    };
    uint64_t number = 0;
    private = malloc(LONG + BEHIND);
    /* of each node its own, homes elsewhere: storing there faults */
    volatile unsigned char *all = shared_bytes((uint64_t)nodes * (LONG + PAGE));
    shared = all + (uint64_t)((me + 1) % nodes) * (LONG + PAGE) / PAGE * PAGE;
    expect(private != NULL, "no memory");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (int root = 0; root < nodes; root++)
            pass_on(lengths[i], root, ++number, false);
    for (int root = 0; root < nodes; root++)
        pass_on(LONG, root, ++number, me != root && me != (root + 1) % nodes);
    for (int root = 0; root < nodes; root++)
        pass_on(LONG, root, ++number, me != root);
    free(private);
}
