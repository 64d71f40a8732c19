/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 10, memory that hlrc_free_all has given back, and that another thread of a node has and
 * writes again while the one that freed it is still in the call. It is memory like any other from
 * the moment in which it can be had: what is written there, once it has been announced, is told to
 * a node that reads it later [unshared.reset].
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 10, memory had again", 2, 3)

LITMUS_SET(LAZY_RELEASE, "0") /* every unlock announces */

#define PAGES  16u /* of no superblock */
#define ROUNDS 16
#define WRITER (nodes - 1)
#define READER 0

enum turn { WRITTEN, READ, AGAIN, TURNS }; /* which are locks, too */

static volatile uint64_t *data, *turns;
static uint64_t number; /* of the round, from 1 */

static void write_words(uint64_t value)
{
    hlrc_lock(TURNS);
    for (uint64_t p = 0; p < PAGES; p++)
        data[p * PAGE_WORDS] = value;
    hlrc_unlock(TURNS);
}

static void expect_words(uint64_t value, const char *when)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], value, "page %ju, %s", (uintmax_t)p, when);
}

/* The first fit, once it has been given back. */
static void have_again(void)
{
    void *had = hlrc_malloc(PAGES * PAGE);
    while (had != (void *)(uintptr_t)data) {
        expect(had, "hlrc_malloc");
        hlrc_free(had);
        had = hlrc_malloc(PAGES * PAGE);
    }
}

static void write_again(void)
{
    have_again();
    /* announced, and without a trace since [unshared.announced-first] */
    for (uint64_t value = 1; value <= 3; value++)
        write_words(value);
    post(WRITTEN, &turns[WRITTEN], number);
    await(READ, &turns[READ], number);
    write_words(4);
    post(AGAIN, &turns[AGAIN], number);
}

static void read_again(void)
{
    await(WRITTEN, &turns[WRITTEN], number);
    expect_words(3, "read for the first time");
    post(READ, &turns[READ], number);
    await(AGAIN, &turns[AGAIN], number);
    expect_words(4, "written since it was read");
}

static void thread(int i)
{
    if (i == 0)
        hlrc_free_all((void *)(uintptr_t)data);
    else if (me == WRITER)
        write_again();
    else if (me == READER)
        read_again();
}

void litmus_run(void)
{
    turns = shared_words(TURNS);
    for (number = 1; number <= ROUNDS; number++) {
        data = hlrc_malloc_all(PAGES * PAGE);
        expect(data, "hlrc_malloc_all");
        in_threads(2, thread);
        hlrc_barrier();
        if (me == WRITER)
            hlrc_free((void *)(uintptr_t)data);
        hlrc_barrier();
    }
}
