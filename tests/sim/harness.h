/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* harness.h - cmocka, for the tests of the simulator. */
#ifndef TESTS_SIM_HARNESS_H
#define TESTS_SIM_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The head of a test. */
#define TEST(function) static void function(void **unused __attribute__((unused)))

/* The program that runs these tests, each a cmocka_unit_test(). */
#define TEST_MAIN(...)                                     \
    int main(void)                                         \
    {                                                      \
        const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
        return cmocka_run_group_tests(tests, NULL, NULL);  \
    }

#endif
