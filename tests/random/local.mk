# SPDX-License-Identifier: LGPL-2.1-or-later
# Random programs against an oracle, linked as a user's program is, and the hook fabric that they and others run over.
check_PROGRAMS += tests/random/random
tests_random_random_SOURCES = \
	tests/random/actor.c tests/random/actor.h tests/random/content.c tests/random/content.h tests/random/driver.h \
	tests/random/job.c tests/random/node.c tests/random/oracle.c tests/random/oracle.h tests/random/perform.c \
	tests/random/plan.c tests/random/print.c tests/random/program.c tests/random/program.h tests/random/random.c \
	tests/random/words.c

# The same, compiled so that reads are noted (--check races).
if !SANITIZERS
check_PROGRAMS += tests/random/random_reads
tests_random_random_reads_SOURCES = $(tests_random_random_SOURCES)
tests_random_random_reads_CPPFLAGS = $(AM_CPPFLAGS) -fsanitize=thread
tests_random_random_reads_LDADD = tests/libtests.a libhlrc_reads.la libhlrc.la
endif

RANDOM_SHELL = tests/random/shm.sh tests/random/chaos.sh tests/random/ofi.sh tests/random/litmus.sh
LATER_TESTS += tests/random/shm.sh tests/random/chaos.sh tests/random/ofi.sh
TESTS += tests/random/drop.sh
EXTRA_DIST += tests/random/drop.sh
SOAK_TESTS += $(RANDOM_SHELL)
EXTRA_DIST += tests/random/litmus.sh tests/random/lib.sh
