# SPDX-License-Identifier: LGPL-2.1-or-later
# The simulator: an event loop, links, and what is modelled on them. Of the library it uses base/ and hlrc/policy/; its tests link all but main.
noinst_LTLIBRARIES += libhlrc_sim.la
libhlrc_sim_la_SOURCES = sim/commands.h sim/event.c sim/event.h sim/fail.c sim/fail.h sim/link.c sim/link.h sim/options.c sim/options.h \
	sim/progress.c sim/progress.h sim/random.h sim/server.h sim/tally.h sim/torus.c sim/torus.h

# The atomic unit of an adapter.
libhlrc_sim_la_SOURCES += sim/atomic_unit.c sim/atomic_unit.h sim/atomics.c sim/atomics.h \
	sim/atomics_command.c sim/host_port.c sim/host_port.h sim/nic_cache.c sim/nic_cache.h

# Barriers of adapters.
libhlrc_sim_la_SOURCES += sim/barrier_command.c sim/nic_barrier.c sim/nic_barrier.h

# Gets by copies or registration.
libhlrc_sim_la_SOURCES += sim/get_command.c

# What programs did, traced: the format is the library's, too, and so are the decisions.
libhlrc_sim_la_SOURCES += hlrc/policy/policy_batch.h hlrc/policy/policy_gather.h hlrc/policy/policy_history.c hlrc/policy/policy_history.h hlrc/policy/policy_lock.h hlrc/policy/policy_migrate.h hlrc/policy/policy_notices.h hlrc/policy/policy_placement.h hlrc/policy/policy_readahead.h hlrc/policy/policy_retain.h hlrc/policy/policy_update.c hlrc/policy/policy_update.h
libhlrc_sim_la_SOURCES += base/fold.c base/fold.h base/record.c base/record.h base/stack_switch.c base/stack_switch.h base/streams.c base/streams.h sim/decisions.c sim/decisions.h sim/fiber.c sim/fiber.h sim/machine.c sim/machine.h sim/map.c sim/map.h \
	sim/replay.c sim/replay.h sim/replay_ahead.c sim/replay_close.c sim/replay_command.c sim/replay_cond.c sim/replay_copy.c sim/replay_fetch.c sim/replay_group.c sim/replay_move.c sim/replay_moves.h sim/replay_page.c sim/replay_part.c sim/replay_queue.c sim/replay_renew.c sim/replay_rma.c sim/replay_round.c sim/run_options.c sim/run_options.h sim/spans.c sim/spans.h \
	sim/replay_sync.c sim/replay_system.c sim/replay_system.h sim/replay_time.c sim/replay_word.c sim/replay_write.c sim/script.c sim/script.h sim/versions.c sim/trace.c sim/trace.h sim/trace_command.c

# More nodes than were traced, by the law of a program.
libhlrc_sim_la_SOURCES += sim/grow_command.c sim/growth.h sim/growth_fit.c sim/growth_write.c sim/laws.c sim/law.c \
	sim/law.h sim/law_cg.c sim/law_fft3d.c sim/law_gauss.c sim/law_is.c sim/law_lu.c sim/law_radix.c sim/law_sor.c \
	sim/law_water.c sim/load_command.c

bin_PROGRAMS += hlrc_sim
hlrc_sim_SOURCES = sim/main.c
hlrc_sim_LDFLAGS = $(INSTALLED_LDFLAGS)
hlrc_sim_LDADD = libhlrc_sim.la

nodist_man1_MANS += man/hlrc_sim.1
man/hlrc_sim.1: hlrc_sim$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && ./hlrc_sim$(EXEEXT) --man >$@.tmp && mv $@.tmp $@
