/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 10, allocations that change their size: one goes from node to node, and grows or shrinks on
 * each, by bytes, blocks and pages; it holds what was stored before. And what sizes they have.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("rule 10, sizes of allocations", 1, 2, 3)

LITMUS_SET(MEMORY, "64M")

enum { LOCK = 2, ROUNDS = 60 };

static const size_t sizes[] = { 1,     16,   17,  100, 99, 3000,  5000,  20000,
                                65536, 7000, 900, 40,  41, 70000, 16384, 1 };
#define SIZES (sizeof sizes / sizeof sizes[0])

struct passed {
    unsigned char *at;
    uint64_t size, turn;
};

static unsigned char pattern(uint64_t turn, size_t i)
{
    return (unsigned char)(turn * 31 + i * 7 + (i >> 8));
}

static void expect_pattern(const unsigned char *at, size_t size, uint64_t turn)
{
    for (size_t i = 0; i < size; i++)
        expect(at[i] == pattern(turn, i), "byte %zu of %zu that were stored in turn %ju is %d", i,
               size, (uintmax_t)turn, at[i]);
}

static void change(struct passed *p)
{
    size_t size = sizes[p->turn % SIZES], kept = size < p->size ? size : p->size;
    unsigned char *at = hlrc_realloc(p->at, size);
    expect(at != NULL, "hlrc_realloc to %zu bytes: %s", size, strerror(errno));
    if (p->turn > 0)
        expect_pattern(at, kept, p->turn - 1);
    expect(hlrc_usable_size(at) >= size, "%zu bytes of %zu", hlrc_usable_size(at), size);
    for (size_t i = 0; i < size; i++)
        at[i] = pattern(p->turn, i);
    p->at = at;
    p->size = size;
    p->turn++;
}

static void pass_on(struct passed *p)
{
    for (uint64_t turn = (uint64_t)me; turn < ROUNDS; turn += (uint64_t)nodes)
        for (bool done = false; !done;) {
            hlrc_lock(LOCK);
            done = p->turn == turn;
            if (done)
                change(p);
            hlrc_unlock(LOCK);
        }
    hlrc_barrier();
    expect_word(p->turn, ROUNDS, "turns");
    hlrc_barrier();
    if (me == nodes - 1)
        hlrc_free(p->at);
    hlrc_barrier();
}

static void zeros(void)
{
    for (size_t i = 0; i < SIZES; i++) {
        unsigned char *at = hlrc_calloc(3, sizes[i]);
        expect(at != NULL, "hlrc_calloc of 3 times %zu bytes", sizes[i]);
        for (size_t k = 0; k < 3 * sizes[i]; k++)
            expect(at[k] == 0, "byte %zu of hlrc_calloc is %d", k, at[k]);
        memset(at, 0xee, 3 * sizes[i]);
        hlrc_free(at);
    }
    errno = 0;
    expect(hlrc_calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM, "more than there is");
    expect(hlrc_calloc((size_t)1 << 40, 1) == NULL && errno == ENOMEM, "a terabyte");
}

static void what_is_none(void)
{
    static char own[64];
    volatile uint64_t *all = shared_words(PAGE_WORDS);
    char *small = hlrc_malloc(48), *large = hlrc_malloc(3 * PAGE);
    expect(hlrc_usable_size(small) >= 48 && hlrc_usable_size(small) < 200, "48 bytes: %zu",
           hlrc_usable_size(small));
    expect(hlrc_usable_size(large) == 3 * PAGE, "3 pages: %zu", hlrc_usable_size(large));
    expect(hlrc_usable_size(NULL) == 0 && hlrc_usable_size(own) == 0 &&
               hlrc_usable_size((void *)(uintptr_t)all) == 0 && hlrc_usable_size(small + 8) == 0 &&
               hlrc_usable_size(large + PAGE) == 0 && hlrc_usable_size((void *)-1) == 0,
           "the size of what was not allocated");
    hlrc_free(small);
    hlrc_free(large);
    hlrc_barrier();
}

void litmus_run(void)
{
    struct passed *p = (struct passed *)(uintptr_t)shared_words(PAGE_WORDS);
    pass_on(p);
    zeros();
    hlrc_barrier();
    what_is_none();
}
