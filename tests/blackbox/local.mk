# SPDX-License-Identifier: LGPL-2.1-or-later
# What shows that it is real. The programs run themselves under hlrcrun as the litmus programs do; the scripts look at whole
# jobs.
BLACKBOX_TESTS = \
	tests/blackbox/ahead \
	tests/blackbox/alone \
	tests/blackbox/altstack \
	tests/blackbox/altstack_depth \
	tests/blackbox/counts \
	tests/blackbox/efault \
	tests/blackbox/errno \
	tests/blackbox/exclusive \
	tests/blackbox/fetches \
	tests/blackbox/held \
	tests/blackbox/homes \
	tests/blackbox/past \
	tests/blackbox/hot \
	tests/blackbox/migrates \
	tests/blackbox/million_locks \
	tests/blackbox/prefetch \
	tests/blackbox/quiet \
	tests/blackbox/reset \
	tests/blackbox/nobody_serves \
	tests/blackbox/operations \
	tests/blackbox/stopped_home \
	tests/blackbox/streams \
	tests/blackbox/tiny \
	tests/blackbox/views

tests_blackbox_ahead_SOURCES = tests/blackbox/ahead.c $(LITMUS_COMMON)
tests_blackbox_ahead_LDADD = libhlrc.la
tests_blackbox_altstack_SOURCES = tests/blackbox/altstack.c $(LITMUS_COMMON)
tests_blackbox_altstack_LDADD = libhlrc.la
tests_blackbox_altstack_depth_SOURCES = tests/blackbox/altstack_depth.c $(LITMUS_COMMON)
tests_blackbox_altstack_depth_LDADD = libhlrc_core.la
tests_blackbox_alone_SOURCES = tests/blackbox/alone.c $(LITMUS_COMMON)
tests_blackbox_alone_LDADD = libhlrc.la
# It knows the default homes.
tests_blackbox_counts_SOURCES = tests/blackbox/counts.c $(LITMUS_COMMON)
tests_blackbox_counts_LDADD = libhlrc_core.la
tests_blackbox_efault_SOURCES = tests/blackbox/efault.c $(LITMUS_COMMON)
tests_blackbox_efault_LDADD = libhlrc.la
tests_blackbox_errno_SOURCES = tests/blackbox/errno.c $(LITMUS_COMMON)
tests_blackbox_errno_LDADD = libhlrc.la
tests_blackbox_exclusive_SOURCES = tests/blackbox/exclusive.c $(LITMUS_COMMON)
tests_blackbox_exclusive_LDADD = libhlrc.la
tests_blackbox_fetches_SOURCES = tests/blackbox/fetches.c $(LITMUS_COMMON)
tests_blackbox_fetches_LDADD = libhlrc.la
tests_blackbox_held_SOURCES = tests/blackbox/held.c $(LITMUS_COMMON)
tests_blackbox_held_LDADD = libhlrc.la
tests_blackbox_past_SOURCES = tests/blackbox/past.c $(LITMUS_COMMON)
tests_blackbox_past_LDADD = libhlrc.la
tests_blackbox_homes_SOURCES = tests/blackbox/homes.c $(LITMUS_COMMON)
tests_blackbox_homes_LDADD = libhlrc.la
tests_blackbox_hot_SOURCES = tests/blackbox/hot.c $(LITMUS_COMMON)
tests_blackbox_hot_LDADD = libhlrc.la
tests_blackbox_migrates_SOURCES = tests/blackbox/migrates.c $(LITMUS_COMMON)
tests_blackbox_migrates_LDADD = libhlrc.la
tests_blackbox_million_locks_SOURCES = tests/blackbox/million_locks.c $(LITMUS_COMMON)
tests_blackbox_million_locks_LDADD = libhlrc.la
tests_blackbox_prefetch_SOURCES = tests/blackbox/prefetch.c $(LITMUS_COMMON)
tests_blackbox_prefetch_LDADD = libhlrc.la
tests_blackbox_quiet_SOURCES = tests/blackbox/quiet.c $(LITMUS_COMMON)
tests_blackbox_quiet_LDADD = libhlrc.la
tests_blackbox_reset_SOURCES = tests/blackbox/reset.c $(LITMUS_COMMON)
tests_blackbox_reset_LDADD = libhlrc.la
tests_blackbox_nobody_serves_SOURCES = tests/blackbox/nobody_serves.c $(LITMUS_COMMON)
tests_blackbox_nobody_serves_LDADD = libhlrc.la
tests_blackbox_operations_SOURCES = tests/blackbox/operations.c $(LITMUS_COMMON)
tests_blackbox_operations_LDADD = libhlrc.la
tests_blackbox_stopped_home_SOURCES = tests/blackbox/stopped_home.c $(LITMUS_COMMON)
tests_blackbox_stopped_home_LDADD = libhlrc.la
tests_blackbox_streams_SOURCES = tests/blackbox/streams.c $(LITMUS_COMMON)
tests_blackbox_streams_LDADD = libhlrc.la
tests_blackbox_sync_calls_SOURCES = tests/blackbox/sync_calls.c
tests_blackbox_sync_calls_LDADD = libhlrc.la
tests_blackbox_tiny_SOURCES = tests/blackbox/tiny.c $(LITMUS_COMMON)
tests_blackbox_tiny_LDADD = libhlrc.la
tests_blackbox_views_SOURCES = tests/blackbox/views.c $(LITMUS_COMMON)
tests_blackbox_views_LDADD = libhlrc.la

