/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 10, heap. Any node allocates and frees at any time; free is a release and malloc an acquire,
 * so that who gets the memory next finds zeros, not the last owner's late writes. Memory of the
 * collectives loses its homes and contents.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("rule 10, heap", 1, 2, 3, 4)

#define SLOTS  12u
#define ROUNDS 60u
#define MANY   9000u /* blocks of 16 bytes in two superblocks, and more */

/* A block on its way from the node that made it to the one that frees it. */
struct block {
    unsigned char *at;
    uint64_t size, seed;
};

static volatile struct block *slots;

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static uint64_t some_size(uint64_t *seed)
{
    uint64_t r = next(seed);
    return r % 8 == 0 ? 1 + r % 20000 : 1 + r % 300;
}

static void make(volatile struct block *slot, uint64_t *seed)
{
    uint64_t size = some_size(seed), align = UINT64_C(1) << next(seed) % 13;
    unsigned char *at = next(seed) % 4 ? hlrc_malloc(size) : hlrc_aligned_alloc(align, size);
    expect(at != NULL, "allocation of %ju bytes: %s", (uintmax_t)size, strerror(errno));
    expect((uintptr_t)at % 16 == 0 || align < 16, "%p is not aligned", (void *)at);
    for (uint64_t i = 0; i < size; i++)
        expect(at[i] == 0, "byte %ju of a new block of %ju is %u", (uintmax_t)i, (uintmax_t)size,
               at[i]);
    slot->at = at;
    slot->size = size;
    slot->seed = next(seed);
    for (uint64_t i = 0; i < size; i++)
        at[i] = (unsigned char)(slot->seed + i);
}

/* A block made by any node is as it was left, and is freed here. */
static void unmake(volatile struct block *slot)
{
    for (uint64_t i = 0; i < slot->size; i++)
        expect(slot->at[i] == (unsigned char)(slot->seed + i), "byte %ju of a block of %ju is %u",
               (uintmax_t)i, (uintmax_t)slot->size, slot->at[i]);
    for (uint64_t i = 0; i < slot->size; i++)
        slot->at[i] = 0xee; /* late writes of the last owner */
    hlrc_free(slot->at);
    slot->at = NULL;
}

static void exchange_blocks(void)
{
    uint64_t seed = 17 + (uint64_t)me;
    for (uint64_t k = 0; k < ROUNDS; k++) {
        uint64_t s = next(&seed) % SLOTS;
        hlrc_lock((hlrc_lock_t)(70 + s));
        if (slots[s].at)
            unmake(&slots[s]);
        else
            make(&slots[s], &seed);
        hlrc_unlock((hlrc_lock_t)(70 + s));
    }
    hlrc_barrier();
    for (uint64_t s = 0; s < SLOTS; s++)
        if (s % (uint64_t)nodes == (uint64_t)me && slots[s].at)
            unmake(&slots[s]);
    hlrc_barrier();
}

/* No lock of the program, only the order that free and malloc give. */
static void small_blocks(void)
{
    uint64_t *mine[20];
    for (uint64_t k = 0; k < 10; k++) {
        for (uint64_t i = 0; i < 20; i++) {
            mine[i] = hlrc_malloc(24);
            expect(mine[i] != NULL, "hlrc_malloc(24): %s", strerror(errno));
            for (int w = 0; w < 3; w++) {
                expect_word(mine[i][w], 0, "word %d of a small block", w);
                mine[i][w] = ((uint64_t)me << 32) + k * 20 + i;
            }
        }
        for (uint64_t i = 0; i < 20; i++) {
            for (int w = 0; w < 3; w++)
                expect_word(mine[i][w], ((uint64_t)me << 32) + k * 20 + i,
                            "word %d of an own small block", w);
            hlrc_free(mine[i]);
        }
    }
    hlrc_barrier();
}

