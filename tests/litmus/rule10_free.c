/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 10, hlrc_free_all of a node that is done with the memory while others still read it. They
 * come to the call later; what was written under a lock before it they read until then, also in
 * pages of which they got their first copy just before that was written [unshared.reset].
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 10, memory freed early", 2, 3)

LITMUS_SET(LAZY_RELEASE, "1") /* the lock has settled at its first unlock: no closing */

#define PAGES  8u
#define ROUNDS 6
#define LOCK   20

static volatile uint64_t *data;

static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    return data + page * PAGE_WORDS + at;
}

static void write_words(uint64_t at, uint64_t value)
{
    for (uint64_t p = 0; p < PAGES; p++)
        *word(p, at) = value;
}

static void expect_words(uint64_t at, uint64_t value, const char *when)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, at), value, "word %ju of page %ju %s", (uintmax_t)at, (uintmax_t)p,
                    when);
}

/* The lock is here, and what is written under it is not published by its unlock. */
static void have_lock(void)
{
    for (int k = 0; k < 3; k++) {
        hlrc_lock(LOCK);
        hlrc_unlock(LOCK);
    }
}

static void free_early(int at)
{
    data = hlrc_malloc_all(PAGES * PAGE);
    expect(data, "hlrc_malloc_all");
    if (me == at) {
        write_words(1, 1); /* the home */
        have_lock();
    }
    hlrc_barrier();
    if (me == at)
        write_words(2, 1); /* without a trace from now on: [unshared.announced-first] */
    meet_outside();
    if (me != at)
        expect_words(3, 0, "that nobody writes"); /* a copy */
    meet_outside();
    if (me == at) {
        hlrc_lock(LOCK);
        write_words(0, 7);
        hlrc_unlock(LOCK);
    } else {
        await_asleep(at); /* in hlrc_free_all, most times */
        hlrc_lock(LOCK);
        expect_words(0, 7, "under the lock");
        hlrc_unlock(LOCK);
    }
    hlrc_free_all((void *)(uintptr_t)data);
}

void litmus_run(void)
{
    meet_pids();
    for (int k = 0; k < ROUNDS; k++)
        free_early(k % nodes);
}
