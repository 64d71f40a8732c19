# SPDX-License-Identifier: LGPL-2.1-or-later
# Fuzz targets with a driver of their own; fuzz.sh also builds them for libFuzzer where clang has it.
FUZZ_TARGETS = tests/fuzz/commands tests/fuzz/config tests/fuzz/diff tests/fuzz/hosts tests/fuzz/messages
check_LIBRARIES += tests/fuzz/libdriver.a
tests_fuzz_libdriver_a_SOURCES = tests/fuzz/driver.c tests/fuzz/fuzz.h
check_PROGRAMS += $(FUZZ_TARGETS)
tests_fuzz_commands_SOURCES = tests/fuzz/commands.c $(LAUNCH_COMMAND)
tests_fuzz_commands_LDADD = tests/fuzz/libdriver.a libhlrc_core.la
tests_fuzz_config_LDADD = tests/fuzz/libdriver.a libhlrc_core.la
tests_fuzz_diff_LDADD = tests/fuzz/libdriver.a libhlrc_core.la
tests_fuzz_hosts_LDADD = tests/fuzz/libdriver.a libhlrc_core.la
tests_fuzz_messages_LDFLAGS = -Wl,--wrap=diag_fatal,--wrap=progress_changed
tests_fuzz_messages_LDADD = tests/fuzz/libdriver.a libhlrc_core.la

TESTS += tests/fuzz/fuzz.sh
SOAK_TESTS += tests/fuzz/fuzz.sh
EXTRA_DIST += tests/fuzz/fuzz.sh
