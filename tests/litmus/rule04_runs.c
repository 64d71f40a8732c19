/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, pages that are opened in runs. What was opened together with its neighbours is revoked
 * like any other page, also where the system refused a change of protection half way (page_view.h;
 * HLRC_PERTURB=fail:5:0 in a build with --enable-perturb).
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 4, pages opened in runs", 2, 3)

#define PAGES  64u
#define ROUNDS 40u
/* Most of what is used: a collapse takes that sixteenth of it which has most borders. */
#define FAR_PAGES 20000u
#define BORDERS   100u

static volatile uint64_t *data, *far;

static void write_all(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        data[p * PAGE_WORDS] = k;
}

/* Many pages that are open between others that are less: if mappings are collapsed, it is there. */
static void make_borders(uint64_t k)
{
    volatile uint64_t *mine = far + (FAR_PAGES - (uint64_t)(me + 1) * 2 * BORDERS) * PAGE_WORDS;
    for (uint64_t i = 0; i < BORDERS; i++)
        mine[2 * i * PAGE_WORDS] = k;
}

/* Every other time the pages are asked for and opened in runs; next time only a fault brings what
 * is new. */
static void read_all(uint64_t k)
{
    make_borders(k);
    if (k % 2)
        hlrc_prefetch((const void *)(uintptr_t)data, PAGES * PAGE);
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], k, "page %ju", (uintmax_t)p);
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    far = shared_words((uint64_t)FAR_PAGES * PAGE_WORDS);
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        if (me == 0)
            write_all(k);
        hlrc_barrier();
        if (me != 0)
            read_all(k);
        hlrc_barrier();
    }
}
