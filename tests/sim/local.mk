# SPDX-License-Identifier: LGPL-2.1-or-later
# The simulator. A program without a list of sources is made of the one file of its name.
SHELL_TESTS += tests/sim/command.sh tests/sim/conditions.sh tests/sim/decisions.sh tests/sim/gets.sh tests/sim/groups.sh tests/sim/grow.sh tests/sim/paced.sh tests/sim/puts.sh tests/sim/transfers.sh tests/sim/words.sh
EXTRA_DIST += tests/sim/decisions.ardmar tests/sim/decisions.onesided tests/sim/harness.h tests/sim/replay_machine.h tests/sim/replay_run.h tests/sim/replayed.sh tests/sim/trace_make.h
check_PROGRAMS += tests/sim/decisions tests/sim/groups tests/sim/transfers tests/sim/words
tests_sim_decisions_LDADD = libhlrc.la
tests_sim_groups_LDADD = libhlrc.la
tests_sim_transfers_LDADD = libhlrc.la
tests_sim_words_LDADD = libhlrc.la
if CMOCKA
UNIT_TESTS += tests/sim/events tests/sim/links tests/sim/nic_cache tests/sim/atomic_unit tests/sim/trace tests/sim/replay tests/sim/growth tests/sim/replay_move tests/sim/replay_cond tests/sim/replay_group tests/sim/replay_rma tests/sim/spans tests/sim/replay_time tests/sim/nic_barrier
sim_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
sim_test_libs = libhlrc_sim.la $(CMOCKA_LIBS)
tests_sim_events_CPPFLAGS = $(sim_test_cppflags)
tests_sim_events_LDADD = $(sim_test_libs)
tests_sim_links_CPPFLAGS = $(sim_test_cppflags)
tests_sim_links_LDADD = $(sim_test_libs)
tests_sim_nic_cache_CPPFLAGS = $(sim_test_cppflags)
tests_sim_nic_cache_LDADD = $(sim_test_libs)
tests_sim_atomic_unit_CPPFLAGS = $(sim_test_cppflags)
tests_sim_atomic_unit_LDADD = $(sim_test_libs)
tests_sim_trace_CPPFLAGS = $(sim_test_cppflags)
tests_sim_trace_LDADD = $(sim_test_libs)
tests_sim_replay_CPPFLAGS = $(sim_test_cppflags)
tests_sim_replay_LDADD = $(sim_test_libs)
tests_sim_growth_CPPFLAGS = $(sim_test_cppflags)
tests_sim_growth_LDADD = $(sim_test_libs)
tests_sim_replay_move_CPPFLAGS = $(sim_test_cppflags)
tests_sim_replay_move_LDADD = $(sim_test_libs)
tests_sim_replay_cond_CPPFLAGS = $(sim_test_cppflags)
tests_sim_replay_cond_LDADD = $(sim_test_libs)
tests_sim_replay_group_CPPFLAGS = $(sim_test_cppflags)
tests_sim_replay_group_LDADD = $(sim_test_libs)
tests_sim_replay_rma_CPPFLAGS = $(sim_test_cppflags)
tests_sim_replay_rma_LDADD = $(sim_test_libs)
tests_sim_spans_CPPFLAGS = $(sim_test_cppflags)
tests_sim_spans_LDADD = $(sim_test_libs)
tests_sim_replay_time_CPPFLAGS = $(sim_test_cppflags)
tests_sim_replay_time_LDADD = $(sim_test_libs)
tests_sim_nic_barrier_CPPFLAGS = $(sim_test_cppflags)
tests_sim_nic_barrier_LDADD = $(sim_test_libs)
tests_sim_atomic_unit_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=host_port_read,--wrap=host_port_write
endif
