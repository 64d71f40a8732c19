# SPDX-License-Identifier: LGPL-2.1-or-later
# The simulator.
SHELL_TESTS += tests/sim/command.sh tests/sim/conditions.sh tests/sim/gets.sh tests/sim/grow.sh tests/sim/puts.sh tests/sim/transfers.sh tests/sim/words.sh
EXTRA_DIST += tests/sim/replayed.sh
check_PROGRAMS += tests/sim/transfers tests/sim/words
tests_sim_transfers_SOURCES = tests/sim/transfers.c
tests_sim_transfers_LDADD = libhlrc.la
tests_sim_words_SOURCES = tests/sim/words.c
tests_sim_words_LDADD = libhlrc.la
if CMOCKA
UNIT_TESTS += tests/sim/events
tests_sim_events_SOURCES = tests/sim/events.c
tests_sim_events_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_events_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/links
tests_sim_links_SOURCES = tests/sim/links.c
tests_sim_links_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_links_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/nic_cache
tests_sim_nic_cache_SOURCES = tests/sim/nic_cache.c
tests_sim_nic_cache_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_nic_cache_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/atomic_unit
tests_sim_atomic_unit_SOURCES = tests/sim/atomic_unit.c
tests_sim_atomic_unit_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_atomic_unit_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=host_port_read,--wrap=host_port_write
tests_sim_atomic_unit_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/trace
tests_sim_trace_SOURCES = tests/sim/trace.c tests/sim/trace_make.h
tests_sim_trace_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_trace_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/replay
tests_sim_replay_SOURCES = tests/sim/replay.c tests/sim/replay_machine.h tests/sim/replay_run.h tests/sim/trace_make.h
tests_sim_replay_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_replay_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/growth
tests_sim_growth_SOURCES = tests/sim/growth.c tests/sim/replay_machine.h tests/sim/trace_make.h
tests_sim_growth_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_growth_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/replay_move
tests_sim_replay_move_SOURCES = tests/sim/replay_move.c tests/sim/replay_machine.h tests/sim/replay_run.h tests/sim/trace_make.h
tests_sim_replay_move_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_replay_move_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/replay_cond
tests_sim_replay_cond_SOURCES = tests/sim/replay_cond.c tests/sim/replay_machine.h tests/sim/replay_run.h tests/sim/trace_make.h
tests_sim_replay_cond_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_replay_cond_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/replay_rma
tests_sim_replay_rma_SOURCES = tests/sim/replay_rma.c tests/sim/replay_machine.h tests/sim/replay_run.h tests/sim/trace_make.h
tests_sim_replay_rma_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_replay_rma_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/sim/nic_barrier
tests_sim_nic_barrier_SOURCES = tests/sim/nic_barrier.c
tests_sim_nic_barrier_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_sim_nic_barrier_LDADD = libhlrc_sim.la $(CMOCKA_LIBS)
endif
