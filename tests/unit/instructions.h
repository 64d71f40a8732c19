/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* instructions.h - unit tests of diffs once for each instruction set that this CPU has. */
#ifndef TESTS_UNIT_INSTRUCTIONS_H
#define TESTS_UNIT_INSTRUCTIONS_H

#include "hlrc/memory/diff.h"
#include "tests/unit/unit.h"

#include <stdio.h>

/* Returns how many of the tests failed. */
static inline int instructions_each(struct unit_test *tests, size_t count)
{
    static const char *const names[] = { "portable", "avx2", "avx512" };
    int failed = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (diff_use(names[i]) == 0)
            failed += unit_group(names[i], NULL, NULL, tests, count);
        else
            printf("diff: no %s here: its loops are not tested\n", names[i]);
    return failed;
}

#endif
