# SPDX-License-Identifier: LGPL-2.1-or-later
# Litmus programs: each runs itself under hlrcrun, for every protocol (litmus.h).
LITMUS_COMMON = tests/litmus/litmus.c tests/litmus/litmus.h $(TIME_LIMIT)
LITMUS_TESTS = \
	tests/litmus/accumulate \
	tests/litmus/lock_turns \
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
	tests/litmus/rule03_vt \
	tests/litmus/rule04_access \
	tests/litmus/rule04_copies \
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

tests_litmus_accumulate_SOURCES = tests/litmus/accumulate.c $(LITMUS_COMMON)
tests_litmus_accumulate_LDADD = libhlrc.la
tests_litmus_lock_turns_SOURCES = tests/litmus/lock_turns.c $(LITMUS_COMMON)
tests_litmus_lock_turns_LDADD = libhlrc.la
tests_litmus_locks_SOURCES = tests/litmus/locks.c $(LITMUS_COMMON)
tests_litmus_locks_LDADD = libhlrc.la
tests_litmus_mappings_SOURCES = tests/litmus/mappings.c $(LITMUS_COMMON)
tests_litmus_mappings_LDADD = libhlrc.la
tests_litmus_rule01_fence_SOURCES = tests/litmus/rule01_fence.c $(LITMUS_COMMON)
tests_litmus_rule01_fence_LDADD = libhlrc.la
tests_litmus_rule01_release_SOURCES = tests/litmus/rule01_release.c $(LITMUS_COMMON)
tests_litmus_rule01_release_LDADD = libhlrc.la
tests_litmus_rule01_toggle_SOURCES = tests/litmus/rule01_toggle.c $(LITMUS_COMMON)
tests_litmus_rule01_toggle_LDADD = libhlrc.la
tests_litmus_rule02_home_SOURCES = tests/litmus/rule02_home.c $(LITMUS_COMMON)
tests_litmus_rule02_home_LDADD = libhlrc.la
tests_litmus_rule02_many_SOURCES = tests/litmus/rule02_many.c $(LITMUS_COMMON)
tests_litmus_rule02_many_LDADD = libhlrc.la
tests_litmus_rule03_barrier_SOURCES = tests/litmus/rule03_barrier.c $(LITMUS_COMMON)
tests_litmus_rule03_barrier_LDADD = libhlrc.la
tests_litmus_rule03_causality_SOURCES = tests/litmus/rule03_causality.c $(LITMUS_COMMON)
tests_litmus_rule03_causality_LDADD = libhlrc.la
tests_litmus_rule03_lazy_SOURCES = tests/litmus/rule03_lazy.c $(LITMUS_COMMON)
tests_litmus_rule03_lazy_LDADD = libhlrc.la
tests_litmus_rule03_lock_SOURCES = tests/litmus/rule03_lock.c $(LITMUS_COMMON)
tests_litmus_rule03_lock_LDADD = libhlrc.la
tests_litmus_rule03_vt_SOURCES = tests/litmus/rule03_vt.c $(LITMUS_COMMON)
tests_litmus_rule03_vt_LDADD = libhlrc.la
tests_litmus_rule04_access_SOURCES = tests/litmus/rule04_access.c $(LITMUS_COMMON)
tests_litmus_rule04_access_LDADD = libhlrc.la
tests_litmus_rule04_first_read_SOURCES = tests/litmus/rule04_first_read.c $(LITMUS_COMMON)
tests_litmus_rule04_first_read_LDADD = libhlrc.la
tests_litmus_rule04_home_SOURCES = tests/litmus/rule04_home.c $(LITMUS_COMMON)
tests_litmus_rule04_home_LDADD = libhlrc.la
tests_litmus_rule04_copies_SOURCES = tests/litmus/rule04_copies.c $(LITMUS_COMMON)
tests_litmus_rule04_copies_LDADD = libhlrc.la
tests_litmus_rule04_parts_SOURCES = tests/litmus/rule04_parts.c $(LITMUS_COMMON)
tests_litmus_rule04_parts_LDADD = libhlrc.la
tests_litmus_rule04_prefetch_SOURCES = tests/litmus/rule04_prefetch.c $(LITMUS_COMMON)
tests_litmus_rule04_prefetch_LDADD = libhlrc.la
tests_litmus_rule04_renew_SOURCES = tests/litmus/rule04_renew.c $(LITMUS_COMMON)
tests_litmus_rule04_renew_LDADD = libhlrc.la
tests_litmus_rule04_runs_SOURCES = tests/litmus/rule04_runs.c $(LITMUS_COMMON)
tests_litmus_rule04_runs_LDADD = libhlrc.la
tests_litmus_rule04_stack_SOURCES = tests/litmus/rule04_stack.c $(LITMUS_COMMON)
tests_litmus_rule04_stack_LDADD = libhlrc.la
tests_litmus_rule05_merge_SOURCES = tests/litmus/rule05_merge.c $(LITMUS_COMMON)
tests_litmus_rule05_merge_LDADD = libhlrc.la
tests_litmus_rule06_bytes_SOURCES = tests/litmus/rule06_bytes.c $(LITMUS_COMMON)
tests_litmus_rule06_bytes_LDADD = libhlrc.la
tests_litmus_rule06_edges_SOURCES = tests/litmus/rule06_edges.c $(LITMUS_COMMON)
tests_litmus_rule06_edges_LDADD = libhlrc.la
tests_litmus_rule07_home_SOURCES = tests/litmus/rule07_home.c $(LITMUS_COMMON)
tests_litmus_rule07_home_LDADD = libhlrc.la
tests_litmus_rule07_move_SOURCES = tests/litmus/rule07_move.c $(LITMUS_COMMON)
tests_litmus_rule07_move_LDADD = libhlrc.la
tests_litmus_rule07_range_SOURCES = tests/litmus/rule07_range.c $(LITMUS_COMMON)
tests_litmus_rule07_range_LDADD = libhlrc.la
tests_litmus_rule07_range_few_SOURCES = tests/litmus/rule07_range.c $(LITMUS_COMMON)
tests_litmus_rule07_range_few_CPPFLAGS = $(AM_CPPFLAGS) -DFEW_COPIES
tests_litmus_rule07_range_few_LDADD = libhlrc.la
tests_litmus_rule08_atomics_SOURCES = tests/litmus/rule08_atomics.c $(LITMUS_COMMON)
tests_litmus_rule08_atomics_LDADD = libhlrc.la
tests_litmus_rule08_stale_SOURCES = tests/litmus/rule08_stale.c $(LITMUS_COMMON)
tests_litmus_rule08_stale_LDADD = libhlrc.la
tests_litmus_rule08_words_SOURCES = tests/litmus/rule08_words.c $(LITMUS_COMMON)
tests_litmus_rule08_words_LDADD = libhlrc.la
tests_litmus_rule09_log_SOURCES = tests/litmus/rule09_log.c $(LITMUS_COMMON)
tests_litmus_rule09_log_LDADD = libhlrc.la
tests_litmus_rule10_free_SOURCES = tests/litmus/rule10_free.c $(LITMUS_COMMON)
tests_litmus_rule10_free_LDADD = libhlrc.la
tests_litmus_rule10_heap_SOURCES = tests/litmus/rule10_heap.c $(LITMUS_COMMON)
tests_litmus_rule10_heap_LDADD = libhlrc.la
tests_litmus_rule10_held_SOURCES = tests/litmus/rule10_held.c $(LITMUS_COMMON)
tests_litmus_rule10_held_LDADD = libhlrc.la
tests_litmus_rule10_reuse_SOURCES = tests/litmus/rule10_reuse.c $(LITMUS_COMMON)
tests_litmus_rule10_reuse_LDADD = libhlrc.la
tests_litmus_rule10_sizes_SOURCES = tests/litmus/rule10_sizes.c $(LITMUS_COMMON)
tests_litmus_rule10_sizes_LDADD = libhlrc.la
tests_litmus_rule11_reduce_SOURCES = tests/litmus/rule11_reduce.c $(LITMUS_COMMON)
tests_litmus_rule11_reduce_LDADD = libhlrc.la
tests_litmus_rule11_rwlock_SOURCES = tests/litmus/rule11_rwlock.c $(LITMUS_COMMON)
tests_litmus_rule11_rwlock_LDADD = libhlrc.la
tests_litmus_rule11_cond_SOURCES = tests/litmus/rule11_cond.c $(LITMUS_COMMON)
tests_litmus_rule11_cond_LDADD = libhlrc.la
tests_litmus_rule11_group_SOURCES = tests/litmus/rule11_group.c $(LITMUS_COMMON)
tests_litmus_rule11_group_LDADD = libhlrc.la
tests_litmus_rule11_split_SOURCES = tests/litmus/rule11_split.c $(LITMUS_COMMON)
tests_litmus_rule11_split_LDADD = libhlrc.la
tests_litmus_rule11_tries_SOURCES = tests/litmus/rule11_tries.c $(LITMUS_COMMON)
tests_litmus_rule11_tries_LDADD = libhlrc.la
tests_litmus_rule11_trylock_SOURCES = tests/litmus/rule11_trylock.c $(LITMUS_COMMON)
tests_litmus_rule11_trylock_LDADD = libhlrc.la
tests_litmus_sections_SOURCES = tests/litmus/sections.c $(LITMUS_COMMON)
tests_litmus_sections_LDADD = libhlrc.la
tests_litmus_threads_SOURCES = tests/litmus/threads.c $(LITMUS_COMMON)
tests_litmus_threads_LDADD = libhlrc.la
tests_litmus_wake_diff_SOURCES = tests/litmus/wake_diff.c $(LITMUS_COMMON)
tests_litmus_wake_diff_LDADD = libhlrc.la
tests_litmus_wake_lock_SOURCES = tests/litmus/wake_lock.c $(LITMUS_COMMON)
tests_litmus_wake_lock_LDADD = libhlrc.la
tests_litmus_wake_room_SOURCES = tests/litmus/wake_room.c $(LITMUS_COMMON)
tests_litmus_wake_room_LDADD = libhlrc.la
tests_litmus_wake_threads_SOURCES = tests/litmus/wake_threads.c $(LITMUS_COMMON)
tests_litmus_wake_threads_LDADD = libhlrc.la
tests_litmus_windows_SOURCES = tests/litmus/windows.c $(LITMUS_COMMON)
tests_litmus_windows_LDADD = libhlrc.la

check_PROGRAMS += $(LITMUS_TESTS)
TESTS += $(LITMUS_TESTS) tests/litmus/chaos.sh tests/litmus/group.sh tests/litmus/onesided.sh tests/litmus/queue.sh
LATER_TESTS += tests/litmus/writes.sh tests/litmus/notices.sh tests/litmus/meeting.sh tests/litmus/twins.sh
EXTRA_DIST += tests/litmus/chaos.sh tests/litmus/group.sh tests/litmus/onesided.sh tests/litmus/queue.sh tests/litmus/runs.sh