BLACKBOX_SHELL = \
	tests/blackbox/computing.sh \
	tests/blackbox/collectives.sh \
	tests/blackbox/dumps.sh \
	tests/blackbox/crash.sh \
	tests/blackbox/dropped.sh \
	tests/blackbox/endings.sh \
	tests/blackbox/fork.sh \
	tests/blackbox/hang.sh \
	tests/blackbox/holds.sh \
	tests/blackbox/large.sh \
	tests/blackbox/many.sh \
	tests/blackbox/noread.sh \
	tests/blackbox/profile.sh \
	tests/blackbox/race_pages.sh \
	tests/blackbox/races.sh \
	tests/blackbox/ranges.sh \
	tests/blackbox/segv.sh \
	tests/blackbox/signals.sh \
	tests/blackbox/syscalls.sh \
	tests/blackbox/totals.sh \
	tests/blackbox/watchdog.sh

check_PROGRAMS += tests/blackbox/sync_calls
check_PROGRAMS += $(BLACKBOX_TESTS) tests/blackbox/figures tests/blackbox/hang tests/blackbox/holds tests/blackbox/large tests/blackbox/many tests/blackbox/meet tests/blackbox/misuse tests/blackbox/outside \
	tests/blackbox/race tests/blackbox/race_pages tests/blackbox/ranges tests/blackbox/sharing tests/blackbox/signals tests/blackbox/stuck tests/blackbox/unfinished
check_PROGRAMS += tests/blackbox/crash
tests_blackbox_crash_SOURCES = tests/blackbox/crash.c
tests_blackbox_crash_LDADD = libhlrc.la
tests_blackbox_sharing_SOURCES = tests/blackbox/sharing.c
tests_blackbox_sharing_LDADD = libhlrc.la
tests_blackbox_race_SOURCES = tests/blackbox/race.c
tests_blackbox_race_LDADD = libhlrc.la
tests_blackbox_race_pages_SOURCES = tests/blackbox/race_pages.c
tests_blackbox_race_pages_LDADD = libhlrc.la
check_PROGRAMS += tests/blackbox/race_reads
tests_blackbox_race_reads_SOURCES = tests/blackbox/race.c
tests_blackbox_race_reads_LDADD = libhlrc_reads.la libhlrc.la
if SANITIZERS
tests_blackbox_race_reads_CPPFLAGS = $(AM_CPPFLAGS)
else
tests_blackbox_race_reads_CPPFLAGS = $(AM_CPPFLAGS) -fsanitize=thread
endif
tests_blackbox_stuck_SOURCES = tests/blackbox/stuck.c
tests_blackbox_stuck_LDADD = libhlrc.la
tests_blackbox_hang_SOURCES = tests/blackbox/hang.c
tests_blackbox_hang_LDADD = libhlrc.la
tests_blackbox_holds_SOURCES = tests/blackbox/holds.c
tests_blackbox_holds_LDADD = libhlrc.la
tests_blackbox_figures_SOURCES = tests/blackbox/figures.c
tests_blackbox_figures_LDADD = libhlrc.la
tests_blackbox_unfinished_SOURCES = tests/blackbox/unfinished.c
tests_blackbox_unfinished_LDADD = libhlrc.la
tests_blackbox_large_SOURCES = tests/blackbox/large.c $(LITMUS_COMMON)
tests_blackbox_large_LDADD = libhlrc.la
tests_blackbox_many_SOURCES = tests/blackbox/many.c $(LITMUS_COMMON)
tests_blackbox_many_LDADD = libhlrc.la
tests_blackbox_meet_SOURCES = tests/blackbox/meet.c
tests_blackbox_meet_LDADD = libhlrc.la
tests_blackbox_outside_SOURCES = tests/blackbox/outside.c
tests_blackbox_outside_LDADD = libhlrc.la
tests_blackbox_misuse_SOURCES = tests/blackbox/misuse.c
tests_blackbox_misuse_LDADD = libhlrc.la
tests_blackbox_ranges_SOURCES = tests/blackbox/ranges.c
tests_blackbox_ranges_LDADD = libhlrc.la
tests_blackbox_signals_SOURCES = tests/blackbox/signals.c $(LITMUS_COMMON)
tests_blackbox_signals_LDADD = libhlrc.la
TESTS += $(BLACKBOX_TESTS) $(BLACKBOX_SHELL)
EXTRA_DIST += $(BLACKBOX_SHELL) tests/blackbox/drop.c tests/lib.sh tests/statslib.sh tests/tracelib.sh
SOAK_TESTS += tests/blackbox/dropped.sh tests/blackbox/many.sh tests/blackbox/race_pages.sh tests/blackbox/races.sh
tests/blackbox/many.log: TEST_TIMEOUT = 400
