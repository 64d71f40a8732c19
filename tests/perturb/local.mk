# SPDX-License-Identifier: LGPL-2.1-or-later
# What runs in a build with --enable-perturb: threads are late at named points.
PERTURB_TESTS = tests/perturb/litmus.sh tests/perturb/random.sh tests/perturb/windows.sh
EXTRA_DIST += tests/perturb/litmus.sh tests/perturb/random.sh tests/perturb/windows.sh tests/perturb/lib.sh
check_PROGRAMS += tests/perturb/points
tests_perturb_points_LDADD = libhlrc_core.la
tests/perturb/litmus.log tests/perturb/random.log tests/perturb/windows.log: TEST_TIMEOUT = 1200
SOAK_TESTS += $(PERTURB_TESTS)
if PERTURB
LATER_TESTS += $(PERTURB_TESTS)
endif

# Those alone, with the programs that they need: make check-perturb, or check-perturb PERTURB_TESTS= to build them.
check-perturb: hlrcrun tests/within $(LITMUS_TESTS) tests/random/random tests/perturb/points
	test -z '$(PERTURB_TESTS)' || $(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(PERTURB_TESTS)' check_PROGRAMS=
.PHONY: check-perturb
