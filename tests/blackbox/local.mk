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

tests_blackbox_altstack_depth_LDADD = tests/libtests.a libhlrc_core.la
# It knows the default homes.
tests_blackbox_counts_LDADD = tests/libtests.a libhlrc_core.la

BLACKBOX_SHELL = tests/blackbox/checkpoint.sh tests/blackbox/unchanged.sh tests/blackbox/resize.sh tests/blackbox/saved_apps.sh tests/blackbox/computing.sh tests/blackbox/collectives.sh tests/blackbox/part.sh tests/blackbox/dumps.sh \
	tests/blackbox/crash.sh tests/blackbox/dropped.sh tests/blackbox/endings.sh tests/blackbox/fork.sh \
	tests/blackbox/hang.sh tests/blackbox/holds.sh tests/blackbox/large.sh tests/blackbox/many.sh \
	tests/blackbox/noread.sh tests/blackbox/profile.sh tests/blackbox/race_pages.sh tests/blackbox/races.sh \
	tests/blackbox/ranges.sh tests/blackbox/arguments.sh tests/blackbox/segv.sh tests/blackbox/signals.sh tests/blackbox/syscalls.sh \
	tests/blackbox/totals.sh tests/blackbox/watchdog.sh

check_PROGRAMS += $(BLACKBOX_TESTS) tests/blackbox/crash tests/blackbox/figures tests/blackbox/hang tests/blackbox/holds \
	tests/blackbox/large tests/blackbox/many tests/blackbox/meet tests/blackbox/misuse tests/blackbox/outside tests/blackbox/part \
	tests/blackbox/race tests/blackbox/race_pages tests/blackbox/race_reads tests/blackbox/ranges tests/blackbox/saved tests/blackbox/sharing \
	tests/blackbox/signals tests/blackbox/stuck tests/blackbox/sync_calls tests/blackbox/unchanged tests/blackbox/unfinished
tests_blackbox_race_reads_SOURCES = tests/blackbox/race.c
tests_blackbox_race_reads_LDADD = libhlrc_reads.la libhlrc.la
if SANITIZERS
tests_blackbox_race_reads_CPPFLAGS = $(AM_CPPFLAGS)
else
tests_blackbox_race_reads_CPPFLAGS = $(AM_CPPFLAGS) -fsanitize=thread
endif
TESTS += $(BLACKBOX_TESTS) $(BLACKBOX_SHELL)
EXTRA_DIST += $(BLACKBOX_SHELL) tests/blackbox/drop.c tests/lib.sh tests/statslib.sh tests/tracelib.sh
SOAK_TESTS += tests/blackbox/dropped.sh tests/blackbox/many.sh tests/blackbox/race_pages.sh tests/blackbox/races.sh
tests/blackbox/many.log: TEST_TIMEOUT = 400