static void collectives(void)
{
    void *first = NULL;
    for (uint64_t k = 1; k <= 6; k++) {
        volatile uint64_t *at = shared_words(4 * PAGE_WORDS);
        void *plain = (void *)(uintptr_t)at;
        expect(first == NULL || plain == first,
               "hlrc_malloc_all does not use what hlrc_free_all gave back");
        first = plain;
        expect(nodes == 1 || hlrc_home(plain) == -1, "a new page has home %d", hlrc_home(plain));
        hlrc_barrier();
        for (uint64_t p = 0; p < 4; p++)
            expect_word(at[p * PAGE_WORDS + (uint64_t)me], 0, "a new page");
        for (uint64_t p = 0; p < 4; p++)
            at[p * PAGE_WORDS + (uint64_t)me] = k;
        hlrc_barrier();
        for (uint64_t p = 0; p < 4; p++)
            for (uint64_t n = 0; n < (uint64_t)nodes; n++)
                expect_word(at[p * PAGE_WORDS + n], k, "the word of node %ju", (uintmax_t)n);
        hlrc_free_all(plain);
    }
}

/* Allocates until all wanted blocks are had again; false if others come that are more than an owner
 * keeps free. */
static bool had_again(void *const *wanted, int count, uint64_t size)
{
    void *blocks[MANY];
    unsigned n = 0;
    int found = 0;
    while (found < count && n < MANY) {
        unsigned char *at = blocks[n++] = hlrc_malloc(size);
        expect(at != NULL, "hlrc_malloc(%ju): %s", (uintmax_t)size, strerror(errno));
        for (uint64_t i = 0; i < size; i++)
            expect(at[i] == 0, "byte %ju of block %u of %ju bytes is %u", (uintmax_t)i, n,
                   (uintmax_t)size, at[i]);
        for (int k = 0; k < count; k++)
            found += wanted[k] == at;
    }
    while (n > 0)
        hlrc_free(blocks[--n]);
    return found == count;
}

/*
 * Few blocks, which other nodes free, are their owner's again after a barrier: it allocates them
 * before it takes many new ones, and nobody but the owner does anything after the barrier.
 */
static void freed_elsewhere(void)
{
    static const uint64_t sizes[] = { 16, 200, 1500 };
    for (unsigned k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        uint64_t size = sizes[k / 2];
        int owner = (int)k % nodes, count = nodes - 1;
        void *wanted[HLRC_MAX_NODES];
        for (int n = 0; n < count && me == owner; n++) {
            slots[n].at = wanted[n] = hlrc_malloc(size);
            expect(wanted[n] != NULL, "hlrc_malloc(%ju): %s", (uintmax_t)size, strerror(errno));
        }
        hlrc_barrier();
        if (me != owner) {
            unsigned char *at = slots[me < owner ? me : me - 1].at;
            memset(at, 0xee, size);
            hlrc_free(at);
        }
        if (k % 2) {
            hlrc_barrier_arrive();
            hlrc_barrier_depart();
        } else {
            hlrc_barrier();
        }
        if (me == owner)
            expect(had_again(wanted, count, size),
                   "blocks of %ju bytes that other nodes freed are not had again", (uintmax_t)size);
        hlrc_barrier();
    }
}

/* Written and given back at once: diffs that are still on their way must not come into the pages'
 * next life. */
static void freed_at_once(void)
{
    for (uint64_t k = 1; k <= 15; k++) {
        volatile uint64_t *at = shared_words(6 * PAGE_WORDS);
        for (uint64_t p = 0; p < 6; p++)
            for (uint64_t i = (uint64_t)me; i < PAGE_WORDS; i += (uint64_t)nodes)
                at[p * PAGE_WORDS + i] = k;
        if (k % 3 == 0)
            hlrc_barrier();
        hlrc_free_all((void *)(uintptr_t)at);
        volatile uint64_t *again = shared_words(6 * PAGE_WORDS);
        for (uint64_t i = 0; i < 6 * PAGE_WORDS; i++)
            expect_word(again[i], 0, "round %ju: word %ju of memory that was written and freed",
                        (uintmax_t)k, (uintmax_t)i);
        if (k % 2)
            hlrc_barrier();
        for (uint64_t i = 0; i < 6 * PAGE_WORDS; i++)
            expect_word(again[i], 0, "round %ju: word %ju, a little later,", (uintmax_t)k,
                        (uintmax_t)i);
        hlrc_free_all((void *)(uintptr_t)again);
    }
}

void litmus_run(void)
{
    slots = (volatile struct block *)(uintptr_t)shared_words(SLOTS * sizeof(struct block) / 8);
    exchange_blocks();
    small_blocks();
    collectives();
    freed_at_once();
    freed_elsewhere();
}
