/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, the end of a program. A node that says that the program has ended announces no page that
 * no other node has read [unshared.ended]. Another node still sees what the first one wrote to a
 * page that it had read, or that had been announced to it, before.
 */
#include "hlrc/memory/only_node.h"
#include "tests/litmus/litmus.h"

LITMUS("rule 4, the end of the program", 2, 3)

#define UNREAD 64u /* pages */

static volatile uint64_t *words; /* a page that is read, one that is announced, and unread ones */

static void write_all(uint64_t value)
{
    words[0] = value;
    words[PAGE_WORDS] = value;
}

static void write_last(void)
{
    hlrc_program_ended();
    write_all(2);
    for (uint64_t p = 2; p < 2 + UNREAD; p++)
        words[p * PAGE_WORDS] = 2;
}

void litmus_run(void)
{
    words = shared_words((2 + UNREAD) * PAGE_WORDS);
    place(words, (2 + UNREAD) * PAGE, 0);
    if (me == 0)
        write_all(1);
    hlrc_barrier();
    if (me != 0)
        expect_word(words[0], 1, "a page that is read");
    hlrc_barrier();
    uint64_t before = stats().write_notices;
    if (me == 0)
        write_last();
    hlrc_barrier();
    uint64_t announced = stats().write_notices - before;
    if (me == 0)
        expect(announced < UNREAD / 2, "%ju pages are announced", (uintmax_t)announced);
    if (me != 0) {
        expect_word(words[0], 2, "a page that has been read");
        expect_word(words[PAGE_WORDS], 2, "a page that has been announced");
    }
}
