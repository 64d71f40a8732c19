/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/parse.h: bounds, ends, and what is no number. */
#include <stdio.h>

#include "base/parse.h"
#include "tests/unit/unit.h"

static void expect_error(int error, const char *text, const char *ends, int64_t low, int64_t high)
{
    int64_t value = 77;
    assert_int_equal(parse_number(text, ends, low, high, &value), error);
    assert_int_equal(value, 77);
}

/* Every number within a range and around it, as printf writes it. */
static void ranges(void)
{
    char text[32];
    for (int n = -20; n <= 20; n++) {
        int64_t value;
        snprintf(text, sizeof text, "%d", n);
        if (n < -7 || n > 12) {
            expect_error(-ERANGE, text, "", -7, 12);
            continue;
        }
        assert_int_equal(parse_number(text, "", -7, 12, &value), 0);
        assert_int_equal(value, n);
    }
}

static void limits(void)
{
    int64_t value;
    assert_int_equal(parse_number("9223372036854775807", "", 0, INT64_MAX, &value), 0);
    assert_true(value == INT64_MAX);
    assert_int_equal(parse_number("-9223372036854775808", "", INT64_MIN, 0, &value), 0);
    assert_true(value == INT64_MIN);
    expect_error(-ERANGE, "9223372036854775808", "", INT64_MIN, INT64_MAX);
    expect_error(-ERANGE, "-9223372036854775809", "", INT64_MIN, INT64_MAX);
    expect_error(-ERANGE, "4294967297", "", 0, 10); /* 1 in 32 bits */
}

static void no_numbers(void)
{
    static const char *const texts[] = {
        "", "-", "x", "1x", "0x10", "1.5", "1 ", "1,2", ",", "--1"
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_error(-EINVAL, texts[i], "", 0, 100);
    /* what is no number is not out of range */
    expect_error(-EINVAL, "999x", "", 0, 100);
}

static void ends(void)
{
    int64_t value;
    assert_int_equal(parse_number("12,13", ",:", 0, 100, &value), 0);
    assert_int_equal(value, 12);
    assert_int_equal(parse_number("12", ",:", 0, 100, &value), 0);
    expect_error(-EINVAL, "12;13", ",:", 0, 100);
    expect_error(-EINVAL, ",13", ",:", 0, 100);
}

UNIT_MAIN(NULL, NULL, TEST(ranges), TEST(limits), TEST(no_numbers), TEST(ends))
