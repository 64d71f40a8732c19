/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 6, false sharing. Nodes that write different bytes of one page at the same time do not
 * disturb each other, in whatever pattern their bytes lie: only bytes that changed travel.
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 6, bytes of one page", 2, 3, 4)

#define PAGES 4u
#define COUNT 200u

static volatile unsigned char *bytes;

static unsigned char value(uint64_t round, uint64_t i)
{
    uint64_t x = (round * PAGES * PAGE + i) * 0x9e3779b97f4a7c15u;
    return (unsigned char)(x >> 56);
}

/* Runs of `grain` bytes go round the nodes; `shift` moves them, so that a byte's owner changes from
 * round to round. */
static bool owned(uint64_t i, uint64_t grain, uint64_t shift)
{
    return (i / grain + shift) % (uint64_t)nodes == (uint64_t)me;
}

static void interleave(uint64_t round, uint64_t grain)
{
    for (uint64_t i = 0; i < PAGES * PAGE; i++)
        if (owned(i, grain, round))
            bytes[i] = value(round, i);
    hlrc_barrier();
    for (uint64_t i = 0; i < PAGES * PAGE; i++)
        expect(bytes[i] == value(round, i), "runs of %ju bytes: byte %ju is %u, not %u",
               (uintmax_t)grain, (uintmax_t)i, bytes[i], value(round, i));
    hlrc_barrier();
}

/* Each node counts in its own byte under its own lock; the neighbours' bytes are beside it. */
static void neighbours(volatile unsigned char *page)
{
    for (uint64_t k = 1; k <= COUNT; k++) {
        hlrc_lock((hlrc_lock_t)(40 + me));
        page[2000 + me]++;
        if (k % 8 == 0)
            page[0x7f + 0x80 * me]++; /* the last byte of a vector's width */
        hlrc_unlock((hlrc_lock_t)(40 + me));
    }
    hlrc_barrier();
    for (int n = 0; n < nodes; n++) {
        expect(page[2000 + n] == COUNT, "the byte of node %d is %u, not %u", n, page[2000 + n],
               COUNT);
        expect(page[0x7f + 0x80 * n] == COUNT / 8, "the second byte of node %d is %u", n,
               page[0x7f + 0x80 * n]);
    }
    hlrc_barrier();
}

/* The first and the last byte of a page, and one that holds the same value as before the write of
 * its neighbour. */
static void edges(volatile unsigned char *page)
{
    uint64_t last = (uint64_t)nodes - 1;
    if (me == 0)
        page[0] = 0xff;
    if ((uint64_t)me == last)
        page[PAGE - 1] = 0xfe;
    if (me == 0)
        page[PAGE] = 1; /* of the next page */
    hlrc_barrier();
    expect(page[0] == 0xff && page[PAGE - 1] == 0xfe && page[PAGE] == 1,
           "the edges of a page are %#x %#x %#x", page[0], page[PAGE - 1], page[PAGE]);
    for (uint64_t i = 1; i < PAGE - 1; i++)
        expect(page[i] == 0, "byte %ju was never written and is %u", (uintmax_t)i, page[i]);
}

void litmus_run(void)
{
    static const uint64_t grains[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 64, 100, 128, 1000 };
    bytes = shared_bytes(PAGES * PAGE);
    volatile unsigned char *more = shared_bytes(3 * PAGE);
    if (me == 0)
        for (int p = 0; p < (int)PAGES; p++)
            place(bytes + (uint64_t)p * PAGE, PAGE, p % nodes);
    hlrc_barrier();
    for (uint64_t round = 0; round < sizeof grains / sizeof grains[0]; round++)
        interleave(round, grains[round]);
    neighbours(more);
    edges(more + PAGE);
}
