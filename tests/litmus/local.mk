# SPDX-License-Identifier: LGPL-2.1-or-later
# Litmus programs: each runs itself under hlrcrun, for every protocol (litmus.h).
LITMUS_TESTS = \
	tests/litmus/accumulate \
	tests/litmus/api \
	tests/litmus/lock_turns \
	tests/litmus/last_flush \
	tests/litmus/locks \
	tests/litmus/mappings \
	tests/litmus/rule01_fence \
	tests/litmus/rule01_release \
	tests/litmus/rule01_toggle \
	tests/litmus/rule02_home \
	tests/litmus/rule02_many \
	tests/litmus/rule03_barrier \
	tests/litmus/rule03_causality \
	tests/litmus/rule03_lazy \
	tests/litmus/rule03_lock \
	tests/litmus/rule03_order \
	tests/litmus/rule03_vt \
	tests/litmus/rule04_access \
	tests/litmus/rule04_copies \
	tests/litmus/rule04_ended \
	tests/litmus/rule04_first_read \
	tests/litmus/rule04_home \
	tests/litmus/rule04_parts \
	tests/litmus/rule04_prefetch \
	tests/litmus/rule04_renew \
	tests/litmus/rule04_runs \
	tests/litmus/rule04_stack \
	tests/litmus/rule05_merge \
	tests/litmus/rule06_bytes \
	tests/litmus/rule06_edges \
	tests/litmus/rule07_home \
	tests/litmus/rule07_move \
	tests/litmus/rule07_range \
	tests/litmus/rule07_range_few \
	tests/litmus/rule08_atomics \
	tests/litmus/rule08_stale \
	tests/litmus/rule08_words \
	tests/litmus/rule09_log \
	tests/litmus/rule10_free \
	tests/litmus/rule10_heap \
	tests/litmus/rule10_held \
	tests/litmus/rule10_reuse \
	tests/litmus/rule10_sizes \
	tests/litmus/rule11_cond \
	tests/litmus/rule11_reduce \
	tests/litmus/rule11_rwlock \
	tests/litmus/rule11_group \
	tests/litmus/rule11_split \
	tests/litmus/rule11_tries \
	tests/litmus/rule11_trylock \
	tests/litmus/sections \
	tests/litmus/threads \
	tests/litmus/wake_diff \
	tests/litmus/wake_lock \
	tests/litmus/wake_room \
	tests/litmus/wake_threads \
	tests/litmus/windows

tests_litmus_rule07_range_few_SOURCES = tests/litmus/rule07_range.c
tests_litmus_rule07_range_few_CPPFLAGS = $(AM_CPPFLAGS) -DFEW_COPIES

check_PROGRAMS += $(LITMUS_TESTS)
TESTS += $(LITMUS_TESTS) tests/litmus/chaos.sh tests/litmus/group.sh tests/litmus/mcs.sh tests/litmus/onesided.sh
LATER_TESTS += tests/litmus/writes.sh tests/litmus/notices.sh tests/litmus/meeting.sh tests/litmus/twins.sh
EXTRA_DIST += tests/litmus/chaos.sh tests/litmus/group.sh tests/litmus/mcs.sh tests/litmus/onesided.sh tests/litmus/runs.sh
