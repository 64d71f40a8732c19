/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/backoff.h: which system call each attempt makes. The test links with --wrap. */

#include "base/backoff.h"
#include "tests/unit/unit.h"

static unsigned yields, naps;
static long nap_ns;

int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    yields++;
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    assert_null(left);
    assert_int_equal(time->tv_sec, 0);
    nap_ns = time->tv_nsec;
    naps++;
    return 0;
}

static void stages(void)
{
    for (unsigned tries = 0; tries < 20; tries++) {
        backoff_pause(tries, 5, 12, 700);
        assert_int_equal(yields, tries < 5 ? 0 : tries < 12 ? tries - 4 : 7);
        assert_int_equal(naps, tries < 12 ? 0 : tries - 11);
    }
    assert_int_equal(nap_ns, 700);
}

UNIT_MAIN(NULL, NULL, TEST(stages))
