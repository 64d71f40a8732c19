/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renewing a page that a thread of this node writes meanwhile [update.own-stores]: what it has
 * written stays, every other byte becomes that of the newer copy. Once per instruction set that
 * this CPU has.
 */
#include "hlrc/memory/diff.h"
#include "tests/unit/instructions.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#ifdef HLRC_INSTRUMENTED
#    define ROUNDS 5000
#else
#    define ROUNDS 100000
#endif

static _Alignas(64) uint8_t page[DIFF_PAGE], twin[DIFF_PAGE], newer[DIFF_PAGE];
static atomic_bool over;

/* Writes every other byte of the page, and counts those that it does not find so the next time. */
static void *write_even(void *lost)
{
    volatile uint8_t *mine = page;

    for (unsigned n = 1; !atomic_load(&over); n++)
        for (size_t i = 0; i < DIFF_PAGE; i += 2) {
            *(int *)lost += n > 1 && mine[i] != (uint8_t)(n - 1);
            mine[i] = (uint8_t)n;
        }
    return NULL;
}

static void test_renew(void)
{
    pthread_t thread;
    int lost = 0, wrong = 0;

    for (size_t i = 0; i < DIFF_PAGE; i++)
        page[i] = twin[i] = newer[i] = (uint8_t)(i * i >> 4);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&thread, NULL, write_even, &lost), 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t at = 1; at < DIFF_PAGE; at += 2 * (1 + round % 61))
            newer[at]++;
        diff_renew(page, twin, newer);
        for (size_t at = 1; at < DIFF_PAGE; at += 2)
            wrong += page[at] != newer[at];
        wrong += memcmp(twin, newer, DIFF_PAGE) != 0;
    }
    atomic_store(&over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(lost, 0);
}

int main(void)
{
    struct unit_test tests[] = { TEST(test_renew) };

    return instructions_each(tests, 1) != 0;
}
