/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit.h - a program of unit tests: a list of functions, and one that is called before each and
 * one after (or NULL). */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct unit_test {
    const char *name;
    void (*run)(void);
    void (*before)(void), (*after)(void);
};

static inline int unit_before(void **state)
{
    const struct unit_test *test = *state;

    if (test->before)
        test->before();
    return 0;
}

static inline void unit_run(void **state)
{
    ((const struct unit_test *)*state)->run();
}

static inline int unit_after(void **state)
{
    const struct unit_test *test = *state;

    if (test->after)
        test->after();
    return 0;
}

/* Runs COUNT tests, BEFORE and AFTER around each; returns how many failed. */
static inline int unit_group(const char *name, void (*before)(void), void (*after)(void),
                             struct unit_test *test, size_t count)
{
    struct CMUnitTest group[64];

    assert_true(count <= sizeof group / sizeof *group);
    for (size_t i = 0; i < count; i++) {
        test[i].before = before;
        test[i].after = after;
        group[i] = (struct CMUnitTest){ test[i].name, unit_run, unit_before, unit_after, &test[i] };
    }
    return _cmocka_run_group_tests(name, group, count, NULL, NULL);
}

#define TEST(function)                     \
    {                                      \
        .name = #function, .run = function \
    }
#define UNIT_MAIN(before, after, ...)                                                   \
    int main(void)                                                                      \
    {                                                                                   \
        struct unit_test tests[] = { __VA_ARGS__ };                                     \
        return unit_group("tests", before, after, tests, sizeof tests / sizeof *tests); \
    }

#endif
